import { describe, expect, test } from '@jest/globals';
import { Fenced, Retriable } from '@flatline/base';
import { calm, rough, Simulation, type HostPorts, type SimulatedHost } from './index.ts';
import { committedValues, taken, text, writing } from './reading.fixture.ts';

/** Reaction of a copier that does not know the outcome of its commit. */
type Doubt = 'looks' | 'sendsAgain';

/** A process that copies the input to the output, one transaction per record, for as long as it lives. */
function startCopier(simulation: Simulation, name: string, doubt: Doubt): SimulatedHost {
  const { host, ports } = simulation.start(name);
  void copy(ports, doubt);
  return host;
}

async function copy(ports: HostPorts, doubt: Doubt): Promise<void> {
  const state = { position: undefined as number | undefined };
  for (;;) {
    try {
      await copyUntilError(ports, state);
    } catch (error) {
      if (doubt === 'looks') state.position = undefined;
      // Both mean the same to this process: start over from the committed records.
      if (!(error instanceof Fenced || error instanceof Retriable)) throw error;
      await new Promise<void>((resolve) => ports.clock.after(error instanceof Fenced ? 3_000 : 100, resolve));
    }
  }
}

/** `state.position`: everything below is known to be copied; undefined: find out. */
async function copyUntilError(ports: HostPorts, state: { position: number | undefined }): Promise<void> {
  const { reader, writers, clock, admin } = ports;
  const writer = await writers.open('copier');
  const place = { topic: 'in', partition: 0 };
  state.position ??= (await admin.committedOffset('copier', place))?.offset ?? 0;
  const subscription = reader.subscribe(place, state.position);
  for (;;) {
    for (const { offset, value } of taken(subscription)) {
      const offsets = [{ group: 'copier', ...place, offset: offset + 1, metadata: '' }];
      await writer.commit({ ...writing('out', value), offsets });
      state.position = offset + 1;
    }
    if (subscription.failure !== undefined) throw subscription.failure;
    await new Promise<void>((resolve) => clock.after(100, resolve));
  }
}

/** Real time is asserted nowhere: a loaded machine may take many times the two seconds that these need. */
const PATIENCE_MS = 120_000;

interface Run {
  readonly simulation: Simulation;
  readonly copied: string[];
  readonly wanted: string[];
}

/** Two copiers that fence each other, crashes, pauses, changes of leader; then calm. Returns the content of the output. */
async function run(seed: number, doubt: Doubt = 'looks'): Promise<Run> {
  const simulation = new Simulation({ seed, rates: { ...rough, requestCrash: 0.002 } });
  const { log, time } = simulation;
  log.createTopic('in', { partitions: 1 });
  log.createTopic('out', { partitions: 1 });
  const random = simulation.random('storm');
  const hosts = new Map(['a', 'b'].map((name) => [name, startCopier(simulation, name, doubt)]));
  const wanted = Array.from({ length: 40 }, (_, index) => `v${index}`);
  for (const value of wanted) {
    log.produce('in', 0, { value });
    const [name, host] = [...hosts][random.below(2)]!;
    if (random.chance(0.1)) host.kill();
    if (random.chance(0.1)) host.pause();
    if (random.chance(0.3)) host.resume();
    if (random.chance(0.05)) log.partition('out', 0).changeLeader();
    if (!host.alive) hosts.set(name, startCopier(simulation, name, doubt));
    await time.runFor(random.below(2_000));
    const input = log.partition('in', 0);
    // Only when all is replicated: this workload does not resend records that an election removed.
    if (random.chance(0.1) && input.ends().highWatermark === input.logEnd) {
      input.changeLeader({ deposedForMs: random.below(3_000) });
    }
  }
  simulation.faults.setRates(calm);
  for (const [name, host] of hosts) if (!host.alive) startCopier(simulation, name, doubt);
  for (const host of hosts.values()) host.resume();
  await time.runFor(60_000);
  return { simulation, copied: committedValues(log, 'out'), wanted };
}

describe('a simulated world', () => {
  test(
    'the same seed gives the same run, event by event; another seed another',
    async () => {
      const first = await run(7);
      const again = await run(7);
      const other = await run(8);
      expect(again.simulation.trace.hash).toBe(first.simulation.trace.hash);
      expect(again.simulation.faults.fired()).toEqual(first.simulation.faults.fired());
      expect(other.simulation.trace.hash).not.toBe(first.simulation.trace.hash);
    },
    PATIENCE_MS,
  );

  test('seeds beyond 32 bits differ, and so do the streams of chance of one seed', () => {
    const draw = (seed: number, name: string): number => new Simulation({ seed }).random(name).below(2 ** 32);
    const drawn = [draw(1, 'a'), draw(1, 'b'), draw(2, 'a'), draw(1 + 2 ** 32, 'a'), draw(1 + 2 ** 33, 'a')];
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(draw(1 + 2 ** 33, 'a')).toBe(drawn[4]);
  });

  test(
    '[O1] a careful process copies exactly once through every fault (seeds 1 to 15)',
    async () => {
      const fired = new Map<string, number>();
      for (let seed = 1; seed <= 15; seed += 1) {
        const { simulation, copied, wanted } = await run(seed);
        expect({ seed, copied }).toEqual({ seed, copied: wanted });
        for (const [what, count] of simulation.faults.fired()) fired.set(what, (fired.get(what) ?? 0) + count);
      }
      // V12: a fault that never happened was not survived.
      for (const what of [
        'EndTxn/answerDropped',
        'transaction/abort',
        'initAbortsOpenTransaction',
        'deposedLeaderAnswers',
      ]) {
        expect({ what, count: fired.get(what) ?? 0 }).not.toEqual({ what, count: 0 });
      }
    },
    PATIENCE_MS,
  );

  test(
    '[F2] a process that sends again what it is in doubt about does not: the faults bite',
    async () => {
      let wrong = 0;
      for (let seed = 1; seed <= 5; seed += 1) {
        const { copied, wanted } = await run(seed, 'sendsAgain');
        if (copied.join() !== wanted.join()) wrong += 1;
      }
      expect(wrong).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  test('true time begins where it is told and goes with virtual time', async () => {
    const simulation = new Simulation({ seed: 1, startMs: 5_000 });
    simulation.log.createTopic('in', { partitions: 1 });
    await simulation.time.runFor(250);
    simulation.log.produce('in', 0, { value: 'x' });
    await simulation.time.runFor(10);
    expect(simulation.trueMs()).toBe(5_260);
    expect(simulation.log.committed('in', 0).map(({ timestamp, value }) => `${timestamp} ${text(value)}`)).toEqual([
      '5250 x',
    ]);
  });
});
