// When what was restored from the changelog goes to the local store.
import { expect, test } from '@jest/globals';
import { FLUSH_INTERVAL_MS, FREQUENT_FLUSHES, type Process, World } from '../world.fixture.ts';

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

/** An instance without a store restores sessions from the changelog, and then runs; `share` is what its store may lack of the changelog. */
async function restored(share: number): Promise<Stored> {
  const processes: Process[] = [];
  let whileRestoring = 0;
  const stored = (): number => world.simulation.disk('b').file(0)?.entries.size ?? 0;
  const onTurn = (): void => {
    if (processes[0]?.instance.status()[0]?.state === 'restoring') whileRestoring = Math.max(whileRestoring, stored());
  };
  const bounds = { ...FREQUENT_FLUSHES, flushBytesTotal: share, flushBytesMin: 1, flushSlice: 10 };
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
  const stored = await restored(BLOCK_BYTES / 2);
  expect(stored).toEqual({ whileRestoring: 0, running: SESSIONS, afterCommit: SESSIONS });
});
