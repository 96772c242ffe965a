import { describe, expect, test } from '@jest/globals';
import type { ProducedRecord } from '@flatline/kafka';
import { BadInput } from '@flatline/records';
import { WAIT_DIGITS_MAX } from '@flatline/ports/formats';
import { type DroppedItems, type ItemsLimits, PushedItems } from './pushed-items.ts';

/** A log that takes what it is sent, and acknowledges it when the test says so. */
class Log {
  readonly taken: ProducedRecord[] = [];
  readonly items: PushedItems;
  waitingCount = 0;
  /** Its bytes are full until this resolves. */
  room: PromiseWithResolvers<void> | undefined;
  failure: Error | undefined;

  constructor(limits: ItemsLimits = {}) {
    const waiting = (): number => this.waitingCount;
    const producer = {
      get waitingCount() {
        return waiting();
      },
      add: (record: ProducedRecord) => {
        if (this.failure !== undefined) throw this.failure;
        this.taken.push(record);
        this.waitingCount += 1;
        return this.room?.promise;
      },
    };
    this.items = new PushedItems({ ...limits, producer });
  }

  /** Key, value and headers of each record, as text. */
  get said(): unknown[] {
    return this.taken.map(({ key, value, headers }) => [text(key), text(value), shown(headers)]);
  }
}

function text(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString();
}

function shown(headers: ProducedRecord['headers'] = []): Record<string, string | null> {
  return Object.fromEntries(headers.map(({ name, value }) => [name, text(value)]));
}

/** As plain JavaScript sees it. */
function loose(items: PushedItems): { push(...given: readonly unknown[]): boolean; fire(key: unknown): boolean } {
  return items;
}

describe('an item', () => {
  test.each([
    ['text', 'plain', 'plain'],
    ['text that is JSON', '{"a":1}', '{"a":1}'],
    ['nothing at all', '', ''],
    ['an object', { edit: 1 }, '{"edit":1}'],
    ['an array', [1, null], '[1,null]'],
    ['a number', 7, '7'],
    ['false', false, 'false'],
    ['a date, as JSON has it', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['bytes', Buffer.from('raw'), 'raw'],
    ['bytes in another array', new DataView(Uint8Array.of(0x41, 0x42, 0x43).buffer, 1), 'BC'],
  ])('[B2] of %s is in the log as its bytes', (_, value, written) => {
    const log = new Log();
    expect(log.items.push('doc', value)).toBe(true);
    expect(log.said).toEqual([['doc', written, {}]]);
  });

  test.each([
    [undefined, 'push: the value is undefined: give bytes (Uint8Array), text, or what JSON holds'],
    [null, "push: the value is null: cancel(key) drops the window. JSON's null is the text 'null'"],
    [Number.NaN, 'push: the value is NaN: give bytes'],
    [Number.POSITIVE_INFINITY, 'push: the value is Infinity: give bytes'],
    [10n, 'push: the value cannot be written as JSON: give bytes'],
    [() => 1, 'push: the value is a function: give bytes'],
    [Symbol('x'), 'push: the value is Symbol(x): give bytes'],
    [new Map([['a', 1]]), 'push: the value is an object that is iterated over: give bytes'],
    [{ toJSON: () => undefined }, 'push: the value is an object: give bytes'],
    [new ArrayBuffer(8), 'push: the value is ArrayBuffer: give bytes'],
    [Promise.resolve(1), 'push: the value is Promise: give bytes'],
    [new Error('no'), 'push: the value is Error: give bytes'],
  ])('[I4] is not %p, and nothing is sent', (value, words) => {
    const log = new Log();
    expect(() => loose(log.items).push('doc', value)).toThrow(TypeError);
    expect(() => loose(log.items).push('doc', value)).toThrow(words);
    expect(log.taken).toEqual([]);
  });

  test('[I4] one that refers to itself is refused, with what JSON says of it as the cause', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    const push = (): boolean => new Log().items.push('doc', value);
    expect(push).toThrow('push: the value cannot be written as JSON');
    expect(push).toThrow(expect.objectContaining({ cause: expect.any(TypeError) }));
  });

  test('[B1][B3] says how long its window waits, and that it fires', () => {
    const log = new Log();
    log.items.push('doc', 1, { waitMs: '2s', maxWaitMs: 60_000, flush: true, headers: { by: 'anna' } });
    log.items.push('doc', 2, { flush: false, headers: new Map([['by', Buffer.from('bert')]]) });
    expect(log.said).toEqual([
      [
        'doc',
        '1',
        { by: 'anna', 'flatline-wait-ms': '2000', 'flatline-max-wait-ms': '60000', 'flatline-command': 'FLUSH' },
      ],
      ['doc', '2', { by: 'bert' }],
    ]);
  });

  test('[B1] the longest wait is the longest that a pipeline reads', () => {
    const log = new Log();
    log.items.push('doc', 1, { waitMs: 999_999_999_999_999 });
    expect(log.said).toEqual([['doc', '1', { 'flatline-wait-ms': '9'.repeat(WAIT_DIGITS_MAX) }]]);
  });

  test('[B3] a window fires, or goes, without one', () => {
    const log = new Log();
    log.items.fire(Uint8Array.of(0x64));
    log.items.cancel('doc');
    expect(log.said).toEqual([
      ['d', null, { 'flatline-command': 'FLUSH' }],
      ['doc', null, {}],
    ]);
  });

  test.each([
    [{ wait: 1 }, 'push: there is no option wait; did you mean waitMs?'],
    [{ waitMs: 0 }, 'push: waitMs is 0: give a whole number of milliseconds, 1 to 999999999999999'],
    [{ waitMs: Number.NaN }, 'push: waitMs is NaN: give a whole number'],
    [
      { waitMs: '2 seconds' },
      `push: waitMs is "2 seconds": give a whole number of milliseconds, 1 to 999999999999999, or a length`,
    ],
    [{ maxWaitMs: '1.5ms' }, 'push: maxWaitMs is "1.5ms": give a whole number'],
    [
      { waitMs: 10 ** 15 },
      'push: waitMs is 1000000000000000: give a whole number of milliseconds, 1 to 999999999999999',
    ],
    [{ waitMs: '12000000000d' }, 'push: waitMs is "12000000000d": give'],
    [{ maxWaitMs: Number.MAX_SAFE_INTEGER }, 'push: maxWaitMs is 9007199254740991: give'],
    [{ flush: 1 }, 'push: flush is 1: give true or false'],
    [
      { headers: { 'flatline-wait-ms': '1' } },
      'push: the header flatline-wait-ms: names that begin with flatline- are',
    ],
    [{ headers: { by: 7 } }, 'push: the header by is 7: give text or bytes (Uint8Array)'],
  ])('[I4] of %j is refused', (options, words) => {
    const log = new Log();
    expect(() => loose(log.items).push('doc', 1, options)).toThrow(TypeError);
    expect(() => loose(log.items).push('doc', 1, options)).toThrow(words);
    expect(log.taken).toEqual([]);
  });
});

