// Where an application begins on an input that was there before it: once, whatever crashes, and never anywhere else.
import { describe, expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { CHANGELOG, INPUT, type Process, World, type WorldSettings } from '../world.fixture.ts';

/** A cluster whose input holds five old sessions. */
async function withHistory(settings: Omit<WorldSettings, 'partitions'>): Promise<World> {
  const world = new World({ ...settings, partitions: 1 });
  for (let i = 0; i < 5; i += 1) world.beat(`old${i}`);
  await world.simulation.time.runFor(1_000);
  return world;
}

const keysOf = (closed: readonly string[]): string[] => closed.map((line) => line.split(' ')[0]!);

function startsIn(world: World): number[] {
  const blocks = world.simulation.log.committed(CHANGELOG, 0).map(({ value }) => decodeBlock(value!));
  return blocks.flatMap((block) => (block.kind === 'state' ? [block.header.inputs[0]!.origin] : []));
}

/** From the restart on, for longer than the dead member stays in the group. */
async function restarted(world: World): Promise<Process> {
  const process = world.launch('a');
  await world.simulation.time.runFor(25_000);
  return process;
}

describe('the first start', () => {
  test('[R3] from the latest record: what was there before is not read, and that is committed before anything is', async () => {
    const world = await withHistory({ seed: 1, startFrom: 'latest' });
    const { time } = world.simulation;
    const first = world.launch('a');
    await time.runFor(3_000);
    expect(first.instance.status()[0]).toMatchObject({ state: 'running', position: 5, committedPosition: 5 });
    // Nothing has come: were the place not recorded, the next start would choose a later one.
    first.host.kill();
    world.beat('during');
    await time.runFor(1_000);
    const second = await restarted(world);
    expect(second.instance.status()[0]).toMatchObject({ state: 'running' });
    expect(keysOf(world.closed())).toEqual(['during']);
    expect(new Set(startsIn(world))).toEqual(new Set([5]));
  });

  test('[R3] from the latest record of an empty partition: 0 is committed, too, so the next start loses nothing', async () => {
    const world = new World({ seed: 9, partitions: 1, startFrom: 'latest' });
    const { time } = world.simulation;
    const first = world.launch('a');
    await time.runFor(3_000);
    expect(first.instance.status()[0]).toMatchObject({ state: 'running', position: 0, committedPosition: 0 });
    first.host.kill();
    world.beat('during');
    await time.runFor(1_000);
    await restarted(world);
    expect(keysOf(world.closed())).toEqual(['during']);
    expect(new Set(startsIn(world))).toEqual(new Set([0]));
  });

  test('[R3] from an instant: at the first record stamped at or past it, at the end where there is none', async () => {
    const world = await withHistory({ seed: 2 });
    const { time } = world.simulation;
    world.startFrom = { timestamp: world.simulation.trueMs() };
    await time.runFor(500);
    world.beat('after');
    await time.runFor(500);
    const process = world.launch('a');
    await time.runFor(10_000);
    expect(startsIn(world)[0]).toBe(5);
    expect(keysOf(world.closed())).toEqual(['after']);
    expect(process.failures).toEqual([]);

    const later = await withHistory({ seed: 2, startFrom: { timestamp: world.simulation.trueMs() + 1e9 } });
    const { instance } = later.launch('a');
    await later.simulation.time.runFor(3_000);
    expect(instance.status()[0]).toMatchObject({ state: 'running', position: 5 });
  });

  test('[R3] a partition that has a state goes on where it stood, and says that startFrom does not count', async () => {
    const world = await withHistory({ seed: 3 });
    const { time } = world.simulation;
    const first = world.launch('a');
    await time.runFor(2_000);
    first.host.kill();
    world.beat('during');
    await time.runFor(1_000);
    world.startFrom = 'latest';
    const second = await restarted(world);
    expect(second.lines.filter((line) => line.includes('startFrom does not count'))).toHaveLength(1);
    expect(keysOf(world.closed())).toEqual(['during', 'old0', 'old1', 'old2', 'old3', 'old4']);
    expect(startsIn(world).every((start) => start === 0)).toBe(true);
  });

  test('[R3] an input recreated before anything was read of it is noticed by the batch before the start', async () => {
    const world = await withHistory({ seed: 4, startFrom: 'latest' });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    await time.runFor(3_000);
    first.host.kill();
    log.deleteTopic(INPUT);
    log.createTopic(INPUT, { partitions: 1 });
    for (let i = 0; i < 8; i += 1) world.beat(`other${i}`);
    const second = await restarted(world);
    expect(second.instance.status()[0]).toMatchObject({ state: 'stopped' });
    expect(second.instance.status()[0]!.detail).toContain('is not the log that was read');
  });
});

/** The input's history is CreateTime; then it is altered, and beats of today come. */
async function altered(seed: number): Promise<World> {
  const world = new World({ seed, partitions: 1 });
  const { time, log } = world.simulation;
  const input = log.partition(INPUT, 0);
  input.alterTimestampType('CreateTime');
  for (let i = 0; i < 5; i += 1)
    log.produce(INPUT, 0, { key: `old${i}`, value: '', timestamp: world.simulation.trueMs() });
  await time.runFor(1_000);
  input.alterTimestampType('LogAppendTime');
  return world;
}

describe('an input that had another timestamp type', () => {
  test('[C6] is adopted: its history is passed over, logged once, counted, and no dead letter', async () => {
    const world = await altered(5);
    const { time } = world.simulation;
    world.beat('new');
    const process = world.launch('a');
    await time.runFor(10_000);
    expect(keysOf(world.closed())).toEqual(['new']);
    const [status] = process.instance.status();
    expect(status).toMatchObject({ state: 'running', lag: 0, counters: { formerTypeRecords: 5, deadLetters: 0 } });
    expect(process.lines.filter((line) => line.includes('are read over'))).toHaveLength(1);
  });

  test('[C6] is adopted also where a restart falls into its history, and nothing of today has come', async () => {
    const world = await altered(6);
    const first = world.launch('a');
    await world.simulation.time.runFor(2_000);
    first.host.kill();
    const second = await restarted(world);
    expect(second.instance.status()[0]).toMatchObject({ state: 'running', position: 5, clock: 0 });
    world.beat('new');
    await world.simulation.time.runFor(10_000);
    expect(keysOf(world.closed())).toEqual(['new']);
  });

  test('[C6] stops where history goes on after its start, and is adopted by the restart that the message advises', async () => {
    const world = await altered(8);
    const { time, log } = world.simulation;
    const first = world.launch('a');
    await time.runFor(2_000);
    const input = log.partition(INPUT, 0);
    input.alterTimestampType('CreateTime');
    log.produce(INPUT, 0, { key: 'late', value: '', timestamp: world.simulation.trueMs() });
    await time.runFor(2_000);
    const [status] = first.instance.status();
    expect(status).toMatchObject({ state: 'stopped', committedPosition: 5 });
    expect(status?.detail).toContain(
      'Set input.timestampType to "CreateTime" and restart. Or, if no other application',
    );
    expect(status?.detail).toContain('set message.timestamp.type of the topic to LogAppendTime and restart');
    first.host.kill();
    input.alterTimestampType('LogAppendTime');
    const second = await restarted(world);
    expect(second.instance.status()[0]).toMatchObject({ state: 'running', position: 6, clock: 0 });
    world.beat('new');
    await time.runFor(10_000);
    expect(keysOf(world.closed())).toEqual(['new']);
  });

  test('[C6] stops where it is altered while it is read; at the change the other setting goes on, and nothing is lost', async () => {
    const world = new World({ seed: 7, partitions: 1, timeoutMs: 60_000 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    world.beat('x');
    await time.runFor(2_000);
    // Read together with what follows: it has to be committed before the partition stops.
    world.beat('y');
    log.partition(INPUT, 0).alterTimestampType('CreateTime');
    log.produce(INPUT, 0, { key: 'x', value: '', timestamp: world.simulation.trueMs() });
    await time.runFor(2_000);
    const [status] = first.instance.status();
    expect(status?.state).toBe('stopped');
    expect(status?.detail).toContain('in/0 offset 3 is of timestamp type CreateTime');
    expect(status?.detail).toContain('set input.timestampType to "CreateTime" and restart');
    expect(status?.committedPosition).toBe(3);
    first.host.kill();
    world.timestampType = 'CreateTime';
    const second = await restarted(world);
    expect(second.instance.status()[0]).toMatchObject({ state: 'running', liveEntries: 2 });
    await time.runFor(90_000);
    expect(world.closed()).toEqual([
      expect.stringMatching(/^x 0-0 TIMEOUT 2 0\.\.3 /),
      expect.stringMatching(/^y 0-2 TIMEOUT 1 /),
    ]);
  });
});
