import { describe, expect, test } from '@jest/globals';
import { calm, Simulation, type SimulatedPartition, type TimestampType } from './index.ts';
import { bytes, committedValues } from './reading.fixture.ts';
import type { AppendOutcome } from './partition-requests.ts';

const TOPIC = 'in';

function logOf(seed = 1, timestampType: TimestampType = 'LogAppendTime'): Simulation {
  const simulation = new Simulation({ seed });
  simulation.log.createTopic(TOPIC, { partitions: 1, timestampType });
  return simulation;
}

/** Appends as producer 7, collecting outcomes as they come. */
function producer(log: SimulatedPartition): {
  readonly outcomes: string[];
  readonly append: (epoch: number, baseSequence: number, count?: number) => number;
} {
  const outcomes: string[] = [];
  const note = (outcome: AppendOutcome): void => {
    outcomes.push(outcome.kind === 'acked' ? `acked ${outcome.baseOffset}` : outcome.kind);
  };
  return {
    outcomes,
    append: (epoch, baseSequence, count = 1) => {
      const records = Array.from({ length: count }, () => ({ key: null, value: bytes('x') }));
      return log.append({ records, producer: { producerId: 7, epoch, baseSequence, transactional: false } }, note);
    },
  };
}

describe('a partition of the simulated log', () => {
  test('[C6] LogAppendTime: the leader stamps by its own clock, whatever the producer says', async () => {
    const simulation = logOf();
    simulation.log.partition(TOPIC, 0).setSkew(-10_000);
    await simulation.time.runFor(500);
    const stamp = simulation.trueMs() - 10_000;
    simulation.log.produce(TOPIC, 0, { value: 'a', timestamp: 5 }, { value: 'b' });
    await simulation.time.runFor(10);
    expect(simulation.log.committed(TOPIC, 0).map((record) => record.timestamp)).toEqual([stamp, stamp]);
    expect(simulation.log.batches(TOPIC, 0)[0]).toMatchObject({ maxTimestamp: stamp, logAppendTime: true });
  });

  test('CreateTime: the producer stamps, the batch carries the greatest', async () => {
    const simulation = logOf(1, 'CreateTime');
    simulation.log.produce(TOPIC, 0, { timestamp: 30 }, { timestamp: 50 }, { timestamp: 40 });
    await simulation.time.runFor(10);
    expect(simulation.log.committed(TOPIC, 0).map((record) => record.timestamp)).toEqual([30, 50, 40]);
    expect(simulation.log.batches(TOPIC, 0)[0]).toMatchObject({ maxTimestamp: 50, logAppendTime: false });
  });

  test('SL2 an open transaction holds back whatever was written after it, until its marker is replicated', async () => {
    const simulation = logOf();
    const { log, time } = simulation;
    log.produce(TOPIC, 0, { value: 'before' });
    const open = log.foreignTransaction('theirs');
    open.produce(TOPIC, 0, { value: 'inside' });
    log.produce(TOPIC, 0, { value: 'after' });
    await time.runFor(1_000);
    expect(log.partition(TOPIC, 0).ends()).toEqual({ logStartOffset: 0, highWatermark: 3, lastStableOffset: 1 });
    expect(committedValues(log, TOPIC)).toEqual(['before']);
    log.partition(TOPIC, 0).stallReplication(5_000);
    open.commit();
    await time.runFor(1_000);
    expect(log.partition(TOPIC, 0).logEnd).toBe(4);
    expect(committedValues(log, TOPIC)).toEqual(['before']);
    await time.runFor(5_000);
    expect(log.partition(TOPIC, 0).ends()).toMatchObject({ highWatermark: 4, lastStableOffset: 4 });
    expect(committedValues(log, TOPIC)).toEqual(['before', 'inside', 'after']);
  });

  test('[O1] aborted records are never seen, interleaved with committed ones of another producer', async () => {
    const { log, time } = logOf();
    const [good, bad] = [log.foreignTransaction('good'), log.foreignTransaction('bad')];
    good.produce(TOPIC, 0, { value: 'good 1' });
    bad.produce(TOPIC, 0, { value: 'bad 1' });
    good.produce(TOPIC, 0, { value: 'good 2' });
    bad.produce(TOPIC, 0, { value: 'bad 2' });
    bad.abort();
    await time.runFor(100);
    good.produce(TOPIC, 0, { value: 'good 3' });
    good.commit();
    await time.runFor(100);
    expect(committedValues(log, TOPIC)).toEqual(['good 1', 'good 2', 'good 3']);
    expect(log.batches(TOPIC, 0).filter((batch) => batch.marker !== undefined)).toHaveLength(2);
  });

  test('one id: what it aborted stays hidden when it commits later', async () => {
    const { log, time } = logOf();
    const transaction = log.foreignTransaction('theirs');
    for (const [value, decision] of [
      ['a', 'commit'],
      ['b', 'abort'],
      ['c', 'commit'],
      ['d', 'abort'],
    ] as const) {
      transaction.produce(TOPIC, 0, { value });
      transaction[decision]();
      await time.runFor(100);
    }
    expect(committedValues(log, TOPIC)).toEqual(['a', 'c']);
  });

  test('SL3 only the greatest epoch appends, and only the next sequence', async () => {
    const simulation = logOf();
    const { outcomes, append } = producer(simulation.log.partition(TOPIC, 0));
    append(0, 0, 2);
    append(0, 2, 3);
    append(0, 2, 3);
    append(0, 7);
    append(1, 3);
    append(1, 0);
    append(0, 5);
    await simulation.time.runFor(100);
    // Refusals and repetitions are answered at once, appends once they are replicated.
    expect(outcomes).toEqual([
      'acked 2',
      'outOfOrderSequence',
      'outOfOrderSequence',
      'fencedEpoch',
      'acked 0',
      'acked 2',
      'acked 5',
    ]);
    expect(simulation.log.partition(TOPIC, 0).logEnd).toBe(6);
  });

  test('SL1 [F8] a change of leader loses nothing acknowledged and acknowledges nothing lost', async () => {
    let lost = 0;
    let survivedUnacked = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const simulation = logOf(seed);
      const log = simulation.log.partition(TOPIC, 0);
      const outcomes = new Map<string, Promise<AppendOutcome>>();
      for (let round = 0; round < 12; round += 1) {
        if (round === 6) log.stallReplication(10_000);
        outcomes.set(`v${round}`, simulation.log.produceAcked(TOPIC, 0, [{ value: `v${round}` }]));
        await simulation.time.runFor(1);
      }
      log.changeLeader();
      await simulation.time.runFor(1_000);
      const present = new Set(committedValues(simulation.log, TOPIC));
      for (const [value, pending] of outcomes) {
        const { kind } = await pending;
        if (kind === 'acked') expect(present).toContain(value);
        else if (present.has(value)) survivedUnacked += 1;
        else lost += 1;
      }
      expect([...present]).toEqual([...present].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
    }
    expect(lost).toBeGreaterThan(0);
    expect(survivedUnacked).toBeGreaterThan(0);
  });

  test('[F23] after an election the high watermark lags behind what is replicated, then catches up', async () => {
    const known = new Set<number>();
    for (let seed = 1; seed <= 30; seed += 1) {
      const simulation = logOf(seed);
      for (let round = 0; round < 5; round += 1) simulation.log.produce(TOPIC, 0, { value: `v${round}` });
      await simulation.time.runFor(100);
      const log = simulation.log.partition(TOPIC, 0);
      log.changeLeader();
      known.add(log.ends().highWatermark);
      await simulation.time.runFor(calm.replicationMs[1] + 1);
      expect(log.ends()).toEqual({ logStartOffset: 0, highWatermark: 5, lastStableOffset: 5 });
    }
    expect([...known].sort()).toEqual([2, 3, 4, 5]);
  });

  test('a marker that an election takes away is written again: the transaction does not hang', async () => {
    let retaken = 0;
    for (let seed = 1; seed <= 30; seed += 1) {
      const simulation = logOf(seed);
      const log = simulation.log.partition(TOPIC, 0);
      const transaction = simulation.log.foreignTransaction('theirs');
      transaction.produce(TOPIC, 0, { value: 'inside' });
      await simulation.time.runFor(100);
      log.stallReplication(10_000);
      transaction.commit();
      await simulation.time.runFor(100);
      expect(log.logEnd).toBe(2);
      log.changeLeader();
      if (log.logEnd === 1) retaken += 1;
      await simulation.time.runFor(1_000);
      expect(committedValues(simulation.log, TOPIC)).toEqual(['inside']);
      expect(simulation.log.transactions.unsettled('theirs')).toBe(false);
    }
    expect(retaken).toBeGreaterThan(0);
  });

  test('[R3] an unclean election takes acknowledged records, and what follows bears another fingerprint', async () => {
    const simulation = logOf();
    const log = simulation.log.partition(TOPIC, 0);
    for (const value of ['a', 'b', 'c']) simulation.log.produce(TOPIC, 0, { value });
    await simulation.time.runFor(100);
    const before = log.batchAt(1);
    log.changeLeader({ losesFrom: 1 });
    simulation.log.produce(TOPIC, 0, { value: 'b' });
    await simulation.time.runFor(100);
    expect(committedValues(simulation.log, TOPIC)).toEqual(['a', 'b']);
    expect(log.batchAt(1)?.leaderEpoch).toBe(1);
    expect(log.batchAt(1)?.checksum).not.toBe(before?.checksum);
  });

  test('a transaction that an election takes away holds back nothing', async () => {
    const simulation = logOf();
    simulation.log.produce(TOPIC, 0, { value: 'a' });
    await simulation.time.runFor(100);
    simulation.log.foreignTransaction('theirs').produce(TOPIC, 0, { value: 'lost' });
    simulation.log.partition(TOPIC, 0).changeLeader({ losesFrom: 1 });
    simulation.log.produce(TOPIC, 0, { value: 'b' });
    await simulation.time.runFor(100);
    expect(committedValues(simulation.log, TOPIC)).toEqual(['a', 'b']);
  });

  test('[K4] truncated above an open transaction, what is decided begins at the log start', async () => {
    const simulation = logOf();
    simulation.log.foreignTransaction('theirs').produce(TOPIC, 0, { value: 'open' });
    simulation.log.produce(TOPIC, 0, { value: 'a' });
    await simulation.time.runFor(100);
    simulation.log.partition(TOPIC, 0).truncateBelow(2);
    expect(simulation.log.partition(TOPIC, 0).ends()).toEqual({
      logStartOffset: 2,
      highWatermark: 2,
      lastStableOffset: 2,
    });
  });

  test('[K4] truncation takes a prefix, in the middle of a batch too', async () => {
    const simulation = logOf();
    simulation.log.produce(TOPIC, 0, { value: 'a' });
    simulation.log.produce(TOPIC, 0, { value: 'b' }, { value: 'c' }, { value: 'd' });
    await simulation.time.runFor(100);
    const log = simulation.log.partition(TOPIC, 0);
    log.truncateBelow(2);
    log.truncateBelow(1);
    expect(log.ends().logStartOffset).toBe(2);
    expect(committedValues(simulation.log, TOPIC)).toEqual(['c', 'd']);
    expect(log.batchAt(1)).toBeUndefined();
    expect(log.batchAt(2)?.baseOffset).toBe(1);
    expect(() => {
      log.truncateBelow(5);
    }).toThrow('only below');
  });
});
