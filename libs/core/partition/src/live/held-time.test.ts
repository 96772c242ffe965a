// A task with unheard time (C8) against a model that counts down, session by session, what is left of its timeout.
import { expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import type { SessionSummary } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration } from '../index.ts';
import { closedIn, applyBlock, begin, ListCursor, options, type TestRecord, text, workload } from '../task.fixture.ts';

const TIMEOUT_MS = 1_000;
const heldTime = { unheardMs: 200, maxHoldMs: 3_000 };
const SEEDS = Number(process.env['SEEDS'] ?? 100);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

interface Counted {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Timeout left at the clock. */
  readonly left: number;
}

/** Returns the closes that the records bring about, as `key incarnation reason count first..last closedAt`, sorted. */
function countedDown(records: readonly TestRecord[]): string[] {
  const open = new Map<string, Counted>();
  const closed: string[] = [];
  const close = (key: string, reason: string, at: number): void => {
    const { first, last, count } = open.get(key)!;
    open.delete(key);
    closed.push(`${key} 0-${first} ${reason} ${count} ${first}..${last} ${at}`);
  };
  let clock = 0;
  for (const { offset, timestamp, key, value } of records) {
    const gap = Math.max(0, timestamp - clock);
    const heard = Math.min(gap, heldTime.unheardMs);
    const held = Math.min(gap - heard, heldTime.maxHoldMs);
    for (const [each, session] of [...open]) {
      const { left } = session;
      if (left <= heard) close(each, 'TIMEOUT', clock + left);
      else if (left <= gap - held) close(each, 'TIMEOUT', clock + left + held);
      else open.set(each, { ...session, left: left - (gap - held) });
    }
    clock += gap;
    if (key === null || (value === null && !open.has(key))) continue;
    const { first, count } = open.get(key) ?? { first: offset, count: 0 };
    open.set(key, { first, last: offset, count: count + 1, left: TIMEOUT_MS });
    if (value === null) close(key, 'ENDED', clock);
  }
  return closed.sort();
}

