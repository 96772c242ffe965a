import { describe, expect, test } from '@jest/globals';
import { Fenced, PartitionStopped, Retriable } from '@flatline/base';
import type { Transaction, TransactionalWriter } from '@flatline/ports';
import { Simulation, type HostPorts, type RequestKind } from './index.ts';
import { bytes, committedValues, text, writing } from './reading.fixture.ts';

const ID = 'task-0';
const TRANSACTION_TIMEOUT_MS = 10_000;

interface World {
  readonly simulation: Simulation;
  readonly ports: HostPorts;
  readonly open: (ports?: HostPorts) => Promise<TransactionalWriter>;
  readonly committed: () => string[];
}

function world(seed = 1): World {
  const simulation = new Simulation({ seed });
  simulation.log.createTopic('out', { partitions: 2 });
  const { ports } = simulation.start('a');
  return {
    simulation,
    ports,
    open: (other = ports) => simulation.time.complete(other.writers.open(ID)),
    committed: () => committedValues(simulation.log, 'out'),
  };
}

/** Two partitions and an offset: covers every kind of request. */
const full = (value: string): Transaction => ({
  writes: [
    ...writing('out', value).writes,
    { topic: 'out', partition: 1, records: [{ key: null, value: bytes(value) }] },
  ],
  offsets: [{ group: 'g', topic: 'in', partition: 0, offset: value.length, metadata: value }],
});

const requestKinds: readonly RequestKind[] = [
  'AddPartitionsToTxn',
  'AddOffsetsToTxn',
  'Produce',
  'TxnOffsetCommit',
  'EndTxn',
];

