import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IdQueue } from './id-queue.ts';

interface Named {
  readonly number: number;
  readonly ids: readonly string[];
}

/** The same, by a linear search each time. */
class Naive {
  readonly all: { readonly place: number; readonly each: Named }[] = [];
  #end = 0;

  add(each: Named): void {
    this.all.push({ place: this.#end, each });
    this.#end += 1;
  }

  placeOf(id: string): number {
    return this.all.find(({ each }) => each.ids.includes(id))?.place ?? -1;
  }

  isUpTo(one: string, other: string): boolean {
    const ids = this.all.flatMap(({ each }) => each.ids);
    const [at, end] = [ids.indexOf(one), ids.indexOf(other)];
    return at >= 0 && at <= end;
  }
}

const id = fc.nat(40).map(String);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('add' as const), ids: fc.array(id, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('take' as const), id }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('take first' as const), count: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('look' as const), one: id, other: id }) },
);

test('a queue by ids behaves like a linear search', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new IdQueue<Named>(({ ids }) => ids);
      const naive = new Naive();
      const take = (place: number): void => {
        const at = naive.all.findIndex((one) => one.place === place);
        expect(queue.take(place)).toBe(naive.all.splice(at, 1)[0]!.each);
      };
      for (const [number, each] of steps.entries()) {
        if (each.does === 'add') {
          const named = { number, ids: each.ids };
          queue.add(named);
          naive.add(named);
        } else if (each.does === 'look') {
          expect(queue.placeOf(each.one)).toBe(naive.placeOf(each.one));
          expect(queue.isUpTo(each.one, each.other)).toBe(naive.isUpTo(each.one, each.other));
        } else if (each.does === 'take') {
          const place = naive.placeOf(each.id);
          expect(queue.placeOf(each.id)).toBe(place);
          if (place >= 0) take(place);
        } else for (let left = each.count; left > 0 && queue.size > 0; left -= 1) take(queue.first);
        expect(queue.all()).toEqual(naive.all.map((one) => one.each));
        expect(queue.size).toBe(naive.all.length);
        expect(queue.first).toBe(naive.all[0]?.place ?? queue.end);
      }
    }),
    { numRuns: 300 },
  );
});
