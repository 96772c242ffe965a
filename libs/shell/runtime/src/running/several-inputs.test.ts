// A pipeline that reads several inputs as one, in a simulated cluster.
import { describe, expect, test } from '@jest/globals';
import { calm, rough } from '@flatline/cluster';
import { firstPlaceOf } from '@flatline/kinds';
import { decodeBlock } from '@flatline/partition';
import { inputRecord } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { resetEvent, type SessionEvent } from '@flatline/ports/formats';
import { CHANGELOG, DEAD_LETTERS, INPUT, OUTPUT, type Process, World, type WorldInput } from '../world.fixture.ts';

const STREAM = { topic: 'stream', touches: true, unknownKey: 'open', holdMs: 0 } as const;
const TABLE = { topic: 'table', touches: false, unknownKey: 'hold', holdMs: 3_600_000 } as const;
const utf8 = new TextDecoder();

/** Lines of the closes that the logs of inputs that are all activity ask for, but for the last offset. */
function expectedOf(world: World): string[] {
  const topics = [INPUT, ...world.furtherInputs.map(({ topic }) => topic)];
  const { input, heldTime = { unheardMs: 0, maxHoldMs: 0 } } = world.settings('');
  const { timestampType, maxKeyBytes } = input;
  const rules = { kind: 'session', ...world.rules, ...heldTime, timestampType, maxKeyBytes } as const;
  const event = { type: 'HEARTBEAT', occurredAt: undefined, eventId: undefined, sequence: undefined } as const;
  const blank = { ...event, timeoutMs: undefined, attributes: undefined };
  return Array.from({ length: world.partitions }, (_, partition) => {
    const logs = topics.flatMap((topic, number) => {
      let clock = 0;
      return world.simulation.log.committed(topic, partition).map((record) => {
        clock = Math.max(clock, record.timestamp);
        return { ...record, offset: firstPlaceOf(number) + record.offset, clock, number };
      });
    });
    const merged = logs.sort((a, b) => a.clock - b.clock || a.number - b.number || a.offset - b.offset);
    const records = merged.map((record) => inputRecord(record, () => blank));
    return foldInput(records, { partition, rules, closesAll: true }).summaries.map((summary) => {
      const [key, reason, count] = ['sessionId', 'reason', 'eventCount'].map((name) => String(summary[name]));
      return `${key} ${summary.incarnation} ${reason} ${count} ${String(summary['closedAt'])}`;
    });
  })
    .flat()
    .sort();
}

/** Without offsets: those of a session are of its first input. */
const closedOf = (world: World): string[] => world.closed().map((line) => line.replace(/ \d+\.\.\d+ /, ' '));

function clockRecordsOf(world: World, topic: string): number {
  return world.simulation.log.committed(topic, 0).filter(({ key }) => key === null).length;
}

const SEEDS = Number(process.env['SEEDS'] ?? 6);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

async function storm(seed: number, timestampType: 'LogAppendTime' | 'CreateTime'): Promise<World> {
  const furtherInputs = [STREAM, { ...STREAM, topic: 'more' }];
  const rates = { ...rough, requestCrash: 0.001, writeCrash: 0.002 };
  const world = new World({ seed, rates, furtherInputs, timestampType });
  const { time, faults, log } = world.simulation;
  const random = world.simulation.random('storm');
  const processes = new Map<string, Process>();
  for (const name of ['a', 'b']) processes.set(name, world.launch(name));
  for (let round = 0; round < 50; round += 1) {
    for (let i = random.below(8); i > 0; i -= 1) {
      const key = `k${random.below(20)}`;
      const topic = [INPUT, 'stream', 'more'][random.below(3)]!;
      log.produce(topic, world.partitionOf(key), { key, value: random.chance(0.05) ? null : '' });
    }
    const [, process] = [...processes][random.below(2)]!;
    if (random.chance(0.06)) process.host.kill();
    if (random.chance(0.06)) process.host.pause();
    if (random.chance(0.3)) process.host.resume();
    for (const other of processes.values()) if (!other.host.alive) processes.set(other.name, world.launch(other.name));
    await time.runFor(random.below(1_500));
  }
  faults.setRates(calm);
  for (const process of processes.values()) process.host.resume();
  for (const process of processes.values())
    if (!process.host.alive) processes.set(process.name, world.launch(process.name));
  await time.runFor(120_000);
  return world;
}

