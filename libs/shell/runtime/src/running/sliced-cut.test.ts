import { expect, test } from '@jest/globals';
import { TASK_BOUNDS } from '../instance/limits.ts';
import { INPUT, type Process, World } from '../world.fixture.ts';

const SESSIONS = 2_000;
const SLICES = 50;
/** With so short a key an image has 22 bytes. */
const bounds = { ...TASK_BOUNDS, cutSliceBytes: (SESSIONS * 22) / SLICES };

test('[K1] a large cut is made in slices: other tasks have their turns in between, and its own reads nothing until then', async () => {
  const processes: Process[] = [];
  const seen = { turns: 0, own: 0, other: 0 };
  let before = { own: 0, other: 0, cutting: false };
  const onTurn = (): void => {
    const [own, other] = processes[0]?.instance.status() ?? [];
    if (own?.counters === undefined || other?.counters === undefined) return;
    const now = { own: own.counters.heartbeats, other: other.counters.heartbeats };
    const cutting = now.own >= SESSIONS && (own.committedPosition ?? 0) < SESSIONS;
    // The turn that has begun the commit is not between two of its slices.
    if (cutting && before.cutting) {
      seen.turns += 1;
      seen.own += now.own - before.own;
      seen.other += now.other - before.other;
    }
    before = { ...now, cutting };
  };
  const world = new World({ seed: 61, partitions: 2, timeoutMs: 60_000, bounds, onTurn });
  const { time, log } = world.simulation;
  world.turnMs = 10;
  const process = world.launch('a');
  processes.push(process);
  await time.runFor(3_000);
  log.produce(INPUT, 0, ...Array.from({ length: SESSIONS }, (_, i) => ({ key: `d${i}`, value: '' })));
  for (let i = 0; i < 100; i += 1) {
    log.produce(INPUT, 0, { key: `d${i}`, value: '' });
    log.produce(INPUT, 1, { key: 'steady', value: '' });
    await time.runFor(10);
  }
  expect(seen.turns).toBeGreaterThan(SLICES);
  expect(seen.other).toBeGreaterThan(SLICES / 2);
  expect(seen.own).toBe(0);
  await time.runFor(3_000);
  expect(process.instance.status()).toMatchObject([{ lag: 0, liveEntries: SESSIONS }, { lag: 0 }]);
  expect(process.failures).toEqual([]);
  await time.runFor(120_000);
  expect(world.closed()).toEqual(world.expected());
  expect(world.closed()).toHaveLength(SESSIONS + 1);
});
