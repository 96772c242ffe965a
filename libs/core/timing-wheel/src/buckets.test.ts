import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Buckets } from './buckets.ts';

// A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
const IDS = 12;
const BUCKETS = 4;
const id = fc.nat(IDS - 1);
const bucket = fc.nat(BUCKETS - 1);
const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), id, bucket, deadline: fc.nat(100) }),
  fc.record({ kind: fc.constant('take' as const), id }),
  fc.record({ kind: fc.constant('moveAll' as const), from: bucket, to: bucket }),
  fc.record({ kind: fc.constant('grow' as const) }),
);

interface Item {
  readonly id: number;
  readonly deadline: number;
}

function idsIn(buckets: Buckets, bucket: number): number[] {
  const ids: number[] = [];
  for (let id = buckets.first(bucket); id >= 0; id = buckets.first(bucket)) {
    ids.push(id);
    buckets.take(id);
  }
  return ids;
}

describe('Buckets', () => {
  test('behave as arrays do, whatever is put, taken and moved', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const buckets = new Buckets(0, IDS);
        const model: Item[][] = Array.from({ length: BUCKETS }, () => []);
        let capacity = IDS;
        for (const step of steps) {
          if (step.kind === 'grow') {
            capacity += 1;
            buckets.grow(capacity);
          } else if (step.kind === 'moveAll') {
            if (step.from === step.to) continue;
            buckets.moveAll(step.from, step.to);
            model[step.to]!.push(...model[step.from]!.splice(0));
          } else {
            const home = model.findIndex((items) => items.some((item) => item.id === step.id));
            if (step.kind === 'take' && home >= 0) {
              buckets.take(step.id);
              model[home] = model[home]!.filter((item) => item.id !== step.id);
            } else if (step.kind === 'put' && home < 0) {
              buckets.put(step.id, step.bucket, step.deadline);
              model[step.bucket]!.push(step);
            }
          }
          const due = new Map(model.flat().map(({ id, deadline }) => [id, deadline]));
          expect(buckets.inspect((id) => due.get(id) ?? NaN, IDS)).toEqual([]);
          const firstOccupied = model.findIndex((items) => items.length > 0);
          expect(buckets.isLevelEmpty(0)).toBe(firstOccupied < 0);
          if (firstOccupied >= 0) expect(buckets.firstOccupied(0, 0)).toBe(firstOccupied);
          model.forEach((items, bucket) => {
            expect(buckets.bound(bucket)).toBeLessThanOrEqual(Math.min(...items.map((item) => item.deadline)));
          });
        }
        model.forEach((items, bucket) => {
          expect(idsIn(buckets, bucket)).toEqual(items.map((item) => item.id));
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('the bound of a bucket is exact while nothing was taken out of it, also after moving', () => {
    const buckets = new Buckets(0, IDS);
    buckets.put(0, 0, 50);
    buckets.put(1, 0, 40);
    buckets.put(2, 1, 45);
    buckets.moveAll(1, 0);
    expect(buckets.bound(0)).toBe(40);
    expect(buckets.bound(1)).toBe(Infinity);
    idsIn(buckets, 0);
    buckets.put(3, 0, 90);
    expect(buckets.bound(0)).toBe(90);
  });

  test('clear empties every bucket', () => {
    const buckets = new Buckets(1, IDS);
    buckets.put(0, 0, 50);
    buckets.put(1, 300, 50);
    buckets.clear();
    expect(buckets.isLevelEmpty(0) && buckets.isLevelEmpty(1)).toBe(true);
    expect(buckets.isEmpty(0) && buckets.isEmpty(300)).toBe(true);
  });
});
