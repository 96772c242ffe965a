// maxStateBytes: entries, keys and states of a partition, in bytes (I7).
import { describe, expect, test } from '@jest/globals';
import { type InputEvent, inputRecord } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { resetEvent, type SessionEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import { DebounceLog, FLUSH } from '../kinds/debounce/debounce.fixture.ts';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { LeaseLog } from '../kinds/lease/leases.fixture.ts';
import { ScheduleLog } from '../kinds/schedule/schedules.fixture.ts';
import { begin, bytes, ListCursor, options, type TestRecord, text } from '../task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const context = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };
/** An entry with a key of one to four bytes. */
const ENTRY = 128 + 4;

interface Said {
  readonly type?: string;
  readonly eventId?: string;
  readonly sequence?: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

const said = (value: Said): string => JSON.stringify(value);

function eventOf(value: string): InputEvent {
  const { type = 'HEARTBEAT', eventId, sequence, attributes = {} } = JSON.parse(value) as Said;
  const texts = Object.entries(attributes);
  const times = { occurredAt: undefined, timeoutMs: undefined };
  return { type, eventId, sequence, ...times, attributes: texts.length === 0 ? undefined : new Map(texts) };
}

const decoder = {
  decode: (buffer: Uint8Array, start: number, length: number, event: SessionEvent) => {
    resetEvent(event);
    Object.assign(event, eventOf(text(buffer.slice(start, start + length))));
    return { kind: 'event' as const };
  },
  prepare: () => Promise.resolve(),
};

function begun(stateBytesMax: number): PartitionTask {
  const state = { ...options().state, stateBytesMax };
  const task = new PartitionTask(options({ state, decoder }));
  begin(task, 0, START);
  return task;
}

/** Steps to the end, closing what it is asked to close and, by `whim`, more. Returns offsets of what found no room. */
function run(task: PartitionTask, records: readonly TestRecord[], whim: () => boolean = () => false): number[] {
  const cursor = new ListCursor(records, 4);
  for (let steps = 0; ; steps += 1) {
    const { kind } = task.step(cursor, 1 + (steps % 5), WALL);
    if (kind === 'due') while (task.expire(2, WALL));
    else if (kind === 'exhausted') break;
    if (whim()) task.expire(1, WALL);
  }
  return task.cut(context).deadLetters.map(({ offset, reason }) => {
    expect(reason).toBe('state-full');
    return offset;
  });
}

function refusedByOracle(records: readonly TestRecord[], stateBytesMax: number): readonly number[] {
  const { rules, input, partition } = options();
  const { timestampType, maxKeyBytes } = input;
  const raw = records.map(({ offset, timestamp, key, value }) => ({
    offset,
    timestamp,
    headers: [],
    logAppendTime: true,
    key: bytes(key!),
    value: value === null ? null : bytes(value),
  }));
  const bounds = { timestampType, maxKeyBytes, stateBytesMax, unheardMs: 0, maxHoldMs: 0 };
  const naive = { kind: 'session', ...rules, ...bounds } as const;
  return foldInput(
    raw.map((record) => inputRecord(record, () => eventOf(text(record.value!)))),
    { partition, rules: naive },
  ).refused;
}

const event = fc.record(
  {
    type: fc.constantFrom('CLICK', 'ENDED', 'HEARTBEAT', 'T'.repeat(60)),
    eventId: fc.constantFrom('1', '2', '3', '4', '5', '6', 'an id that is long'),
    sequence: fc.nat(5),
    attributes: fc.dictionary(fc.constantFrom('a', 'b', 'ü'), fc.constantFrom('', 'x', '–', 'y'.repeat(130))),
  },
  { requiredKeys: [] },
);
const workload = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 1, 3, 250, 333, 995, 1_000),
    key: fc.constantFrom('', 'a', 'bb', 'four', 'fives', 'a key of 20 bytes...'),
    value: fc.oneof(fc.constantFrom('', '', null), event.map(said)),
  }),
  { maxLength: 60 },
);

