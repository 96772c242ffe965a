import { describe, expect, test } from '@jest/globals';
import { sessionFormat } from '@flatline/kinds/session';
import fc from 'fast-check';
import { EntryTable } from './entry-table.ts';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { begin, bytes, findKey, insertKey, ListCursor, options, type TestRecord, text } from '../task.fixture.ts';

const WALL = 9e12;
const TIMEOUT_MS = 1_000;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const context = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };

function begun(state: { readonly entriesMax: number; readonly keyBytesMax: number }): PartitionTask {
  const task = new PartitionTask(options({ state: { ...options().state, ...state } }));
  begin(task, 0, START);
  return task;
}

/** Steps to the end, closing what it is asked to close and, by `whim`, more. Returns the dead letters. */
function run(
  task: PartitionTask,
  records: readonly TestRecord[],
  whim: () => boolean = () => false,
): [number, string][] {
  const cursor = new ListCursor(records, 4);
  for (let steps = 0; ; steps += 1) {
    const { kind } = task.step(cursor, 1 + (steps % 5), WALL);
    if (kind === 'due') while (task.expire(2, WALL));
    else if (kind === 'exhausted') break;
    if (whim()) task.expire(1, WALL);
  }
  return task.cut(context).deadLetters.map(({ offset, reason }) => [offset, reason]);
}

/** Offsets of what finds no room: sessions whose deadline the clock has passed take none. */
function refusedByFold(
  records: readonly TestRecord[],
  { entriesMax, keyBytesMax }: { readonly entriesMax: number; readonly keyBytesMax: number },
): number[] {
  const seen = new Map<string, number>();
  const weight = (key: string): number => Math.max(4, Math.ceil(key.length / 4) * 4);
  return records.flatMap(({ offset, timestamp, key, value }) => {
    for (const [each, at] of seen) if (at + TIMEOUT_MS <= timestamp) seen.delete(each);
    const used = [...seen.keys()].reduce((sum, each) => sum + weight(each), 0);
    const opens = !seen.has(key!) && value !== null;
    if (opens && (seen.size >= entriesMax || used + weight(key!) > keyBytesMax)) return [offset];
    if (value === null) seen.delete(key!);
    else seen.set(key!, timestamp);
    return [];
  });
}

const workload = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 1, 3, 250, 333, 995, 1_000),
    key: fc.constantFrom('', 'a', 'bb', 'four', 'fives', 'a key of 20 bytes...'),
    value: fc.constantFrom('', '', '', null),
  }),
  { maxLength: 60 },
);
const limits = fc.record({ entriesMax: fc.constantFrom(1, 2, 4, 99), keyBytesMax: fc.constantFrom(8, 24, 9_999) });

describe('[I7] what may live in one partition', () => {
  test('[I7][C5] who is refused is a function of the log, whatever was closed by then (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(workload, limits, fc.infiniteStream(fc.boolean()), (steps, state, whims) => {
        let timestamp = 5_003;
        const records = steps.map(({ gap, ...rest }, offset) => ({ ...rest, offset, timestamp: (timestamp += gap) }));
        const found = run(begun(state), records, () => whims.next().value as boolean);
        expect(found).toEqual(refusedByFold(records, state).map((offset) => [offset, 'state-full']));
      }),
      { numRuns: 1_000 },
    );
  });

  test('[I7] sessions that live go on, and room that is made is taken', () => {
    const task = begun({ entriesMax: 2, keyBytesMax: 1_000 });
    const beat = (offset: number, key: string, value: string | null = ''): TestRecord => ({
      offset,
      timestamp: 5_000,
      key,
      value,
    });
    const records = [beat(0, 'a'), beat(1, 'b'), beat(2, 'c'), beat(3, 'a'), beat(4, 'a', null), beat(5, 'c')];
    expect(run(task, records)).toEqual([[2, 'state-full']]);
    expect(task.stateFill).toBe(1);
    expect(task.counters).toMatchObject({ stateFull: 1, deadLetters: 1, sessionsOpened: 3, heartbeats: 4 });
  });
});

test('[I7][X7] however wide a tick is, a record without room looks at none of those that are due later in it', () => {
  const [live, records, at] = [500, 200, 60_000_000];
  const state = { ...options().state, entriesMax: live };
  const rules = { ...options().rules, timeoutMs: 55_000 };
  const { kind, ...others } = options({ state, rules, tickMs: 60_000 });
  let looks = 0;
  const open = (parts: Parameters<typeof kind.open>[0]): ReturnType<typeof kind.open> => {
    const sessions = kind.open(parts);
    const dueAt = (): number => {
      looks += 1;
      return sessions.dueAt();
    };
    return {
      dueAt,
      take: (run, effects) => sessions.take(run, effects),
      due: (due, effects) => {
        sessions.due(due, effects);
      },
    };
  };
  const task = new PartitionTask({ ...others, kind: { ...kind, open } });
  begin(task, 0, START);
  const opened = Array.from({ length: live + records }, (_, offset) => {
    return { offset, timestamp: at + 20 * offset, key: `k${offset}`, value: '' };
  });
  expect(run(task, opened)).toHaveLength(records);
  expect(looks).toBeLessThan(10 * opened.length);
});

test('[I7] on CreateTime, too, all that waits is looked at once for a clock, not for each record without room', () => {
  const at = 5_003;
  const task = new PartitionTask(
    options({
      state: { ...options().state, entriesMax: 2, keyBytesMax: 1_000 },
      input: { ...options().input, timestampType: 'CreateTime' },
    }),
  );
  begin(task, 0, START);
  const records = Array.from({ length: 40 }, (_, offset) => ({
    offset,
    timestamp: at,
    key: ['a', 'b', `new-${offset}`][offset % 3]!,
    value: '',
    logAppendTime: false,
  }));
  const cursor = new ListCursor(records, 4);
  let looks = 0;
  for (;;) {
    const { kind } = task.step(cursor, 5, WALL);
    if (kind === 'exhausted') break;
    if (kind === 'due') {
      looks += 1;
      while (task.expire(2, WALL));
    }
  }
  expect([task.counters.stateFull, looks]).toEqual([13, 1]);
});

describe('memory for keys', () => {
  test('keys of ever other sizes find room as long as all that live do', () => {
    const table = new EntryTable(7, sessionFormat, 64 * 1024);
    let live: string[] = [];
    for (let size = 1; size <= 300; size += 1) {
      for (const key of live.splice(0)) table.remove(findKey(table, bytes(key)));
      table.recycle();
      live = Array.from({ length: Math.floor(50_000 / (size + 4)) }, (_, i) => `${i}`.padStart(size, '.').slice(-size));
      live = [...new Set(live)];
      for (const key of live) insertKey(table, bytes(key));
      const lost = live.filter((key) => text(table.keyOf(findKey(table, bytes(key)))) !== key);
      expect(lost).toEqual([]);
      expect(table.keyBytes).toBe(live.length * Math.ceil(size / 4) * 4);
    }
  });
});