describe('transactions on the simulated log', () => {
  test('[O1] records, in every partition, and offsets become visible together', async () => {
    const { simulation, ports, open } = world();
    const writer = await open();
    const commit = writer.commit(full('one'));
    const visible = (): string =>
      `${committedValues(simulation.log, 'out', 0).length}${committedValues(simulation.log, 'out', 1).length}`;
    expect(await simulation.time.complete(commit)).toEqual([[0], [0]]);
    await simulation.time.runFor(100);
    expect(visible()).toBe('11');
    const asked = ports.admin.committedOffset('g', { topic: 'in', partition: 0 });
    expect(await simulation.time.complete(asked)).toMatchObject({ offset: 3 });
    const other = ports.admin.committedOffset('h', { topic: 'in', partition: 0 });
    expect(await simulation.time.complete(other)).toBeUndefined();
  });

  test('offsets are told for each record, whatever batches the seed cuts, and writes to one partition keep their order', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { simulation, open } = world(seed);
      const writer = await open();
      const writes = [...writing('out', 'a', 'b', 'c').writes, ...writing('out', 'd', 'e').writes];
      const written = await simulation.time.complete(writer.commit({ writes, offsets: [] }));
      await simulation.time.runFor(100);
      const log = new Map(simulation.log.committed('out', 0).map(({ offset, value }) => [offset, text(value)]));
      expect(written.map((offsets) => offsets.map((offset) => log.get(offset)))).toEqual([
        ['a', 'b', 'c'],
        ['d', 'e'],
      ]);
      expect([...log.values()]).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
  });

  test('a writer commits again and again; the next transaction waits for the markers of the last', async () => {
    const { simulation, open, committed } = world();
    const writer = await open();
    for (const value of ['a', 'b', 'c']) await simulation.time.complete(writer.commit(full(value)));
    await simulation.time.runFor(100);
    expect(committed()).toEqual(['a', 'b', 'c']);
  });

  test('[X4] a successor fences its predecessor, which learns so from its next commit', async () => {
    const { simulation, open, committed } = world();
    const zombie = await open();
    await simulation.time.complete(zombie.commit(full('before')));
    const successor = await open(simulation.start('b').ports);
    await expect(simulation.time.complete(zombie.commit(full('zombie')))).rejects.toBeInstanceOf(Fenced);
    await expect(simulation.time.complete(zombie.commit(full('zombie')))).rejects.toBeInstanceOf(Fenced);
    await simulation.time.complete(successor.commit(full('after')));
    await simulation.time.runFor(20_000);
    expect(committed()).toEqual(['before', 'after']);
  });

  test('[F3] a process paused within a commit and resumed after its successor has begun writes nothing', async () => {
    for (const kind of requestKinds) {
      const { simulation, open, committed } = world();
      const { host, ports } = simulation.start('zombie');
      const zombie = await open(ports);
      let outcome = 'none';
      zombie.commit(full('zombie')).then(
        () => {
          outcome = 'committed';
        },
        (error: unknown) => {
          outcome = error instanceof Fenced ? 'fenced' : String(error);
        },
      );
      const sent = (): boolean => simulation.trace.tail().some((line) => line.includes(`zombie ${kind}`));
      expect(await simulation.time.runUntil(sent, 1_000)).toBe(true);
      host.pause();
      await simulation.time.runFor(500);
      const successor = await open();
      await simulation.time.complete(successor.commit(full('after')));
      host.resume();
      await simulation.time.runFor(1_000);
      // Its EndTxn was on the way when it was stopped: then the commit counts, and the writer learns so.
      const committedFirst = kind === 'EndTxn' ? ['zombie'] : [];
      expect(outcome).toBe(kind === 'EndTxn' ? 'committed' : 'fenced');
      expect(committed()).toEqual([...committedFirst, 'after']);
    }
  });

  describe.each(requestKinds)('[F2b] the answer to %s is lost', (kind) => {
    test.each(['dropped', 'answerDropped', 'late'] as const)('or the request: %s', async (fault) => {
      for (let seed = 1; seed <= 12; seed += 1) {
        const { simulation, open, committed } = world(seed);
        const writer = await open();
        await simulation.time.complete(writer.commit(full('first')));
        simulation.faults.inject({ at: kind, fault });
        await expect(simulation.time.complete(writer.commit(full('unknown')))).rejects.toBeInstanceOf(Retriable);
        await expect(simulation.time.complete(writer.commit(full('dead')))).rejects.toBeInstanceOf(Retriable);
        const successor = await open();
        // Settled by InitProducerId: from here on the committed records no longer change by themselves.
        await simulation.time.runFor(100);
        const settled = committed();
        const done = kind === 'EndTxn' && fault === 'answerDropped';
        const maybe = kind === 'EndTxn' && fault === 'late';
        if (!maybe) expect(settled).toEqual(done ? ['first', 'unknown'] : ['first']);
        await simulation.time.complete(successor.commit(full('next')));
        await simulation.time.runFor(60_000);
        expect(committed()).toEqual([...settled, 'next']);
        expect(committedValues(simulation.log, 'out', 1)).toEqual([...settled, 'next']);
      }
    });
  });

  test('[F2] a late EndTxn arrives after the successor has begun, and is refused', async () => {
    let refused = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const { simulation, open, committed } = world(seed);
      const writer = await open();
      simulation.faults.inject({ at: 'EndTxn', fault: 'late' });
      await expect(simulation.time.complete(writer.commit(full('unknown')))).rejects.toBeInstanceOf(Retriable);
      const successor = await open();
      await simulation.time.complete(successor.commit(full('next')));
      await simulation.time.runFor(30_000);
      refused += simulation.faults.fired().get('EndTxn/refused') ?? 0;
      expect(committed().at(-1)).toBe('next');
    }
    expect(refused).toBeGreaterThan(5);
  });

  test('without a new epoch a late EndTxn ends the transaction that happens to be open: why a writer has one life', async () => {
    const { simulation } = world();
    const { log, time } = simulation;
    const transaction = log.foreignTransaction('careless');
    transaction.produce('out', 0, { value: 'first' });
    transaction.commit();
    await time.runFor(100);
    transaction.produce('out', 0, { value: 'half of the second' });
    // The same request again, delayed by the network.
    transaction.commit();
    await time.runFor(100);
    expect(committedValues(log, 'out')).toEqual(['first', 'half of the second']);
  });

  test('[F1] killed within a commit, its transaction hides others until the broker times it out or a successor comes', async () => {
    for (const successorComes of [true, false]) {
      const { simulation, open, committed } = world();
      const { host, ports } = simulation.start('dying');
      const writer = await open(ports);
      simulation.faults.inject({ at: 'EndTxn', fault: 'crashBefore' });
      void writer.commit(full('dying'));
      await simulation.time.runUntil(() => !host.alive, 1_000);
      simulation.log.produce('out', 0, { value: 'behind' });
      await simulation.time.runFor(TRANSACTION_TIMEOUT_MS / 2);
      expect(committed()).toEqual([]);
      if (successorComes) await open();
      else await simulation.time.runFor(TRANSACTION_TIMEOUT_MS / 2);
      await simulation.time.runFor(100);
      expect(committed()).toEqual(['behind']);
      expect(simulation.faults.fired().get('transactionTimeout') ?? 0).toBe(successorComes ? 0 : 1);
    }
  });

  test('an id is open only when its former transaction is decided everywhere', async () => {
    const { simulation, ports, open } = world();
    const dying = simulation.start('dying');
    const writer = await open(dying.ports);
    simulation.faults.inject({ at: 'EndTxn', fault: 'crashBefore' });
    void writer.commit(full('dying'));
    await simulation.time.runUntil(() => !dying.host.alive, 1_000);
    const stallMs = 5_000;
    simulation.log.partition('out', 1).stallReplication(stallMs);
    const opening = ports.writers.open(ID);
    await simulation.time.runFor(stallMs / 2);
    expect(simulation.log.transactions.unsettled(ID)).toBe(true);
    await simulation.time.complete(opening);
    expect(simulation.log.transactions.unsettled(ID)).toBe(false);
    const { highWatermark, lastStableOffset } = simulation.log.partition('out', 1).ends();
    expect(lastStableOffset).toBe(highWatermark);
  });

  test('KIP-890: only what was added to a transaction under way is written in it', async () => {
    const { simulation } = world();
    const { transactions } = simulation.log;
    const identity = transactions.initProducerId('theirs', 1_000);
    if (identity === 'concurrent') throw new Error('no other writer uses this id');
    const [first, second] = [
      { topic: 'out', partition: 0 },
      { topic: 'out', partition: 1 },
    ];
    expect(transactions.verifyProduce(identity, first)).toBe('invalidState');
    expect(transactions.endTxn(identity, 'commit')).toBe('invalidState');
    transactions.addPartitions(identity, [first]);
    expect(transactions.verifyProduce(identity, first)).toBe('ok');
    expect(transactions.verifyProduce(identity, second)).toBe('invalidState');
    expect(transactions.verifyOffsets(identity)).toBe('invalidState');
    transactions.endTxn(identity, 'commit');
    expect(transactions.verifyProduce(identity, first)).toBe('invalidState');
    expect(transactions.addPartitions(identity, [first])).toBe('concurrent');
    await simulation.time.runFor(100);
    expect(transactions.addPartitions(identity, [first])).toBe('ok');
    expect(transactions.addPartitions({ ...identity, epoch: identity.epoch - 1 }, [first])).toBe('fenced');
  });

  test('a transaction that the broker timed out fences its own writer', async () => {
    const { simulation, open } = world();
    const { host, ports } = simulation.start('slow');
    const writer = await open(ports);
    const commit = writer.commit(full('slow'));
    const outcome = expect(simulation.time.complete(commit)).rejects.toBeInstanceOf(Fenced);
    host.after(2, () => {
      host.pause();
      simulation.time.after(TRANSACTION_TIMEOUT_MS + 1_000, () => {
        host.resume();
      });
    });
    await outcome;
    expect(simulation.faults.fired().get('transactionTimeout')).toBe(1);
  });

  test('V7 epochs never go back, also when InitProducerId comes late', async () => {
    const { simulation, ports, open, committed } = world();
    const epochs: (number | undefined)[] = [];
    simulation.faults.inject({ at: 'InitProducerId', fault: 'late' });
    await expect(simulation.time.complete(ports.writers.open(ID))).rejects.toBeInstanceOf(Retriable);
    for (let round = 0; round < 40; round += 1) {
      const writer = await open();
      epochs.push(simulation.log.transactions.epochOf(ID));
      await simulation.time.complete(
        writer.commit(full(`${round}`)).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Fenced);
        }),
      );
      await simulation.time.runFor(1_000);
    }
    expect(epochs).toEqual([...epochs].sort((a, b) => a! - b!));
    expect(committed().length).toBeGreaterThan(30);
  });

  test('[F8] a leader that changes under a produce: the outcome is unknown, the writer is dead', async () => {
    const { simulation, open } = world();
    const writer = await open();
    simulation.log.partition('out', 0).stallReplication(60_000);
    const commit = writer.commit(full('unknown'));
    simulation.time.after(500, () => {
      simulation.log.partition('out', 0).changeLeader();
    });
    await expect(simulation.time.complete(commit)).rejects.toBeInstanceOf(Retriable);
  });

  test('what no broker takes stops the partition: no such topic, a record above the limit', async () => {
    const { simulation, open } = world();
    const nowhere = { writes: [{ topic: 'gone', partition: 0, records: [{ key: null, value: null }] }], offsets: [] };
    await expect(simulation.time.complete((await open()).commit(nowhere))).rejects.toBeInstanceOf(PartitionStopped);
    const huge = {
      writes: [{ topic: 'out', partition: 0, records: [{ key: null, value: new Uint8Array(1_048_588) }] }],
      offsets: [],
    };
    await expect(simulation.time.complete((await open()).commit(huge))).rejects.toThrow('max.message.bytes');
  });

  test('one commit at a time, none after close', async () => {
    const { simulation, open } = world();
    const writer = await open();
    const first = writer.commit(full('a'));
    await expect(writer.commit(full('b'))).rejects.toThrow('one commit at a time');
    await simulation.time.complete(first);
    await writer.close();
    await expect(simulation.time.complete(writer.commit(full('c')))).rejects.toBeInstanceOf(Retriable);
  });
});

