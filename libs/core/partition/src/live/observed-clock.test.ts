// A task whose clock moves by evidence other than records (C3), against the naive fold.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import type { SessionSummary } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { closedIn, begin, fold, ListCursor, options, type TestRecord, text, workload } from '../task.fixture.ts';

const TIMEOUT_MS = 1_000;
const SEEDS = Number(process.env['SEEDS'] ?? 100);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const ids = { logId: 'log', owner: 'me', inputPartitions: 1, commitId: 'c', previousCommitId: '', sequence: 0 };

function begun(clock = 0): PartitionTask {
  const task = new PartitionTask(options());
  begin(task, clock, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  return task;
}

const shown = (s: SessionSummary): string =>
  `${text(s.key)} ${s.incarnation} ${s.reason} ${s.eventCount} ${s.firstOffset}..${s.lastOffset} ${s.closedAt}`;
const closedBy = (task: PartitionTask): string[] => closedIn(task.cut(ids)).map(shown).sort();

const beat = (offset: number, timestamp: number, key = 'k'): TestRecord => ({ offset, timestamp, key, value: '' });
const step = (task: PartitionTask, ...records: readonly TestRecord[]): void => {
  task.step(new ListCursor(records, 8), records.length + 1, 0);
};

describe('[C3] a clock moved by evidence', () => {
  test('[C3][S2] closes what is due by it, and is in the header of the commit', () => {
    const task = begun();
    step(task, beat(0, 5_000));
    task.observe(5_999);
    task.expire(10, 0);
    expect(task.changelog.pendingChanges).toBe(1);
    task.observe(6_020);
    task.expire(10, 0);
    const cut = task.cut(ids);
    expect(closedIn(cut).map(shown)).toEqual(['k 0-0 TIMEOUT 1 0..0 6000']);
    expect(cut.header.clock).toBe(6_020);
  });

  test('[C1] never goes back, whatever the evidence', () => {
    const task = begun();
    step(task, beat(0, 5_000));
    task.observe(4_000);
    task.observe(-Infinity);
    expect(task.clock.now).toBe(5_000);
    step(task, beat(1, 4_500));
    // A leader's clock that goes back overtakes no evidence: the clock was moved by a record.
    expect(task.counters.clockOvertaken).toBe(0);
  });

  test('[C3] each record stamped below evidence in use is counted, at it or past it none, restored evidence as any', () => {
    for (const task of [begun(), begun(6_000)]) {
      task.observe(6_000);
      step(
        task,
        beat(0, 5_998, 'a'),
        beat(1, 5_998, 'b'),
        beat(2, 5_999, 'a'),
        beat(3, 6_000, 'c'),
        beat(4, 7_000, 'd'),
      );
      expect(task.counters.clockOvertaken).toBe(3);
      // Stamped below the clock, not below the evidence.
      step(task, beat(5, 6_500, 'e'));
      expect(task.counters.clockOvertaken).toBe(3);
    }
  });

  test('[C3] a record that is taken again once its schema is known is counted once', () => {
    const decode = { kind: 'unknownSchema', schemaId: 7 } as const;
    const task = new PartitionTask(options({ decoder: { decode: () => decode, prepare: () => Promise.resolve() } }));
    begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
    task.observe(6_000);
    const cursor = new ListCursor([{ offset: 0, timestamp: 5_000, key: 'k', value: 'x' }]);
    for (let tries = 0; tries < 3; tries += 1) expect(task.step(cursor, 10, 0).kind).toBe('unknownSchema');
    expect(task.counters.clockOvertaken).toBe(1);
  });
});

test(`[C3][C5] ${SEEDS} seeds: evidence that no later record is stamped below changes no output`, () => {
  let moved = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
    const random = seededRandom(seed);
    const drawn = workload({ seed, keys: 12, records: 400, maxGapMs: 150 });
    // Past every deadline, since a session that is due as the log ends is closed a tick later.
    const records = [...drawn, beat(drawn.length, drawn.at(-1)!.timestamp + 2 * TIMEOUT_MS, 'last')];
    const task = begun();
    for (let at = 0; at < records.length;) {
      const count = 1 + random.below(20);
      task.step(new ListCursor(records.slice(at, at + count), 8), count + 1, 0);
      at += count;
      const room = (records[at]?.timestamp ?? task.clock.now) - task.clock.now;
      if (random.chance(0.5)) {
        task.observe(task.clock.now + random.below(room + 1));
        if (room > 1) moved += 1;
      }
      for (let slices = random.below(3); slices > 0; slices -= 1) task.expire(random.below(5), 0);
    }
    while (task.expire(100, 0));
    try {
      expect(closedBy(task)).toEqual(fold(records, TIMEOUT_MS).closed);
      expect(task.counters.clockOvertaken).toBe(0);
    } catch (error) {
      (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
      throw error;
    }
  }
  // The test would prove nothing if evidence never moved the clock.
  expect(moved).toBeGreaterThan(SEEDS);
});