describe('a key', () => {
  test('[I3] may be empty, and as long as any pipeline takes', () => {
    const log = new Log();
    log.items.push('', 1);
    log.items.push('k'.repeat(65_535), 1);
    expect(log.taken.map(({ key }) => key?.length)).toEqual([0, 65_535]);
  });

  test('[I1] that no pipeline takes is refused, and nothing is sent', () => {
    const log = new Log();
    for (const act of [() => log.items.push('k'.repeat(65_536), 1), () => log.items.fire(new Uint8Array(65_536))]) {
      expect(act).toThrow(BadInput);
      expect(act).toThrow('the key has 65536 bytes: a key has at most 65535 bytes, or the maxKeyBytes of its pipeline');
    }
    expect(log.taken).toEqual([]);
  });

  test.each([undefined, null, 7, {}])('[I4] is not %p', (key) => {
    expect(() => loose(new Log().items).push(key, 1)).toThrow('push: the key is ');
    expect(() => loose(new Log().items).fire(key)).toThrow('give text or bytes (Uint8Array)');
  });
});

describe('while the broker is away', () => {
  test('PU2: so many wait; what comes beyond is dropped, counted and told of', () => {
    const told: [keyof DroppedItems, unknown][] = [];
    const log = new Log({ bufferRecordsMax: 2, onDropped: (kind, key) => told.push([kind, key]) });
    expect([1, 2, 3].map((value) => log.items.push('doc', value))).toEqual([true, true, false]);
    expect([log.items.fire('a'), log.items.cancel('b')]).toEqual([false, false]);
    expect(log.items.dropped).toEqual({ items: 1, fires: 1, cancels: 1 });
    expect(told).toEqual([
      ['items', 'doc'],
      ['fires', 'a'],
      ['cancels', 'b'],
    ]);
    log.waitingCount = 0;
    expect(log.items.push('doc', 4)).toBe(true);
    expect(log.taken.map(({ value }) => text(value))).toEqual(['1', '2', '4']);
  });

  test('PU2: nothing more is taken while the bytes of the producer are full', async () => {
    const log = new Log();
    log.room = Promise.withResolvers();
    expect([log.items.push('doc', 1), log.items.push('doc', 2)]).toEqual([true, false]);
    log.room.resolve();
    await log.room.promise;
    expect(log.items.push('doc', 3)).toBe(true);
  });

  test('[X5] a producer that has ended is told of by the next call', async () => {
    const log = new Log();
    log.room = Promise.withResolvers();
    log.items.push('doc', 1);
    log.failure = new Error('not authorized');
    log.room.reject(log.failure);
    await log.room.promise.catch(() => undefined);
    expect(() => log.items.push('doc', 2)).toThrow('not authorized');
  });

  test('nothing is taken once they are closed', () => {
    const log = new Log();
    log.items.end();
    expect(() => log.items.push('doc', 1)).toThrow('these items are closed: open others');
  });
});