describe('clock records and questions to the simulated cluster', () => {
  test('[C2] a clock record: null key, empty value, its header; stamped by the broker where the log is', async () => {
    const { simulation, ports } = world();
    simulation.log.createTopic('devices', { partitions: 1, timestampType: 'CreateTime' });
    await simulation.time.complete(ports.proof.append({ topic: 'out', partition: 0 }, undefined));
    await simulation.time.complete(ports.proof.append({ topic: 'devices', partition: 0 }, 42));
    const [stamped] = simulation.log.committed('out', 0);
    expect(stamped?.key).toBeNull();
    expect(stamped?.value).toEqual(new Uint8Array(0));
    expect(stamped?.headers).toEqual([{ name: 'flatline-clock', value: null }]);
    expect(simulation.log.committed('devices', 0)[0]?.timestamp).toBe(42);
  });

  test('a clock record whose answer is lost may be written twice; one for no topic fails', async () => {
    const { simulation, ports } = world();
    let written = 0;
    for (let round = 0; round < 10; round += 1) {
      simulation.faults.inject({ at: 'ClockRecord', fault: 'answerDropped' });
      await simulation.time.complete(
        ports.proof.append({ topic: 'out', partition: 0 }, undefined).catch(() => undefined),
      );
      written = simulation.log.partition('out', 0).logEnd;
    }
    expect(written).toBeGreaterThan(10);
    const nowhere = ports.proof.append({ topic: 'gone', partition: 0 }, undefined);
    await expect(simulation.time.complete(nowhere)).rejects.toBeInstanceOf(PartitionStopped);
  });

  test('[K4] truncation through the admin, refused beyond the end', async () => {
    const { simulation, ports } = world();
    const place = { topic: 'out', partition: 0 };
    for (let round = 0; round < 5; round += 1) simulation.log.produce('out', 0, { value: 'x' });
    await simulation.time.runFor(100);
    await simulation.time.complete(ports.admin.truncate(place, 3));
    expect(await simulation.time.complete(ports.admin.ends(place))).toEqual({ logStartOffset: 3, lastStableOffset: 5 });
    await expect(simulation.time.complete(ports.admin.truncate(place, 6))).rejects.toBeInstanceOf(PartitionStopped);
    expect(await simulation.time.complete(ports.admin.fingerprintAt(place, 2))).toBeUndefined();
    expect(await simulation.time.complete(ports.admin.fingerprintAt(place, 5))).toBeUndefined();
    const found = await simulation.time.complete(ports.admin.fingerprintAt(place, 4));
    expect(found).toMatchObject({ leaderEpoch: 0 });
  });
});
