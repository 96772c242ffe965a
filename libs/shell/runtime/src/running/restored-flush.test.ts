// When what was restored from the changelog goes to the local store.
import { expect, test } from '@jest/globals';
import { FLUSH_BACKLOG_FACTOR, FLUSH_INTERVAL_MS, RESTORED_BACKLOG_FACTOR, TASK_BOUNDS } from '../instance/limits.ts';
import { CHANGELOG, type Process, World } from '../world.fixture.ts';

const COMMITS = 40;
const SESSIONS_EACH = 5;
const SESSIONS = COMMITS * SESSIONS_EACH;

/** Entries in the store. */
interface Stored {
  /** At most, before the task ran. */
  readonly whileRestoring: number;
  /** Some time later, without a commit since. */
  readonly running: number;
  /** After the next commit. */
  readonly afterCommit: number;
}

/** An instance without a store restores sessions from the changelog, and then runs; `share` is its task's of the memory for blocks. */
async function restored(share: number): Promise<Stored> {
  const processes: Process[] = [];
  let whileRestoring = 0;
  const stored = (): number => world.simulation.disk('b').file(0)?.entries.size ?? 0;
  const onTurn = (): void => {
    if (processes[0]?.instance.status()[0]?.state === 'restoring') whileRestoring = Math.max(whileRestoring, stored());
  };
  const bounds = { ...TASK_BOUNDS, flushBytesTotal: share, flushBytesMin: 1, flushSlice: 10 };
  const world = new World({ seed: 71, partitions: 1, timeoutMs: 600_000, bounds, onTurn });
  const { time } = world.simulation;
  const owner = world.launch('a');
  await time.runFor(3_000);
  for (let commit = 0; commit < COMMITS; commit += 1) {
    for (let i = 0; i < SESSIONS_EACH; i += 1) world.beat(`k${commit * SESSIONS_EACH + i}`);
    await time.runFor(150);
  }
  await time.complete(owner.instance.stop());
  owner.host.kill();
  world.turnMs = 20;
  const process = world.launch('b');
  processes.push(process);
  await time.runFor(20_000);
  expect(process.instance.status()).toMatchObject([{ state: 'running', liveEntries: SESSIONS, storesDropped: 0 }]);
  const running = stored();
  world.beat('k0');
  await time.runFor(FLUSH_INTERVAL_MS);
  expect(process.failures).toEqual([]);
  return { whileRestoring, running, afterCommit: stored() };
}

/** Bytes of all the blocks: 40 commits, each with a header. */
const BLOCK_BYTES = 10_000;

test('[R1] nothing is flushed while a task is being restored; once it runs, its store is brought up without a commit', async () => {
  const stored = await restored(BLOCK_BYTES / RESTORED_BACKLOG_FACTOR + 500);
  expect(stored).toEqual({ whileRestoring: 0, running: SESSIONS, afterCommit: SESSIONS });
});

test('[X6] but where more waits than a task is allowed it is flushed meanwhile, and never given up for being slower', async () => {
  const { whileRestoring, afterCommit } = await restored(BLOCK_BYTES / RESTORED_BACKLOG_FACTOR / 6);
  expect(whileRestoring).toBeGreaterThan(0);
  expect(afterCommit).toBe(SESSIONS);
});

test('[X6] and it is not given up for one commit that is larger than what may wait of many', async () => {
  const bounds = { ...TASK_BOUNDS, flushBytesTotal: 200, flushBytesMin: 1 };
  const world = new World({ seed: 72, partitions: 1, timeoutMs: 600_000, bounds });
  const { time, log } = world.simulation;
  const owner = world.launch('a');
  await time.runFor(3_000);
  for (let i = 0; i < SESSIONS; i += 1) world.beat(`k${i}`);
  await time.runFor(2_000);
  const largest = Math.max(...log.committed(CHANGELOG, 0).map(({ value }) => value?.length ?? 0));
  expect(largest).toBeGreaterThan(FLUSH_BACKLOG_FACTOR * bounds.flushBytesTotal);
  await time.complete(owner.instance.stop());
  owner.host.kill();
  const successor = world.launch('b');
  await time.runFor(20_000);
  expect(successor.lines).not.toContainEqual(expect.stringContaining('more waits for the local store than is kept'));
  expect(world.simulation.disk('b').file(0)?.entries.size).toBe(SESSIONS);
});