describe('[I7] what may live in one partition, in bytes', () => {
  test('[I7][C5] who is refused is a function of the log, and what the oracle says (rerun: the printed seed)', () => {
    const limit = fc.oneof(fc.integer({ min: ENTRY, max: 700 }), fc.constantFrom(ENTRY, 2 * ENTRY, 9_999));
    let refused = 0;
    fc.assert(
      fc.property(workload, limit, fc.infiniteStream(fc.boolean()), (steps, stateBytesMax, whims) => {
        let timestamp = 5_003;
        const records = steps.map(({ gap, ...rest }, offset) => ({ ...rest, offset, timestamp: (timestamp += gap) }));
        const task = begun(stateBytesMax);
        const found = run(task, records, () => whims.next().value as boolean);
        expect(found).toEqual(refusedByOracle(records, stateBytesMax));
        expect(task.stateBytes).toBeLessThanOrEqual(stateBytesMax);
        refused += found.length;
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(1_000);
  });

  test('[I7][S10] an event that needs more than is left changes nothing; heartbeats and ends go on', () => {
    const at = (offset: number, value: Said | '' | null): TestRecord => {
      const content = value === '' || value === null ? value : said(value);
      return { offset, timestamp: 5_000, key: 'k', value: content };
    };
    const texts = { attributes: { page: '/checkout' } };
    const probe = begun(Infinity);
    run(probe, [at(0, texts)]);
    // The bytes that it takes, and one byte less.
    expect(run(begun(probe.stateBytes), [at(0, texts)])).toEqual([]);
    const task = begun(probe.stateBytes - 1);
    const records = [at(0, texts), at(1, ''), at(2, texts), at(3, { sequence: 4 }), at(4, { type: 'ENDED', ...texts })];
    expect(run(task, records)).toEqual([0, 2]);
    expect(task.counters).toMatchObject({ stateFull: 2, heartbeats: 1, events: 2, closedByEnd: 1 });
    expect(task.stateBytes).toBe(0);
  });

  test('[I7] how full a partition is counts bytes, too', () => {
    const task = begun(1_000);
    run(task, [{ offset: 0, timestamp: 5_000, key: 'k', value: said({ attributes: { a: 'x'.repeat(200) } }) }]);
    expect(task.stateFill).toBe(task.stateBytes / 1_000);
    expect(task.stateFill).toBeGreaterThan(0.3);
  });

  test('[I7][B2] an item that does not fit is refused, whatever it would have fired, and the window goes on', () => {
    const item = 'x'.repeat(300);
    const probe = new DebounceLog();
    probe.add(5_000, 'k', item);
    probe.commit();
    const one = probe.task.stateBytes;
    const log = new DebounceLog({ maxStateBytes: one + 310, rules: { maxBytes: 640 } });
    log.add(5_000, 'k', item);
    log.add(5_001, 'k', 'y'.repeat(299));
    const over = log.add(5_002, 'k', 'z'.repeat(20));
    const flushed = log.add(5_003, 'k', 'z'.repeat(20), { 'flatline-command': 'FLUSH' });
    // Too much for the window, which it ends: there is room again.
    log.add(5_004, 'k', 'w'.repeat(300));
    log.commit();
    expect(log.refused).toEqual([over, flushed].map((offset) => ({ offset, reason: 'state-full' })));
    expect(log.said().map(({ reason, items }) => [reason, items.length])).toEqual([['MAX_BYTES', 2]]);
    expect(log.task.stateBytes).toBe(one);
    log.add(9_000, null);
    log.commit();
    expect(log.said().at(-1)).toMatchObject({ reason: 'QUIET' });
    expect(log.task.stateBytes).toBe(0);
  });

  test('[I7][B2] an item too much for the window it would end and for the next one leaves that window as it is', () => {
    const log = new DebounceLog({ maxStateBytes: ENTRY + 320, rules: { maxBytes: 400 } });
    log.add(5_000, 'k', 'x'.repeat(300));
    const over = log.add(5_001, 'k', 'y'.repeat(350));
    log.commit();
    expect(log.refused).toEqual([{ offset: over, reason: 'state-full' }]);
    expect([log.said(), log.task.liveEntries]).toEqual([[], 1]);
  });

  test.each([
    ['bytes', (taken: number) => ({ maxStateBytes: taken })],
    ['entries', () => ({ entriesMax: 1 })],
  ])('[I7][C5] what a fired window still takes refuses nothing: it is said first (%s)', (_what, boundOf) => {
    const rules = { onOversize: 'split', maxBytes: 10_000 } as const;
    const item = 'x'.repeat(300);
    const probe = new DebounceLog({ rules });
    for (let i = 0; i < 6; i += 1) probe.add(5_000 + i, 'k', item);
    probe.commit();
    const log = new DebounceLog({ rules, owedBytesMax: 1, ...boundOf(probe.task.stateBytes) });
    for (let i = 0; i < 5; i += 1) log.add(5_000 + i, 'k', item);
    log.add(5_005, 'k', item, FLUSH);
    log.add(5_006, 'b', item);
    log.commit();
    expect(log.refused).toEqual([]);
    expect(log.said().flatMap(({ items }) => items)).toHaveLength(6);
    expect(log.said().length).toBeGreaterThan(1);
    expect(log.task.liveEntries).toBe(1);
  });

  test('[I7][B2] an item that needs no more than the window it ends is taken, whatever the bound was lowered to', () => {
    const log = new DebounceLog({ rules: { maxBytes: 640 } });
    log.add(5_000, 'k', 'x'.repeat(500));
    log.commit();
    log.maxStateBytes = ENTRY;
    log.restart();
    const over = log.add(5_001, 'k', 'y'.repeat(600));
    log.add(5_002, 'k', 'z'.repeat(400));
    log.commit();
    expect(log.refused).toEqual([{ offset: over, reason: 'state-full' }]);
    expect(log.said().map(({ reason, items }) => [reason, items.length])).toEqual([['MAX_BYTES', 1]]);
    expect(log.task.liveEntries).toBe(1);
  });

  test.each(['first', 'last', 'count'] as const)(
    '[I7][B3] where a window keeps one item at most, the %s one, no more room is asked for than that takes',
    (reducer) => {
      const rules = { reducer, maxBytes: 100_000 };
      const probe = new DebounceLog({ rules });
      for (let i = 0; i < 3; i += 1) probe.add(5_000 + i, 'k', 'x'.repeat(300));
      probe.commit();
      const maxStateBytes = probe.task.stateBytes;
      const log = new DebounceLog({ rules, maxStateBytes });
      for (let i = 0; i < 3; i += 1) log.add(5_000 + i, 'k', 'x'.repeat(300));
      const longer = log.add(5_003, 'k', 'y'.repeat(301));
      log.commit();
      expect(log.refused.map(({ offset }) => offset)).toEqual(reducer === 'last' ? [longer] : []);
      expect(log.task.stateBytes).toBe(maxStateBytes);
    },
  );

  test('[I7][D1] a schedule whose message does not fit is refused; one that replaces a longer one is not', () => {
    const probe = new ScheduleLog();
    const due = { 'due-at': 90_000 };
    probe.add(5_000, 'k', due, 'x'.repeat(500));
    probe.commit();
    const log = new ScheduleLog({ maxStateBytes: probe.task.stateBytes });
    log.add(5_000, 'k', due, 'x'.repeat(500));
    const over = log.add(5_001, 'k', due, 'x'.repeat(502));
    const other = log.add(5_002, 'k', { ...due, 'schedule-id': 'b' }, '');
    const another = log.add(5_003, 'other', due, '');
    log.add(5_004, 'k', due, 'y'.repeat(500));
    // It is due at once, and keeps nothing.
    log.add(5_005, 'now', { 'due-at': 5_000 }, 'z'.repeat(900));
    log.commit();
    expect(log.refused).toEqual([over, other, another].map((offset) => ({ offset, reason: 'state-full' })));
    log.add(95_000, null);
    log.commit();
    expect([...log.said('now'), ...log.said()].map(({ value }) => value)).toEqual(['z'.repeat(900), 'y'.repeat(500)]);
  });

  test('[I7][L4] a start that would wait and does not fit is refused; renewals and ends go on', () => {
    const log = new LeaseLog({ maxStateBytes: ENTRY + 60, rules: { onConflict: 'queue' } });
    log.add(5_000, 'k', { type: 'STARTED' });
    log.add(5_001, 'k', { type: 'STARTED', requestId: 'a'.repeat(20) });
    const over = log.add(5_002, 'k', { type: 'STARTED', requestId: 'b'.repeat(40) });
    log.add(5_003, 'k', { token: 1 });
    log.commit();
    expect(log.refused).toEqual([{ offset: over, reason: 'state-full' }]);
    expect(log.task.counters).toMatchObject({ stateFull: 1, leasesQueued: 1, leaseRenewals: 1 });
    log.add(5_004, 'k', { type: 'ENDED', token: 1 });
    log.commit();
    expect(log.task.counters).toMatchObject({ leasesReleased: 1, leasesGranted: 2 });
  });
});
