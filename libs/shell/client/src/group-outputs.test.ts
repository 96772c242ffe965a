// A consumer of a group whose answers are the test's: expelled, given back, nowhere yet.
import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import type { RegisteredSchema, SchemaRegistry } from '@flatline/records';
import { type Assignment, INCARNATION_HEADER, type MembershipListener } from '@flatline/ports';
import { type Given, GroupOutputs } from './group-outputs.ts';
import { outputKinds } from './output-kinds.ts';
import type { SummaryRecord, UnreadableRecord } from './output-record.ts';
import { summaryJson } from './summary.fixture.ts';

const TOPIC = 'closed';
const utf8 = new TextEncoder();
/** A value in Avro, of the schema 1. */
const IN_AVRO = '\u0000\u0000\u0000\u0000\u0001x';

/** Knows the schema 1, which is none of ours, from the `knownAt`th question on. */
class LateRegistry implements SchemaRegistry {
  readonly name = 'registry';
  asked = 0;
  readonly #knownAt: number;
  constructor(knownAt: number) {
    this.#knownAt = knownAt;
  }
  schemaById(): Promise<RegisteredSchema | undefined> {
    this.asked += 1;
    return Promise.resolve(this.asked < this.#knownAt ? undefined : { schemaType: 'PROTOBUF', schema: '' });
  }
  schemaId(): Promise<number> {
    return Promise.reject(new Error('not asked'));
  }
  check(): Promise<void> {
    return Promise.resolve();
  }
}

/** One consumer of one partition, in which each session has one record. */
class World {
  readonly simulation = new Simulation({ seed: 1 });
  readonly committed: number[] = [];
  readonly passedOver: string[] = [];
  readonly delays: string[] = [];
  readonly ending = new AbortController();
  readonly sessions: AsyncGenerator<Given<SummaryRecord>, void>;
  listener: MembershipListener | undefined;
  /** Where the group stands, or begins. */
  start = 0;
  /** Answers given before that one, in order. */
  readonly formerStarts: number[] = [];
  logStart = 0;

  constructor(registry?: SchemaRegistry, onUnreadable?: (record: UnreadableRecord) => void) {
    const { ports } = this.simulation.start('a');
    this.simulation.log.createTopic(TOPIC, { partitions: 1 });
    const { clock, reader } = ports;
    this.sessions = new GroupOutputs({
      clock,
      topic: TOPIC,
      reader,
      kind: outputKinds({ format: 'auto', registry, clock }).session,
      membership: {
        start: (listener) => {
          this.listener = listener;
          return Promise.resolve();
        },
        commit: (_topic, offsets) => {
          this.committed.push(offsets.get(0)!);
          return Promise.resolve(true);
        },
        leave: () => Promise.resolve(),
      },
      startOf: () => Promise.resolve(this.formerStarts.shift() ?? this.start),
      logStartOf: () => Promise.resolve(this.logStart),
      commitIntervalMs: 1_000,
      signal: this.ending.signal,
      onUnreadable,
      onReceipt: undefined,
      onDelayed: ({ message }) => {
        this.delays.push(message);
      },
      onPassedOver: ({ partition, offset, reason }) => {
        this.passedOver.push(`${partition}-${offset} ${reason}`);
      },
    }).iterate();
  }

  async close(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const record = { key: utf8.encode(name), value: summaryJson(name, `0-${name}`, 0) };
      void this.simulation.log.produceAcked(TOPIC, 0, [record]);
      await this.simulation.time.runFor(100);
    }
  }

  assign(generation: number): void {
    const assignment: Assignment = { generation, memberId: 'a', partitions: [0] };
    this.listener!.assigned(assignment);
  }

  /** The offset of the session that is given next, and the one before is handled. */
  async next(): Promise<number> {
    const given = this.sessions.next();
    await this.simulation.time.runFor(500);
    return (await given).value!.output.offset;
  }
}

