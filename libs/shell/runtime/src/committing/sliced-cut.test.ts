import { expect, test } from '@jest/globals';
import { TASK_BOUNDS } from '../limits.ts';
import type { PipelinePorts } from '../settings.ts';
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
    const now = { own: own.counters['heartbeats']!, other: other.counters['heartbeats']! };
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

test('TL3: records that came while a cut was made are stepped once it is made, before its commit and before any more come', async () => {
  const TURN_MS = 5;
  const FEW_SLICES = 20;
  const SLOW_MS = 800;
  const processes: Process[] = [];
  let [steppedAt, turns] = [Infinity, 0];
  const onTurn = (): void => {
    const heartbeats = processes[0]?.instance.status()[0]?.counters?.['heartbeats'] ?? 0;
    if (heartbeats > SESSIONS) turns += 1;
    if (heartbeats > 2 * SESSIONS) steppedAt = Math.min(steppedAt, time.nowMs);
  };
  const sliced = { ...TASK_BOUNDS, cutSliceBytes: (SESSIONS * 22) / FEW_SLICES };
  const world = new World({ seed: 61, partitions: 1, timeoutMs: 600_000, bounds: sliced, onTurn });
  const { time, log, faults } = world.simulation;
  world.turnMs = TURN_MS;
  processes.push(world.launch('a'));
  await time.runFor(3_000);
  const produce = (letter: string): number =>
    log.produce(INPUT, 0, ...Array.from({ length: SESSIONS }, (_, i) => ({ key: `${letter}${i}`, value: '' })));
  faults.slowProduces([SLOW_MS, SLOW_MS]);
  log.produce(INPUT, 0, { key: 'z', value: '' });
  await time.runFor(SLOW_MS + 300);
  const began = time.nowMs;
  produce('d');
  await time.runFor(60);
  produce('e');
  await time.runFor(SLOW_MS);
  expect(turns).toBeGreaterThan(0);
  // The way of the records, the slices, and some turns.
  expect(steppedAt - began).toBeLessThanOrEqual(60 + FEW_SLICES * TURN_MS + 60);
});

test('CC2: a slice of a cut ends with its turn: where everything takes longer there are more slices', async () => {
  const processes: Process[] = [];
  const [FEW_SLICES, LOOK_MS] = [20, 4];
  let [turns, spentMs, isSlow] = [0, 0, false];
  const onTurn = (): void => {
    const status = processes[0]?.instance.status()[0];
    turns += Number((status?.counters?.['heartbeats'] ?? 0) >= SESSIONS && (status?.committedPosition ?? 0) < SESSIONS);
  };
  const sliced = { ...TASK_BOUNDS, cutSliceBytes: (SESSIONS * 22) / FEW_SLICES };
  const adapt = (ports: PipelinePorts): PipelinePorts => {
    const { clock } = ports;
    // Each reading of the time is later, as if the work between two of them took that long.
    const monotonicMs = (): number => clock.monotonicMs() + (spentMs += isSlow ? LOOK_MS : 0);
    return {
      ...ports,
      clock: { ...clock, wallMs: () => clock.wallMs(), after: (ms, run) => clock.after(ms, run), monotonicMs },
    };
  };
  const world = new World({ seed: 61, partitions: 1, timeoutMs: 600_000, bounds: sliced, onTurn, adapt });
  const { time, log } = world.simulation;
  processes.push(world.launch('a'));
  await time.runFor(3_000);
  isSlow = true;
  log.produce(INPUT, 0, ...Array.from({ length: SESSIONS }, (_, i) => ({ key: `d${i}`, value: '' })));
  await time.runFor(3_000);
  expect(turns).toBeGreaterThan(1.5 * FEW_SLICES);
  expect(processes[0]!.instance.status()).toMatchObject([{ lag: 0, committedPosition: SESSIONS }]);
});
