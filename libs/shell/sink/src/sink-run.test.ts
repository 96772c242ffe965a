// Sinks of a simulated log and a table in memory, whose group says what the test says.
import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import type { Assignment, MembershipListener } from '@flatline/ports';
import type { BatchPart } from './sink-batch.ts';
import { SinkRun } from './sink-run.ts';
import type { PartitionClaim, SinkTarget, WrittenBatch } from './sink-target.ts';

const TOPIC = 'closed';
const utf8 = new TextEncoder();

/** Fences by epoch, as the database does. */
class Table {
  readonly rows: string[] = [];
  readonly #positions = new Map<number, { epoch: number; nextOffset: number }>();

  target(): SinkTarget {
    return {
      claim: (partition, startAt): Promise<PartitionClaim> => {
        const row = this.#positions.get(partition) ?? { epoch: 0, nextOffset: startAt };
        row.epoch += 1;
        this.#positions.set(partition, row);
        return Promise.resolve({ epoch: String(row.epoch), nextOffset: row.nextOffset });
      },
      write: (parts): Promise<WrittenBatch> => Promise.resolve(this.#write(parts)),
      close: () => Promise.resolve(),
    };
  }

  #write(parts: readonly BatchPart[]): WrittenBatch {
    const isHeld = ({ partition, epoch }: BatchPart): boolean =>
      String(this.#positions.get(partition)!.epoch) === epoch;
    const held = parts.filter(isHeld);
    for (const { partition, from, to, rows } of held) {
      const row = this.#positions.get(partition)!;
      if (row.nextOffset !== from) throw new Error(`stands at ${row.nextOffset}, not at ${from}`);
      row.nextOffset = to;
      this.rows.push(...rows.map(({ key }) => String(key)));
    }
    const fenced = parts.filter((part) => !isHeld(part)).map(({ partition }) => partition);
    return { rows: held.flatMap(({ rows }) => rows).length, repeated: 0, fenced };
  }
}

class World {
  readonly simulation = new Simulation({ seed: 1 });
  readonly table = new Table();
  readonly notes: string[] = [];
  /** Records whose key begins with `?` wait for it. */
  readonly registry = Promise.withResolvers<undefined>();
  logStart = 0;
  /** Answers given before that one, in order. */
  readonly formerStarts: number[] = [];

  constructor() {
    this.simulation.log.createTopic(TOPIC, { partitions: 2 });
  }

  sink(name: string): Sink {
    return new Sink(this, name);
  }

  async say(partition: number, ...keys: readonly string[]): Promise<void> {
    for (const key of keys)
      void this.simulation.log.produceAcked(TOPIC, partition, [{ key: utf8.encode(key), value: utf8.encode('x') }]);
    await this.simulation.time.runFor(2_000);
  }
}

class Sink {
  readonly ending = new AbortController();
  readonly committed: [number, number][] = [];
  readonly ended: Promise<void>;
  readonly #world: World;
  #listener: MembershipListener | undefined;
  #assignment: Assignment | undefined;