describe('a consumer of a group', () => {
  test('CS1: begins where the group stands, which is committed before anything was handled', async () => {
    const world = new World();
    await world.close(['a', 'b', 'c']);
    world.start = 3;
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(3_000);
    expect(world.committed).toEqual([3]);
    await world.close(['d']);
    expect((await given).value).toMatchObject({ output: { offset: 3 } });
  });

  test('CS1: goes on from where the group stands once it was taken for gone, and commits nothing below', async () => {
    const world = new World();
    await world.close(['a', 'b', 'c', 'd', 'e']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(500);
    expect((await given).value).toMatchObject({ output: { offset: 0 } });
    expect(await world.next()).toBe(1);
    await world.simulation.time.runFor(2_000);
    expect(world.committed.at(-1)).toBe(1);
    world.listener!.lost('expelled');
    world.start = 4;
    world.assign(3);
    expect(await world.next()).toBe(4);
    await world.simulation.time.runFor(2_000);
    expect(world.committed.at(-1)).toBe(4);
  });

  test('CS1: goes on where the log begins, where retention has overtaken it', async () => {
    const world = new World();
    await world.close(['a', 'b', 'c', 'd', 'e']);
    world.simulation.log.partition(TOPIC, 0).truncateBelow(3);
    world.formerStarts.push(1);
    [world.start, world.logStart] = [3, 3];
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(5_000);
    expect((await given).value).toMatchObject({ output: { offset: 3 } });
    expect(await world.next()).toBe(4);
    await world.simulation.time.runFor(2_000);
    expect(world.committed.at(-1)).toBe(4);
  });

  test('CS1: ends where its partition cannot be read for another reason', async () => {
    const world = new World();
    await world.close(['a']);
    world.formerStarts.push(7);
    const given = world.sessions.next();
    given.catch(() => undefined);
    world.assign(1);
    await world.simulation.time.runFor(5_000);
    await expect(given).rejects.toThrow('does not hold offset 7');
  });

  test('[I4] a topic that begins with no summary at all is refused, and the output topic asked for', async () => {
    const world = new World();
    for (let at = 0; at < 12; at += 1)
      world.simulation.log.produce(TOPIC, 0, { key: 'k', value: at % 2 === 0 ? '' : '{"type":"VIEW"}' });
    const given = world.sessions.next();
    given.catch(() => undefined);
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    await expect(given).rejects.toThrow(
      /^the first 10 records of topic closed are no summaries of sessions \(the last is at 0-9, .*\): give the output topic/,
    );
  });

  test('[I4] so is one of another kind, whose tombstones look alike', async () => {
    const world = new World();
    const headers = [{ name: INCARNATION_HEADER, value: utf8.encode('0-1') }];
    for (let at = 0; at < 12; at += 1)
      world.simulation.log.produce(
        TOPIC,
        0,
        { key: 'k', value: '{"leaseId":"k"}' },
        { key: 'k', value: null, headers },
      );
    const given = world.sessions.next();
    given.catch(() => undefined);
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    await expect(given).rejects.toThrow(/^the first 10 records .* are no summaries of sessions .*missing-field/);
  });

  test('[I4] a topic that is refused leaves the group where it stood, however often it is tried', async () => {
    for (let start = 0; start < 3; start += 1) {
      const world = new World();
      for (let at = 0; at < 40; at += 1) world.simulation.log.produce(TOPIC, 0, { key: 'k', value: '{"type":"VIEW"}' });
      world.start = 4;
      const given = world.sessions.next();
      given.catch(() => undefined);
      world.assign(1);
      await world.simulation.time.runFor(5_000);
      await expect(given).rejects.toThrow('the first 10 records of topic closed');
      expect(world.committed.at(-1)).toBe(4);
    }
  });

  test('[I4] so does one of which not enough was seen yet; and once it is the right one, what was passed over is committed', async () => {
    const world = new World();
    for (let at = 0; at < 9; at += 1) world.simulation.log.produce(TOPIC, 0, { key: 'k', value: '{"type":"VIEW"}' });
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(5_000);
    expect([world.passedOver.length, world.committed.at(-1)]).toEqual([9, 0]);
    await world.close(['a']);
    expect((await given).value).toMatchObject({ output: { offset: 9 } });
    await world.simulation.time.runFor(2_000);
    expect(world.committed.at(-1)).toBe(9);
  });

  test('[I4] records that are read again after a rebalance count once', async () => {
    const world = new World();
    for (let at = 0; at < 7; at += 1) world.simulation.log.produce(TOPIC, 0, { key: 'k', value: '{"type":"VIEW"}' });
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    world.listener!.lost('expelled');
    world.assign(2);
    await world.simulation.time.runFor(2_000);
    expect([world.passedOver.length, world.committed.at(-1)]).toEqual([14, 0]);
    await world.close(['a']);
    expect((await given).value).toMatchObject({ output: { offset: 7 } });
  });

  test('[I4] what is in Avro is not passed over for want of a registry', async () => {
    const world = new World();
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    const given = world.sessions.next();
    given.catch(() => undefined);
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    await expect(given).rejects.toThrow('topic closed is written in Avro (at 0-0): give connect a schemaRegistryUrl');
    expect(world.committed).toEqual([0]);
  });

  test('a registry that is away for a while ends nothing, and nothing is passed over', async () => {
    let asked = 0;
    const world = new World({
      name: 'registry',
      schemaById: () => {
        asked += 1;
        if (asked < 4) return Promise.reject(new Retriable('the registry is away.'));
        return Promise.resolve({ schemaType: 'PROTOBUF', schema: '' });
      },
      schemaId: () => Promise.reject(new Error('not asked')),
      check: () => Promise.resolve(),
    });
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    await world.close(['b']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    expect([world.delays, world.passedOver]).toEqual([Array(2).fill('the registry is away.'), []]);
    await world.simulation.time.runFor(3_000);
    expect((await given).value).toMatchObject({ output: { offset: 1 } });
    expect([world.delays.length, world.passedOver]).toEqual([3, ['0-0 incompatible-schema']]);
  });

  test('[I4] a schema that the registry does not know yet is waited for, and nothing is passed over', async () => {
    const registry = new LateRegistry(4);
    const world = new World(registry);
    await world.close(['a']);
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    await world.close(['b']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(500);
    expect((await given).value).toMatchObject({ output: { offset: 0 } });
    const next = world.sessions.next();
    await world.simulation.time.runFor(10_000);
    expect([registry.asked, world.passedOver, world.committed.at(-1)]).toEqual([2, [], 1]);
    expect(world.delays[0]).toMatch(
      /^the schema registry at registry does not know the schema id 1 \(closed-0-1\)\. .* 10 minutes at most/,
    );
    await world.simulation.time.runFor(60_000);
    expect((await next).value).toMatchObject({ output: { offset: 2 } });
    expect([registry.asked, world.passedOver]).toEqual([4, ['0-1 incompatible-schema']]);
  });

  test('[I4] one that it never knows ends the reading where no one is told, and the group stands before it', async () => {
    const registry = new LateRegistry(Infinity);
    const world = new World(registry);
    await world.close(['a']);
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(500);
    await given;
    const next = world.sessions.next();
    next.catch(() => undefined);
    await world.simulation.time.runFor(590_000);
    expect(world.delays.length).toBeGreaterThan(20);
    await world.simulation.time.runFor(60_000);
    await expect(next).rejects.toThrow(/^the schema registry at registry does not know .*closed-0-1.*onUnreadable/);
    expect([registry.asked < 40, world.passedOver, world.committed.at(-1)]).toEqual([true, [], 1]);
  });

  test('[I4] where someone is told, it is passed over then, as what is malformed is at once', async () => {
    const told: string[] = [];
    const world = new World(new LateRegistry(Infinity), ({ offset, reason }) => told.push(`${offset} ${reason}`));
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: '\u0000\u007f' });
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    await world.close(['b']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(590_000);
    expect(told).toEqual(['0 invalid-avro']);
    await world.simulation.time.runFor(60_000);
    expect((await given).value).toMatchObject({ output: { offset: 2 } });
    expect(told).toEqual(['0 invalid-avro', '1 unknown-schema-id']);
  });

  test('[I4] the next of the same schema is waited for as long: the registry may know it by then', async () => {
    const told: number[] = [];
    const world = new World(new LateRegistry(Infinity), ({ offset }) => told.push(offset));
    for (const key of ['k', 'l']) world.simulation.log.produce(TOPIC, 0, { key, value: IN_AVRO });
    void world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(700_000);
    expect(told).toEqual([0]);
    await world.simulation.time.runFor(600_000);
    expect(told).toEqual([0, 1]);
    world.ending.abort();
    await world.simulation.time.runFor(100);
  });

  test('[I4] an id that no registry gives is waited for by no one', async () => {
    const registry = new LateRegistry(Infinity);
    const world = new World(registry);
    const value = Uint8Array.of(0, 0xff, 0, 0, 1, 0);
    void world.simulation.log.produceAcked(TOPIC, 0, [{ key: utf8.encode('k'), value }]);
    await world.simulation.time.runFor(100);
    await world.close(['b']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(500);
    expect((await given).value).toMatchObject({ output: { offset: 1 } });
    expect([registry.asked, world.passedOver]).toEqual([0, ['0-0 unknown-schema-id']]);
  });

  test('[I4] a partition that moves away asks the registry no more', async () => {
    const registry = new LateRegistry(Infinity);
    const world = new World(registry);
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    void world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    world.listener!.assigned({ generation: 2, memberId: 'a', partitions: [] });
    await world.simulation.time.runFor(600_000);
    expect([registry.asked, world.delays.length < 4]).toEqual([1, true]);
    world.ending.abort();
    await world.simulation.time.runFor(100);
  });

  test('an end does not wait for a registry that is away', async () => {
    const world = new World({
      name: 'registry',
      schemaById: () => Promise.reject(new Retriable('the registry is away.')),
      schemaId: () => Promise.reject(new Error('not asked')),
      check: () => Promise.resolve(),
    });
    world.simulation.log.produce(TOPIC, 0, { key: 'k', value: IN_AVRO });
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(2_000);
    world.ending.abort();
    await world.simulation.time.runFor(100);
    expect(await given).toEqual({ done: true, value: undefined });
    expect(world.committed.at(-1)).toBe(0);
  });

  test('[I4] one summary among the first says that it is the right one', async () => {
    const world = new World();
    await world.close(['a']);
    for (let at = 0; at < 12; at += 1) world.simulation.log.produce(TOPIC, 0, { key: 'k', value: '' });
    await world.close(['b']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(500);
    await given;
    expect(await world.next()).toBe(13);
    expect(world.passedOver).toHaveLength(12);
    expect(world.passedOver[0]).toBe('0-1 empty-value');
  });

  test('CS1: keeps what it has where only the coordinator was away', async () => {
    const world = new World();
    await world.close(['a', 'b', 'c']);
    const given = world.sessions.next();
    world.assign(1);
    await world.simulation.time.runFor(500);
    await given;
    world.listener!.lost('the coordinator has not answered');
    world.assign(1);
    expect(await world.next()).toBe(1);
    expect(await world.next()).toBe(2);
  });
});