/** Steps and expires in slices of any size, and is restored from its blocks now and then. */
class Run {
  readonly #random: ReturnType<typeof seededRandom>;
  readonly closed: SessionSummary[] = [];
  readonly #blocks: { readonly bytes: Uint8Array; readonly offset: number }[] = [];
  #sequence = 0;
  #task: PartitionTask;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#task = this.#restored();
  }

  take(records: readonly TestRecord[]): void {
    const random = this.#random;
    for (let at = 0; at < records.length;) {
      const count = 1 + random.below(20);
      const cursor = new ListCursor(records.slice(at, at + count));
      while (this.#task.step(cursor, count, 0).kind === 'due') this.#task.expire(1 + random.below(5), 0);
      at += count;
      for (let slices = random.below(3); slices > 0; slices -= 1) this.#task.expire(random.below(5), 0);
      if (random.chance(0.2)) this.commit();
      if (random.chance(0.05)) {
        this.commit();
        this.#task = this.#restored();
      }
    }
    while (this.#task.expire(100, 0));
    this.commit();
  }

  commit(): void {
    const [commitId, previousCommitId] = [`c${this.#sequence}`, this.#sequence === 0 ? '' : `c${this.#sequence - 1}`];
    const ids = { logId: 'log', owner: 'me', inputPartitions: 1, commitId, previousCommitId };
    const cut = this.#task.cut({ ...ids, sequence: this.#sequence });
    this.#sequence += 1;
    this.closed.push(...closedIn(cut));
    const offsets = cut.blocks.map(
      ({ bytes }) => this.#blocks.push({ bytes: bytes.slice(), offset: this.#blocks.length }) - 1,
    );
    this.#task.settle(cut, offsets);
  }

  #restored(): PartitionTask {
    const task = new PartitionTask(options({ heldTime, tickMs: 1 }));
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    for (const { bytes, offset } of this.#blocks) applyBlock(restoration, bytes.slice(), offset);
    if (restoration.last !== undefined) expect(restoration.finish()).toBeUndefined();
    const start = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
    begin(task, restoration.last?.clock ?? 0, restoration.last?.inputs[0] ?? start, restoration.last);
    return task;
  }
}

const shown = (s: SessionSummary): string =>
  `${text(s.key)} ${s.incarnation} ${s.reason} ${s.eventCount} ${s.firstOffset}..${s.lastOffset} ${s.closedAt}`;

test.each([1, 300])(
  '[C8][C5][S3] far more gaps than are kept, in slices of %i: who is due when two of them are joined is closed before',
  (slice) => {
    // One device falls silent; another one beats on, every time after a gap that is held.
    const gone = { offset: 0, timestamp: 1_000_000, key: 'gone', value: '' };
    const beats = Array.from({ length: 299 }, (_, i) => ({
      offset: i + 1,
      timestamp: 1_000_000 + (i + 1) * 700,
      key: 'here',
      value: '',
    }));
    const records = [gone, ...beats];
    const task = new PartitionTask(options({ heldTime, tickMs: 1 }));
    begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
    for (let at = 0; at < records.length; at += slice) {
      const cursor = new ListCursor(records.slice(at, at + slice));
      // As the runtime does it: a slice of records, then what is due.
      while (task.step(cursor, slice, 0).kind !== 'exhausted') while (task.expire(2, 0));
    }
    while (task.expire(2, 0));
    const ids = { logId: 'log', owner: 'me', inputPartitions: 1, commitId: 'c0', previousCommitId: '', sequence: 0 };
    expect(closedIn(task.cut(ids)).map(shown)).toEqual(countedDown(records));
    expect(countedDown(records)).toHaveLength(1);
  },
);

test('[C8][C5][W2] who is due within the tick is closed before two gaps are joined, too', () => {
  const rules = { unheardMs: 10, maxHoldMs: 3_000 };
  const first = 1_000_000;
  // 64 gaps, of each of which a millisecond is held, then none until `gone` is due, then another gap.
  const gaps = Array.from({ length: 65 }, (_, i) => first + i * 11);
  const due = first + TIMEOUT_MS + 64;
  const stamps = [...gaps, ...Array.from({ length: 72 }, (_, i) => gaps.at(-1)! + (i + 1) * 5), due + 11, due + 12];
  const beats = stamps.map((timestamp, i) => ({ offset: i + 1, timestamp, key: 'here', value: '' }));
  const task = new PartitionTask(options({ heldTime: rules, tickMs: 60_000 }));
  begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  const gone = { offset: 0, timestamp: first, key: 'gone', value: '' };
  const last = { offset: stamps.length + 1, timestamp: due + 60_000, key: null, value: '' };
  for (const record of [gone, ...beats, last]) {
    const cursor = new ListCursor([record]);
    while (task.step(cursor, 1, 0).kind !== 'exhausted') while (task.expire(2, 0));
    while (task.expire(2, 0));
  }
  const ids = { logId: 'log', owner: 'me', inputPartitions: 1, commitId: 'c0', previousCommitId: '', sequence: 0 };
  const closed = closedIn(task.cut(ids)).map(({ key, closedAt }) => `${text(key)} ${closedAt}`);
  expect(closed).toContain(`gone ${due}`);
});

test.each([1, 1_000])('[C8][C5] in slices of %i: what is due and not closed yet makes no gap count', (slice) => {
  const rules = { unheardMs: 10, maxHoldMs: 3_000 };
  const times = (count: number, each: (i: number) => TestRecord): TestRecord[] =>
    Array.from({ length: count }, (_, i) => each(i));
  const first = 1_000_000;
  const due = first + TIMEOUT_MS;
  // None lives in the first gap, so the other 64 are all that are held, and no two of them are joined.
  const begun = due + 500;
  const beats = [
    ...times(20, (i) => beat('here', begun + 5 * i)),
    ...times(64, (i) => beat('here', begun + 106 + 11 * i)),
  ];
  const end = beats.at(-1)!.timestamp;
  const clocks = times(TIMEOUT_MS / 10, (i) => beat(null, first + 10 * (i + 1)));
  const rest = times(60, (i) => beat('here', end + 10 * (i + 1)));
  const all = [beat('before', first), ...clocks, beat('silent', begun), ...beats, ...rest];
  const records = all.map((record, offset) => ({ ...record, offset }));
  const task = new PartitionTask(options({ heldTime: rules, tickMs: 1 }));
  begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  for (let at = 0; at < records.length; at += slice) {
    const cursor = new ListCursor(records.slice(at, at + slice));
    while (task.step(cursor, slice, 0).kind !== 'exhausted') while (task.expire(2, 0));
    while (task.expire(2, 0));
  }
  const ids = { logId: 'log', owner: 'me', inputPartitions: 1, commitId: 'c0', previousCommitId: '', sequence: 0 };
  const closed = closedIn(task.cut(ids)).map(({ key, closedAt }) => `${text(key)} ${closedAt}`);
  expect(closed).toEqual([`before ${due}`, `silent ${begun + TIMEOUT_MS + 64}`]);
});

function beat(key: string | null, timestamp: number): TestRecord {
  return { offset: 0, timestamp, key, value: '' };
}

test(`[C8][C5][R1] ${SEEDS} seeds of steps, slices and restarts: what is held is taken out of every deadline`, () => {
  let heldCloses = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
    const records = workload({ seed, keys: 12, records: 400, maxGapMs: 150 });
    const run = new Run(seed);
    run.take(records);
    try {
      expect(run.closed.map(shown).sort()).toEqual(countedDown(records));
    } catch (error) {
      (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
      throw error;
    }
    for (const { deadlineAt, lastSeenAt, heldMs = 0 } of run.closed) {
      expect(deadlineAt).toBe(lastSeenAt + TIMEOUT_MS + heldMs);
      if (heldMs > 0) heldCloses += 1;
    }
  }
  // The test would prove nothing if nothing were held.
  expect(heldCloses).toBeGreaterThan(SEEDS);
});