  constructor(world: World, name: string) {
    this.#world = world;
    const { clock, reader } = world.simulation.start(name).ports;
    this.ended = new SinkRun({
      clock,
      topic: TOPIC,
      reader,
      membership: {
        start: (listener) => {
          this.#listener = listener;
          return Promise.resolve();
        },
        confirm: () => Promise.resolve(this.#assignment),
        commit: (_topic, offsets) => {
          this.committed.push(...offsets);
          return Promise.resolve(true);
        },
        leave: () => Promise.resolve(),
      },
      target: world.table.target(),
      bytesMax: 1_000,
      endsOf: () => Promise.resolve({ start: world.formerStarts.shift() ?? world.logStart, end: 0 }),
      read: ({ offset, key }) => {
        const text = Buffer.from(key!).toString();
        const taken = { offset, bytes: 10, row: { key: text }, incarnation: undefined };
        return text.startsWith('?') ? world.registry.promise.then(() => taken) : taken;
      },
      signal: this.ending.signal,
      untilEnd: false,
      onWritten: () => undefined,
      onNote: (note) => {
        world.notes.push(note);
      },
    }).run();
  }

  async assign(generation: number, ...partitions: readonly number[]): Promise<void> {
    this.#assignment = { generation, memberId: 'a', partitions };
    this.#listener!.assigned(this.#assignment);
    await this.#world.simulation.time.runFor(2_000);
  }
}

describe('a sink', () => {
  test('[O7] SI2: partitions that move are gone on with, nothing is written twice or left out', async () => {
    const world = new World();
    const [a, b] = [world.sink('a'), world.sink('b')];
    await a.assign(1, 0, 1);
    await world.say(0, 'a', 'b');
    await world.say(1, 'c');
    await b.assign(2, 0);
    // Still believes that it has both: what it takes of the first is left to the other.
    await world.say(0, 'd', 'e');
    await world.say(1, 'f');
    expect(world.table.rows.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('[O7] a partition that another has claimed is claimed again only if the group says that it is ours', async () => {
    const world = new World();
    const [a, b] = [world.sink('a'), world.sink('b')];
    await a.assign(1, 0);
    await b.assign(1, 0);
    await world.say(0, 'a', 'b', 'c');
    await a.assign(2);
    await world.say(0, 'd');
    expect(world.table.rows).toEqual(['a', 'b', 'c', 'd']);
    expect(world.notes[0]).toMatch(/^partitions 0 have been claimed by another sink/);
  });

  test('[O7] where retention has removed what was not written it goes on behind that, and says so', async () => {
    const world = new World();
    const a = world.sink('a');
    await a.assign(1, 0);
    await world.say(0, 'a', 'b', 'c', 'd');
    await a.assign(2);
    world.logStart = 6;
    await world.say(0, 'e', 'f', 'g', 'h');
    await a.assign(3, 0);
    expect(world.table.rows).toEqual(['a', 'b', 'c', 'd', 'g', 'h']);
    expect(world.notes).toEqual([
      'offsets 4 to 5 of closed-0 were removed by its retention before they were written: raise retention.ms of the topic above ' +
        'the longest time that no sink runs',
    ]);
  });

  test('[O7] so it does where the log is cut while it reads, and ends where a partition cannot be read for another reason', async () => {
    const world = new World();
    await world.say(0, 'a', 'b', 'c', 'd', 'e');
    world.simulation.log.partition(TOPIC, 0).truncateBelow(3);
    world.formerStarts.push(1);
    world.logStart = 3;
    const a = world.sink('a');
    await a.assign(1, 0);
    expect(world.table.rows).toEqual(['d', 'e']);
    expect(world.notes).toHaveLength(1);
    world.simulation.log.partition(TOPIC, 0).truncateBelow(5);
    world.logStart = 7;
    const b = world.sink('b');
    const ended = b.ended.catch((error: unknown) => error);
    await b.assign(1, 0);
    await world.simulation.time.runFor(5_000);
    expect(String(await ended)).toContain('does not hold offset 7');
  });

  test('[O7] what was taken is written, and other partitions go on, while a record waits for a registry', async () => {
    const world = new World();
    await world.say(0, 'a', '?b', 'c');
    await world.say(1, 'd');
    const a = world.sink('a');
    await a.assign(1, 0, 1);
    await world.say(1, 'e');
    expect(world.table.rows.toSorted()).toEqual(['a', 'd', 'e']);
    expect(a.committed.filter(([partition]) => partition === 0).at(-1)).toEqual([0, 1]);
    world.registry.resolve(undefined);
    await world.say(1, 'f');
    expect(world.table.rows.slice(3)).toEqual(['?b', 'c', 'f']);
  });

  test('[O7] it is stopped while a record waits for a registry', async () => {
    const world = new World();
    await world.say(0, 'a', '?b');
    const a = world.sink('a');
    await a.assign(1, 0);
    a.ending.abort();
    await world.simulation.time.runFor(100);
    await a.ended;
    expect(world.table.rows).toEqual(['a']);
  });

  test('the group stands where the table does, once it is stopped', async () => {
    const world = new World();
    const a = world.sink('a');
    await a.assign(1, 0);
    await world.say(0, 'a', 'b');
    a.ending.abort();
    await world.simulation.time.runFor(100);
    await a.ended;
    expect(a.committed.at(-1)).toEqual([0, 2]);
  });
});
