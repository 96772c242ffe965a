// Sessions with large states, read from a backlog, on a broker that takes its time. More of them, with what the process needs of
// memory: LARGE_STATES=50000 npm test -- runtime (10 GB, the simulated logs among them).
import { expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { COMMIT_BYTES_MAX, COMMIT_TIMEOUT_SHARE, TASK_BOUNDS } from '../limits.ts';
import { CHANGELOG, INPUT, type Process, World } from '../world.fixture.ts';

const KB = 1024;
const MB = KB * KB;
const FULL = process.env['LARGE_STATES'];
const SESSIONS = Number(FULL ?? 1_000);
/** 50 000 of them fit one partition (I7). */
const STATE_BYTES = 64_000;
/** A request holds a megabyte. */
const PRODUCE_MS = 400;
const PRODUCE_TIMES = [PRODUCE_MS, PRODUCE_MS] as const;
/** The default of the writers of a simulated process. */
const TRANSACTION_TIMEOUT_MS = 10_000;

interface Commit {
  bytes: number;
  /** When its last block was appended. */
  at: number;
}

/** Commits of the changelog, in their order. */
function commitsOf(world: World): Commit[] {
  const commits = new Map<string, Commit>();
  for (const { value, timestamp } of world.simulation.log.committed(CHANGELOG, 0)) {
    const block = decodeBlock(value!);
    if (block.kind !== 'state') continue;
    const commit = commits.get(block.header.commitId) ?? { bytes: 0, at: 0 };
    commits.set(block.header.commitId, { bytes: commit.bytes + value!.length, at: timestamp });
  }
  return [...commits.values()];
}

const committed = ({ instance }: Process): number => instance.status()[0]?.committedPosition ?? 0;

test(`[O6][X6] a backlog of ${SESSIONS} sessions of 64 KB at ${PRODUCE_MS} ms a produce is committed steadily, within named bounds`, async () => {
  const world = new World({ seed: 71, partitions: 1, timeoutMs: 86_400_000, stateBytes: STATE_BYTES });
  const { time, log, faults } = world.simulation;
  const keys = Array.from({ length: SESSIONS }, (_, i) => `session-${i}`);
  for (let from = 0; from < SESSIONS; from += 100) {
    const some = keys.slice(from, from + 100);
    log.produce(INPUT, 0, ...some.map((key) => ({ key, value: '{}' })), ...some.map((key) => ({ key, value: '' })));
  }
  faults.slowProduces([...PRODUCE_TIMES]);
  const process = world.launch('a');
  const most = { heap: 0, rss: 0 };
  const limitMs = 60_000 + (2 * PRODUCE_MS * SESSIONS * STATE_BYTES) / MB;
  for (let waited = 0; waited < limitMs && committed(process) < 2 * SESSIONS; waited += 1_000) {
    await time.runFor(1_000);
    if (FULL === undefined) continue;
    const { heapUsed, rss } = globalThis.process.memoryUsage();
    most.heap = Math.max(most.heap, heapUsed);
    most.rss = Math.max(most.rss, rss);
  }
  expect(committed(process)).toBeGreaterThanOrEqual(2 * SESSIONS);
  expect(process.failures).toEqual([]);
  expect(process.lines.filter((line) => line.includes('ran out of time'))).toEqual([]);

  const commits = commitsOf(world);
  const mostBytes = Math.max(...commits.map(({ bytes }) => bytes));
  // commitBytesTotal's share of the only task; one session may come on top.
  expect(mostBytes).toBeLessThanOrEqual(COMMIT_BYTES_MAX + STATE_BYTES + KB);
  // Bytes that brokers as slow as these take in a third of a transaction's timeout, or those tried before they are known.
  const fitting = ((TRANSACTION_TIMEOUT_MS * COMMIT_TIMEOUT_SHARE) / PRODUCE_MS) * MB;
  expect(mostBytes).toBeLessThanOrEqual(Math.max(fitting, TASK_BOUNDS.commitBytesFirst) + STATE_BYTES + KB);
  const gaps = commits.slice(1).map(({ at }, i) => at - commits[i]!.at);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(TRANSACTION_TIMEOUT_MS * COMMIT_TIMEOUT_SHARE * 2);
  const { stateBytes, changelogBytes, liveBytes, liveEntries, counters } = process.instance.status()[0]!;
  expect(liveEntries).toBe(SESSIONS);
  expect(counters).toMatchObject({ stateFull: 0, deadLetters: 0 });
  expect(stateBytes).toBeLessThanOrEqual(SESSIONS * (STATE_BYTES + 256));
  expect(changelogBytes).toBeLessThanOrEqual(4 * liveBytes);
  if (FULL === undefined) return;
  const inMb = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
  globalThis.process.stdout.write(
    `${SESSIONS} sessions of 64 KB: ${commits.length} commits, the largest ${inMb(mostBytes)}, at most ${Math.max(...gaps)} ms ` +
      `apart; states ${inMb(stateBytes)}, changelog ${inMb(changelogBytes)}; heap ${inMb(most.heap)}, resident ${inMb(most.rss)}\n`,
  );
}, 600_000);
