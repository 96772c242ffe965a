import { describe, expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import type { KindOutput, LaterRecords } from '@flatline/kinds';
import { debounceSaid } from '@flatline/kinds/debounce';
import { routingOf } from '@flatline/kinds/routing';
import { OutputBox } from './output-box.ts';

const utf8 = new TextEncoder();
const BATCH: KindOutput = {
  key: utf8.encode('k'),
  value: utf8.encode(JSON.stringify({ reason: 'QUIET', items: 'x'.repeat(10_000) })),
};

/** As a large window goes out. */
class Later implements LaterRecords {
  readonly bytes = 10_100;
  isOver = false;
  #left: number;

  constructor(records = 1) {
    this.#left = records;
  }

  next(): KindOutput {
    this.#left -= 1;
    this.isOver = this.#left === 0;
    return BATCH;
  }
}

/** As one that looks at its items before it says anything. */
class Slow extends Later {
  #looks = 1;

  override next(): KindOutput {
    return this.#looks-- > 0 ? (undefined as unknown as KindOutput) : super.next();
  }
}

describe('records that are encoded later', () => {
  test('OB3 [P3] count with what their routes may take along, before it is made', () => {
    const routing = routingOf(debounceSaid, [{ to: 't' }, { to: 'u' }], () => 1);
    const box = new OutputBox(new ReusedMemory(0), {
      routing,
      onRouted: () => undefined,
      onUnroutable: () => undefined,
    });
    box.addLater(new Later());
    const counted = box.bytes;
    expect(box.inspect()).toEqual([]);
    box.encode(Infinity);
    expect(box.inspect()).toEqual([]);
    expect(box.bytes).toBeGreaterThan(30_000);
    expect(box.bytes).toBeLessThan(counted * 1.02);
    expect(box.takeAll().outputs.packed).toHaveLength(3);
    expect(box.bytes).toBe(0);
  });
});

describe('outputs that wait', () => {
  const record: KindOutput = { key: utf8.encode('k'), value: utf8.encode('v') };

  test('CC2 [P3] weigh more where routes have made them: the cut makes objects of those, all in one turn', () => {
    const routing = routingOf(debounceSaid, [{ to: 't', key: '/reason', value: '' }], () => 12);
    const silent = { onRouted: () => undefined, onUnroutable: () => undefined };
    const box = new OutputBox(new ReusedMemory(0), { routing, ...silent });
    const waiting = 3 * 1024 * 1024;
    while (box.weight < waiting) box.add({ ...record, value: utf8.encode('{"reason":"QUIET"}') });
    const { outputs } = box.takeAll();
    expect(outputs.places.filter(({ to }) => to.topic === 't').reduce((sum, { count }) => sum + count, 0)).toBeLessThan(
      3_500,
    );
    expect(box.weight).toBe(0);
    const plain = new OutputBox(new ReusedMemory(0));
    plain.add(record);
    expect(plain.weight).toBe(plain.bytes);
  });

  test.each<[string, LaterRecords]>([
    ['is half encoded', new Later(2)],
    ['is looked at', new Slow()],
    ['is encoded', new Later()],
  ])('OB5 take nothing more once one of them %s: it would go out twice, or elsewhere', (_, later) => {
    const box = new OutputBox(new ReusedMemory(0));
    box.add(record);
    box.addLater(later);
    box.add(record);
    box.encode(1);
    const more = [
      () => {
        box.add(record);
      },
      () => {
        box.begin(10, 0, undefined);
      },
      () => {
        box.addLater(new Later());
      },
    ];
    for (const add of more) expect(add).toThrow('OB5: nothing is decided while a commit is cut');
    const sizes = [...box.takeAll().outputs].map(({ value }) => Number(value!.length > 1));
    expect(sizes.at(0)! + sizes.at(-1)!).toBe(0);
    for (const add of more) add();
  });

  test('OB2 are as many in each place as are written there, whatever was begun and given up', () => {
    const box = new OutputBox(new ReusedMemory(0));
    box.begin(100, 0, 'given up');
    for (const topic of ['t', undefined]) {
      const sink = box.begin(10, 0, topic);
      for (const part of ['k', 'v']) sink.part(utf8.encode(part), 0, 1);
      sink.headers(0);
      box.end();
    }
    const { outputs } = box.takeAll();
    expect(outputs.places.filter(({ count }) => count > 0).map(({ to, count }) => [to, count])).toEqual([
      [{}, 1],
      [{ topic: 't' }, 1],
    ]);
    expect([...outputs].map(({ topic }) => topic)).toEqual(['t', undefined]);
  });

  test('[O5] go to the partition that they name, of the output, too', () => {
    const box = new OutputBox(new ReusedMemory(0));
    const places = [
      {},
      { partition: 2 },
      { topic: 't', partition: 2 },
      { topic: 't' },
      { topic: 't', partition: 0 },
      {},
    ];
    for (const place of places) box.add({ ...record, ...place });
    const outputs = [...box.takeAll().outputs];
    expect(outputs).toEqual(places.map((place) => ({ ...record, ...place })));
  });
});