describe('several inputs', () => {
  const seeds = Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i);
  test.each(seeds)(
    '[S8][F21][S4][O1][C5][R1] seed %i: kills and lost messages change nothing of what the logs say',
    async (seed) => {
      const world = await storm(seed, seed % 3 === 0 ? 'CreateTime' : 'LogAppendTime');
      const expected = expectedOf(world);
      expect(closedOf(world)).toEqual(expected);
      expect(expected.length).toBeGreaterThan(20);
      expect(expected.some((line) => line.split(' ')[1]!.split('-').length === 3)).toBe(true);
    },
  );

  test('[S8][C2] a silent input is asked at most once per proofIntervalMs, and only while something waits for it', async () => {
    const world = new World({ seed: 5, partitions: 1, furtherInputs: [TABLE] });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    await time.runFor(10_000);
    const asked = clockRecordsOf(world, TABLE.topic);
    for (let i = 0; i < 500; i += 1) {
      world.beat(`k${i % 10}`);
      await time.runFor(10);
    }
    // Beats come for five seconds, with 100 ms between two clock records.
    expect(clockRecordsOf(world, TABLE.topic) - asked).toBeGreaterThan(25);
    expect(clockRecordsOf(world, TABLE.topic) - asked).toBeLessThanOrEqual(51);
    await time.runFor(20_000);
    expect(closedOf(world)).toEqual(expectedOf(world));
    expect(closedOf(world)).toHaveLength(10);
    const rest = () => [clockRecordsOf(world, INPUT), clockRecordsOf(world, TABLE.topic)];
    const before = rest();
    await time.runFor(600_000);
    expect(rest()).toEqual(before);
    expect(process.failures).toEqual([]);
    expect(log.committed(OUTPUT, 0)).not.toEqual([]);
  });

  test.each(['LogAppendTime', 'CreateTime'] as const)(
    '[S8][C5][R1] a table of %s that was written long before is what each session finds, also after restarts',
    async (timestampType) => {
      const attributes = new Map<string, string>();
      const decode = (bytes: Uint8Array, start: number, length: number, event: SessionEvent): { kind: 'event' } => {
        resetEvent(event);
        event.attributes = new Map([['plan', utf8.decode(bytes.subarray(start, start + length))]]);
        return { kind: 'event' };
      };
      const world = new World({
        seed: 9,
        partitions: 1,
        furtherInputs: [TABLE],
        timestampType,
        decode,
        onEncode: ({ incarnation, attributes: found }) => attributes.set(incarnation, found.get('plan') ?? 'none'),
      });
      const { time, log } = world.simulation;
      for (let i = 0; i < 50; i += 1) log.produce(TABLE.topic, 0, { key: `k${i}`, value: `plan-${i}` });
      await time.runFor(1_800_000);
      let process = world.launch('a');
      await time.runFor(10_000);
      for (let i = 0; i < 60; i += 1) {
        world.beat(`k${i}`);
        await time.runFor(50);
        if (i % 20 !== 10) continue;
        process.host.kill();
        process = world.launch(`a${i}`);
      }
      await time.runFor(30_000);
      expect(world.closed()).toHaveLength(60);
      const found = world.closed().map((line) => `${line.split(' ')[0]} ${attributes.get(line.split(' ')[1]!)}`);
      const planned = Array.from({ length: 60 }, (_, i) => `k${i} ${i < 50 ? `plan-${i}` : 'none'}`);
      expect(found.sort()).toEqual(planned.sort());
      expect(process.failures).toEqual([]);
    },
  );

  test('[S8][C2][C4] where producers stamp, a backlog older than liveWithinMs waits for no quiet input for ever', async () => {
    const world = new World({ seed: 11, partitions: 1, furtherInputs: [STREAM], timestampType: 'CreateTime' });
    const { time, log } = world.simulation;
    log.produce(STREAM.topic, 0, { key: 'k0', value: '' });
    await time.runFor(3_600_000);
    for (let i = 0; i < 200; i += 1) {
      world.beat(`k${i % 10}`);
      await time.runFor(50);
    }
    await time.runFor(3_600_000);
    const process = world.launch('a');
    await time.runFor(10_000);
    // Its one clock record lets all of it go, and is ahead of it; what is open is as old as the last beat, and nothing
    // proves that no more of it comes.
    expect(clockRecordsOf(world, STREAM.topic)).toBe(1);
    expect(process.instance.status()).toMatchObject([{ lag: 1, liveEntries: 10 }]);
    expect(world.closed()).toHaveLength(1);
    world.beat('later');
    await time.runFor(60_000);
    expect(closedOf(world)).toEqual(expectedOf(world));
    expect(closedOf(world)).toHaveLength(12);
    expect(process.failures).toEqual([]);
  });

  test('[S8][O1][I1] a commit stands in each input, and a refused record is a letter of its topic', async () => {
    const refusing: WorldInput = { ...TABLE, unknownKey: 'deadLetter' };
    const world = new World({ seed: 7, partitions: 1, furtherInputs: [refusing] });
    const { time, log } = world.simulation;
    log.produce(TABLE.topic, 0, { key: 'stranger', value: '' });
    world.beat('anna');
    world.launch('a');
    await time.runFor(30_000);
    const [letter] = log.committed(DEAD_LETTERS, 0);
    const headers = letter!.headers.map(({ name, value }) => [name, value && utf8.decode(value)]);
    expect(headers).toContainEqual(['flatline-reason', 'unknown-key']);
    expect(headers).toContainEqual(['flatline-topic', TABLE.topic]);
    const blocks = log.committed(CHANGELOG, 0).map(({ value }) => decodeBlock(value!));
    const last = blocks.findLast((block) => block.kind === 'state');
    const ends = [INPUT, TABLE.topic].map((topic) => log.committed(topic, 0).length);
    // One of the two clock records at the end waits for the other input.
    const left = last!.header.inputs.map(({ position }, input) => ends[input]! - position);
    expect(left.reduce((sum, records) => sum + records, 0)).toBeLessThanOrEqual(1);
  });

  test('[R3] other inputs than those of the state stop the partition, and say so', async () => {
    const world = new World({ seed: 8, partitions: 1, furtherInputs: [STREAM] });
    const { time } = world.simulation;
    const first = world.launch('a');
    world.beat('anna');
    await time.runFor(10_000);
    await time.complete(first.instance.stop());
    world.furtherInputs = [];
    const second = world.launch('b');
    await time.runFor(10_000);
    expect(second.lines.join('\n')).toContain('the pipeline has 1 input (in), the last commit stands in 2');
    expect(second.instance.status()).toMatchObject([{ state: 'stopped' }]);
  });
});
