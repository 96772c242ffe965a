import { describe, expect, test } from '@jest/globals';
import type { SessionSummary } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration } from './index.ts';
import { CLOCK_HEADER, KEY_GROUP_MAX } from '@flatline/ports';
import { applyBlock, begin, bytes, closedIn, ListCursor, options, type TestRecord, text } from './task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

function begun(changes: Parameters<typeof options>[0] = {}): PartitionTask {
  const task = new PartitionTask(options(changes));
  begin(task, 0, START);
  return task;
}

const record = (changes: Partial<TestRecord>): TestRecord => ({
  offset: 0,
  timestamp: 0,
  key: 'k',
  value: '',
  ...changes,
});
const context = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };
const shown = (s: SessionSummary): string =>
  `${text(s.key)} ${s.incarnation} ${s.reason} ${s.eventCount} ${s.firstOffset}..${s.lastOffset} ${s.closedAt}`;

function stepAll(task: PartitionTask, ...records: TestRecord[]): ReturnType<PartitionTask['step']> {
  return task.step(new ListCursor(records), 1e6, WALL);
}

function drain(task: PartitionTask): readonly SessionSummary[] {
  while (task.expire(100, WALL));
  return closedIn(task.cut(context));
}

describe('sessions of one partition', () => {
  test('[S3] a gap of exactly the timeout closes the session, one millisecond less does not', () => {
    for (const [gap, incarnations] of [
      [999, 1],
      [1_000, 2],
    ] as const) {
      const task = begun();
      stepAll(task, record({ timestamp: 5_000 }), record({ offset: 1, timestamp: 5_000 + gap }));
      expect(task.counters['sessionsOpened']).toBe(incarnations);
    }
  });

  test('[S3][C5] a close is as of its due instant, however late it is drained', () => {
    const task = begun();
    stepAll(task, record({ timestamp: 5_000 }), record({ offset: 1, timestamp: 99_000, key: 'other' }));
    expect(drain(task).map(shown)).toEqual(['k 0-0 TIMEOUT 1 0..0 6000']);
  });

  test('[X1][C1] no close without a record stamped at or past the deadline', () => {
    const task = begun();
    stepAll(task, record({ timestamp: 5_000 }), record({ offset: 1, timestamp: 5_999, key: 'other' }));
    expect(drain(task)).toEqual([]);
  });

  test('[C2] a clock record moves the clock, touches nothing and reaches no output', () => {
    const task = begun();
    const headers = [{ name: CLOCK_HEADER, value: null }];
    stepAll(task, record({ timestamp: 5_000 }), record({ offset: 1, timestamp: 6_000, key: null, headers }));
    const cut = task.cut(context);
    expect(cut.deadLetters).toEqual([]);
    while (task.expire(100, WALL));
    expect([task.counters.clockRecords, task.counters['closedByTimeout'], task.liveEntries]).toEqual([1, 1, 0]);
  });

  test('[I2] a null value ends the session at once; for no session it ends nothing', () => {
    const task = begun();
    stepAll(
      task,
      record({ timestamp: 5_000 }),
      record({ offset: 1, timestamp: 5_100, value: null }),
      record({ offset: 2, timestamp: 5_200, value: null }),
    );
    expect(drain(task).map(shown)).toEqual(['k 0-0 ENDED 2 0..1 5100']);
    expect(task.counters['unmatchedEnds']).toBe(1);
  });

  test('[I1][I2] a null key, a long key and a bad value go to the dead letters with their place; the next record is applied', () => {
    const task = begun();
    stepAll(
      task,
      record({ offset: 0, key: null, value: 'x' }),
      record({ offset: 1, key: 'k'.repeat(65) }),
      record({ offset: 2, value: '{' }),
      record({ offset: 3 }),
    );
    const { deadLetters } = task.cut(context);
    expect(deadLetters.map(({ reason, offset }) => [reason, offset])).toEqual([
      ['null-key', 0],
      ['key-too-long', 1],
      ['invalid-json', 2],
    ]);
    expect(deadLetters[2]).toMatchObject({ key: bytes('k'), value: bytes('{') });
    expect(task.liveEntries).toBe(1);
  });

  test('[C6] a LogAppendTime partition waits at a stamp from the future, and the record is taken again', () => {
    const task = begun();
    const cursor = new ListCursor([
      record({ timestamp: 10_000 }),
      record({ offset: 1, timestamp: 5_000_000, key: 'f' }),
    ]);
    expect(task.step(cursor, 10, 1_000)).toEqual({ kind: 'futureStamp', timestamp: 5_000_000, offset: 1 });
    expect(task.step(cursor, 10, 1_000).kind).toBe('futureStamp');
    expect(task.input.position).toBe(1);
    expect(task.step(cursor, 10, 5_000_000).kind).toBe('exhausted');
    expect([task.counters.recordsRead, task.liveEntries, task.clock.now]).toEqual([2, 2, 5_000_000]);
  });

  test('[C6] on CreateTime such a stamp is bad input, and no record moves the clock beyond maxLeadMs', () => {
    const input = { ...options().input, timestampType: 'CreateTime' as const };
    const task = begun({ input });
    const create = (changes: Partial<TestRecord>): TestRecord => record({ logAppendTime: false, ...changes });
    task.step(
      new ListCursor([
        create({ timestamp: 5e6 }),
        create({ offset: 1, timestamp: 1e6 }),
        create({ offset: 2, timestamp: -1 }),
      ]),
      10,
      500_000,
    );
    expect(task.cut(context).deadLetters.map(({ reason }) => reason)).toEqual(['bad-timestamp', 'bad-timestamp']);
    expect(task.clock.now).toBe(560_000);
  });

  test('[C6] a record of the other timestamp type stops the partition, unless it is of before the first of its own', () => {
    const former = { logAppendTime: false, timestamp: 9_000 };
    expect(stepAll(begun(), record(former))).toEqual({ kind: 'wrongTimestampType', offset: 0, hasBegun: false });
    const task = begun();
    task.allowFormerType(5);
    const own = record({ offset: 3, timestamp: 7_000 });
    const history = [record(former), record({ ...former, offset: 1, value: 'x' }), record({ ...former, offset: 2 })];
    expect(stepAll(task, ...history, own, record({ ...former, offset: 4 }))).toEqual({
      kind: 'wrongTimestampType',
      offset: 4,
      hasBegun: true,
    });
    expect(task.counters).toMatchObject({ formerTypeRecords: 3, sessionsOpened: 1, deadLetters: 0 });
    expect(task.clock.now).toBe(7_000);
    expect(task.input.position).toBe(4);
  });

  test('[C6] what comes of the other timestamp type after the start is not taken for history', () => {
    const task = begun();
    task.allowFormerType(1);
    const outcome = stepAll(task, record({ logAppendTime: false }), record({ offset: 1, logAppendTime: false }));
    expect(outcome).toEqual({ kind: 'wrongTimestampType', offset: 1, hasBegun: false });
  });

  test('[S7] a shorter timeout brings the close nearer than the timer that was armed', () => {
    let timeoutMs = 1_000;
    const decode = (
      _b: Uint8Array,
      _s: number,
      _l: number,
      target: { timeoutMs: number | undefined },
    ): { kind: 'event' } => {
      target.timeoutMs = timeoutMs;
      return { kind: 'event' };
    };
    const task = begun({ decoder: { decode, prepare: () => Promise.resolve() } });
    stepAll(task, record({ timestamp: 5_000, value: 'x' }));
    timeoutMs = 50;
    stepAll(
      task,
      record({ offset: 1, timestamp: 5_010, value: 'x' }),
      record({ offset: 2, timestamp: 5_060, key: 'other' }),
    );
    expect(drain(task).map(shown)).toEqual(['k 0-0 TIMEOUT 2 0..1 5060']);
  });

  test('[S7] another configured timeout takes effect from the next activity of each session', () => {
    const task = begun();
    stepAll(task, record({ timestamp: 5_000 }), record({ offset: 1, timestamp: 5_000, key: 'idle' }));
    const cut = task.cut(context);
    const changed = new PartitionTask(options({ rules: { ...options().rules, timeoutMs: 200 } }));
    const restoration = new Restoration(changed.table, changed.changelog, changed.checkpoints);
    cut.blocks.forEach((block, i) => applyBlock(restoration, block.bytes, i));
    expect(restoration.finish()).toBeUndefined();
    begin(changed, 5_000, cut.header.inputs[0]!);
    stepAll(changed, record({ offset: 2, timestamp: 5_100 }), record({ offset: 3, timestamp: 5_900, key: 'other' }));
    expect(drain(changed).map(shown)).toEqual(['k 0-0 TIMEOUT 2 0..2 5300']);
  });

  test('stepping stops at its bounds and goes on after the cut', () => {
    const task = begun({ pendingChangesMax: 2 });
    const cursor = new ListCursor(['a', 'b', 'c'].map((key, offset) => record({ key, offset, timestamp: 5_000 })));
    expect(task.step(cursor, 1, WALL).kind).toBe('limit');
    expect(task.step(cursor, 10, WALL).kind).toBe('full');
    task.settle(task.cut(context), [0]);
    expect(task.step(cursor, 10, WALL).kind).toBe('exhausted');
    expect(task.liveEntries).toBe(3);
  });
});

