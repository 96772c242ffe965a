import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { INPUTS_MAX } from '@flatline/base';
import { MergeOrder } from './merge-order.ts';

interface Placed {
  readonly place: number;
  readonly input: number;
  readonly offset: number;
}

type Logs = readonly (readonly number[])[];

/** S8, without a thought for what is known when: every record of all logs, sorted. */
function sorted(logs: Logs): Placed[] {
  const all = logs.flatMap((stamps, input) => {
    let clock = 0;
    return stamps.map((stamp, offset) => ({ place: (clock = Math.max(clock, stamp)), input, offset }));
  });
  return all.sort((a, b) => a.place - b.place || a.input - b.input || a.offset - b.offset);
}

/** Reads logs by fetches that come when they come, and takes what may be taken after each. */
class Reading {
  readonly order: MergeOrder;
  readonly taken: Placed[] = [];
  readonly #logs: Logs;
  readonly #fetched: number[];
  readonly #next: number[];

  constructor(logs: Logs) {
    this.order = new MergeOrder(logs.length);
    this.#logs = logs;
    this.#fetched = logs.map(() => 0);
    this.#next = logs.map(() => 0);
  }

  fetch(input: number, records: number): void {
    this.#fetched[input] = Math.min(this.#fetched[input]! + records, this.#logs[input]!.length);
    this.#take();
  }

  /** Goes on after a restart: nothing is in hand, the clocks are what was committed. */
  restart(): void {
    const clocks = this.#logs.map((_, input) => this.order.clockOf(input));
    this.order.resume(clocks);
    this.#fetched.splice(0, this.#fetched.length, ...this.#next);
  }

  readAll(): void {
    for (const [input, log] of this.#logs.entries()) this.fetch(input, log.length);
  }

  #take(): void {
    for (;;) {
      for (const input of this.#logs.keys()) this.#show(input);
      expect(this.order.inspect()).toEqual([]);
      const input = this.order.next();
      if (input < 0) return;
      const place = this.order.frontOf(input);
      this.order.taken(input);
      this.taken.push({ place, input, offset: this.#next[input]! });
      this.#next[input]! += 1;
    }
  }

  #show(input: number): void {
    const at = this.#next[input]!;
    if (this.order.hasHead(input) || at === this.#fetched[input]) return;
    this.order.show(input, this.#logs[input]![at]!);
  }
}

const stamp = fc.integer({ min: 0, max: 12 });
const logs = fc.array(fc.array(stamp, { maxLength: 8 }), { minLength: 1, maxLength: 4 });
const fetches = fc.array(
  fc.record({ input: fc.nat(3), records: fc.integer({ min: 0, max: 5 }), restarts: fc.boolean() }),
  {
    maxLength: 24,
  },
);
/** Past all stamps. */
const END = 100;

describe('the order of several inputs', () => {
  test('[C5] is that of all records sorted, however the fetches come', () => {
    fc.assert(
      fc.property(logs, fetches, (drawn, coming) => {
        // Each ends with a clock record, as inputs do whose silence is asked for.
        const ended = drawn.map((stamps, input) => [...stamps, END + input]);
        const reading = new Reading(ended);
        for (const { input, records, restarts } of coming) {
          reading.fetch(input % ended.length, records);
          if (restarts) reading.restart();
        }
        reading.readAll();
        const all = sorted(ended);
        // Behind the first end the others wait, but for those that nothing can precede.
        expect(reading.taken).toEqual(all.slice(0, reading.taken.length));
        expect(reading.taken.length).toBeGreaterThanOrEqual(all.findIndex(({ place }) => place >= END) + 1);
      }),
    );
  });

  test('a record waits exactly while another input may bring an earlier one', () => {
    fc.assert(
      fc.property(logs, fetches, (drawn, coming) => {
        const reading = new Reading(drawn);
        const fetched = drawn.map(() => 0);
        for (const { input: any, records } of coming) {
          const input = any % drawn.length;
          fetched[input] = Math.min(fetched[input]! + records, drawn[input]!.length);
          reading.fetch(input, records);
        }
        const seen = drawn.map((stamps, input) => stamps.slice(0, fetched[input]));
        // The next record of each input may bear the least stamp that its clock allows.
        const clocks = seen.map((stamps) => Math.max(0, ...stamps));
        const certain = sorted(seen).filter(({ place, input }) =>
          clocks.every((clock, other) => other === input || clock > place || (clock === place && other > input)),
        );
        expect(reading.taken).toEqual(certain);
      }),
    );
  });

  test('tells how far the clock of a waited-for input has to come', () => {
    const order = new MergeOrder(3);
    order.resume([10, 20, 30]);
    order.show(1, 25);
    expect(order.next()).toBe(-1);
    // One more of the first input could come at 25, before it; none of the third.
    expect([0, 1, 2].map((input) => order.awaitedOf(input))).toEqual([26, undefined, undefined]);
    order.resume([30, 20, 10]);
    order.show(1, 25);
    expect([0, 1, 2].map((input) => order.awaitedOf(input))).toEqual([undefined, undefined, 25]);
    order.show(2, 25);
    expect(order.next()).toBe(1);
    // A clock record waits, and is not waited for.
    order.resume([10, 20, 30]);
    order.show(1, 25, true);
    expect([order.next(), order.awaitedOf(0)]).toEqual([-1, undefined]);
  });

  test('refuses to take what may not be next', () => {
    const order = new MergeOrder(2);
    order.show(1, 5);
    expect(() => {
      order.taken(1);
    }).toThrow('least there can be');
    expect(() => new MergeOrder(INPUTS_MAX + 1)).toThrow('at least one input');
  });
});