describe('looking ahead', () => {
  test('a cursor handed over in the middle of a group is read as any other', () => {
    const keys = ['a', 'b', 'a', 'c', 'b'];
    const task = begun();
    const cursor = new ListCursor(
      keys.map((key, offset) => record({ key, offset, timestamp: 5_000 })),
      KEY_GROUP_MAX,
    );
    cursor.next();
    cursor.next();
    expect(task.step(cursor, 100, WALL).kind).toBe('exhausted');
    expect(task.liveEntries).toBe(3);
    expect(task.counters.recordsRead).toBe(3);
  });

  test('null keys in a group are none to look for', () => {
    const task = begun();
    const records = [null, 'a', null].map((key, offset) => record({ key, offset, timestamp: 5_000 }));
    expect(task.step(new ListCursor(records, 3), 100, WALL).kind).toBe('exhausted');
    expect(task.counters).toMatchObject({ heartbeats: 1, deadLetters: 2 });
  });

  test('[X6] a step takes no more records than it may, heartbeats of one batch too', () => {
    const task = begun();
    const records = Array.from({ length: 20 }, (_, offset) => ({
      offset,
      timestamp: 1,
      key: `k${offset % 3}`,
      value: '',
    }));
    const cursor = new ListCursor(records, 16);
    expect([5, 6, 100].map((limit) => [task.step(cursor, limit, WALL).kind, task.input.position])).toEqual([
      ['limit', 5],
      ['limit', 11],
      ['exhausted', 20],
    ]);
    expect(task.counters).toMatchObject({ recordsRead: 20, heartbeats: 20, sessionsOpened: 3 });
  });
});
