// The input: devices that use the world's kind, fall silent, repeat themselves, and now and then send rubbish.
//
// Owns: the records acknowledged to them (X3).
// Does not own: when they act (World).
import type { Random } from '@flatline/base';
import type { ForeignTransaction, ProducedRecord, Simulation } from '@flatline/cluster';
import { ASKS, type SimulatedKind } from '@flatline/lab-kinds';
import { CLOCK_HEADER, EARLY_MS, INPUT, MAX_KEY_BYTES } from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';

/** Repetitions of the word: at its longest it does not fit a dead letter. */
const RUBBISH = [1, 1, 50, 300];

/** A record that the log has promised to keep. */
interface Acknowledged {
  readonly partition: number;
  readonly offset: number;
  readonly count: number;
}

/** On CreateTime a producer may stamp anything: here nanoseconds. */
export const isWildStamp = (timestamp: number): boolean => timestamp > 1e15;

export class Devices {
  acknowledged: readonly Acknowledged[] = [];
  readonly #simulation: Simulation;
  readonly #scenario: Scenario;
  readonly #kind: SimulatedKind;
  readonly #random: Random;
  /** Draws the keys whose records come in one batch. */
  readonly #mixing: Random;
  /** Records for the inputs behind the first. */
  readonly #further: Random;
  readonly #open: ForeignTransaction[] = [];
  #nextTransaction = 0;
  #hasGreeted = false;

  constructor(simulation: Simulation, scenario: Scenario, kind: SimulatedKind) {
    this.#simulation = simulation;
    this.#scenario = scenario;
    this.#kind = kind;
    this.#random = simulation.random('devices');
    this.#mixing = simulation.random('mixed batches');
    this.#further = simulation.random('further inputs');
  }

  /** Writes the records that an input has before a process reads it. The cluster is calm. */
  async early(): Promise<void> {
    const { formerRecords, earlierRecords, partitions, timestampType } = this.#scenario;
    if (formerRecords + earlierRecords === 0) return;
    const other = timestampType === 'LogAppendTime' ? 'CreateTime' : 'LogAppendTime';
    for (let partition = 0; partition < partitions; partition += 1) {
      const log = this.#simulation.log.partition(INPUT, partition);
      log.alterTimestampType(other);
      for (let left = formerRecords; left > 0; left -= 1) this.#sendEarly(partition);
      log.alterTimestampType(timestampType);
      for (let left = earlierRecords; left > 0; left -= 1) this.#sendEarly(partition);
    }
    await this.#simulation.time.runFor(EARLY_MS);
  }

  #sendEarly(partition: number): void {
    const key = this.#random.below(this.#scenario.keys);
    this.#send(partition, [this.#record(this.#moved(key, partition))]);
  }

  /** One device, or a few in one batch. */
  act(): void {
    for (const { topic } of this.#scenario.furtherInputs) if (this.#further.chance(0.5)) this.#actOn(topic);
    const key = this.#random.below(this.#scenario.keys);
    if (this.#random.chance(0.01)) {
      this.#sendUnreadable(this.#partitionOf(key), 1 + this.#random.below(4));
      return;
    }
    const count = this.#random.chance(0.8) ? 1 : 1 + this.#random.below(6);
    this.#send(
      this.#partitionOf(key),
      Array.from({ length: count }, () => this.#record(this.#beside(key))),
    );
  }

  #actOn(topic: string): void {
    const random = this.#further;
    const key = random.below(this.#scenario.keys);
    const count = random.chance(0.8) ? 1 : 1 + random.below(4);
    const records = Array.from({ length: count }, () => this.#record(key, random, topic));
    this.#send(this.#partitionOf(key), records, topic);
  }

  /** A bare heartbeat of one key in every partition, once: the stream is live. */
  greetOnce(): void {
    if (this.#hasGreeted) return;
    this.#hasGreeted = true;
    for (let partition = 0; partition < this.#scenario.partitions; partition += 1)
      for (const topic of [INPUT, ...this.#scenario.furtherInputs.map((input) => input.topic)])
        this.#send(partition, [this.#stamped({ key: `greeter-${partition}`, value: '' }, this.#random, topic)], topic);
    const last = this.#kind.atCalm;
    const { keys, partitions } = this.#scenario;
    // Keys in another's place (`#moved`) may be greater.
    for (let key = 0; last !== undefined && key < keys + partitions; key += 1)
      this.#send(this.#partitionOf(key), [this.#stamped({ ...last, key: `k${key}` })]);
  }

  /** The same in these partitions, once more: an owner that commits nothing never hears of what its changelog has lost. */
  greet(partitions: Iterable<number>): void {
    for (const partition of partitions)
      this.#send(partition, [this.#stamped({ key: `greeter-${partition}`, value: '' }, this.#random, INPUT)], INPUT);
  }

  /** A foreign producer writes in transactions of its own, and takes its time (F10). */
  beginTransaction(): void {
    const transaction = this.#simulation.log.foreignTransaction(`upstream-${this.#nextTransaction++}`, 5_000);
    const key = this.#random.below(this.#scenario.keys);
    transaction.produce(INPUT, this.#partitionOf(key), this.#record(key));
    this.#open.push(transaction);
  }

  /** Ends the oldest transaction; one that the broker has timed out by then is over. */
  endTransaction(): void {
    const transaction = this.#open.shift();
    if (transaction === undefined || !transaction.isOpen) return;
    if (this.#random.chance(0.5)) transaction.commit();
    else transaction.abort();
  }

  /** Takes note of records lost to an unclean election, acknowledged or not. */
  lost(partition: number, from: number): void {
    this.acknowledged = this.acknowledged.filter((each) => each.partition !== partition || each.offset < from);
  }

  get openTransactions(): number {
    return this.#open.length;
  }

  #partitionOf(key: number): number {
    return key % this.#scenario.partitions;
  }

  #moved(key: number, partition: number): number {
    return key - this.#partitionOf(key) + partition;
  }

  /** The same key, or another of its partition. */
  #beside(key: number): number {
    if (this.#mixing.chance(0.3)) return key;
    return this.#moved(this.#mixing.below(this.#scenario.keys), this.#partitionOf(key));
  }

  /** Sends again what was not acknowledged: it may then be in the log twice, and both are activity. */
  #send(partition: number, records: readonly ProducedRecord[], topic = INPUT, tries = 0): void {
    void this.#simulation.log.produceAcked(topic, partition, records).then((outcome) => {
      if (outcome.kind !== 'acked') {
        if (tries < 3) this.#send(partition, records, topic, tries + 1);
      } else if (topic === INPUT)
        this.acknowledged = [...this.acknowledged, { partition, offset: outcome.baseOffset, count: records.length }];
    });
  }

  /** Sends a batch that unpacks to more than a processor may take (X6). */
  #sendUnreadable(partition: number, records: number): void {
    void this.#simulation.log.produceUnreadable(INPUT, partition, records).then((outcome) => {
      if (outcome.kind !== 'acked') return;
      // Each of them becomes one dead letter.
      this.acknowledged = [...this.acknowledged, { partition, offset: outcome.baseOffset, count: 1 }];
    });
  }

  #record(key: number, random = this.#random, topic = INPUT): ProducedRecord {
    const name = `k${key}`;
    const draw = random.below(100);
    if (draw < ASKS) return this.#stamped(this.#kind.record(name, random, draw), random, topic);
    if (draw < 93)
      return this.#stamped(
        { key: name, value: 'rubbish'.repeat(RUBBISH[random.below(RUBBISH.length)]!) },
        random,
        topic,
      );
    if (draw < 95) return this.#stamped({ key: null, value: 'no key' }, random, topic);
    if (draw < 97) return this.#stamped({ key: name.padEnd(MAX_KEY_BYTES + 1, '.'), value: '' }, random, topic);
    return this.#stamped({ key: null, value: '', headers: [{ name: CLOCK_HEADER, value: null }] }, random, topic);
  }

  /** On CreateTime the stamp is the device's own, and may be out of order. */
  #stamped(record: ProducedRecord, random = this.#random, topic = INPUT): ProducedRecord {
    if (this.#typeOf(topic) === 'LogAppendTime') return record;
    const timestamp = this.#simulation.trueMs() - random.below(3_000);
    return { ...record, timestamp: random.chance(0.01) ? timestamp * 1_000_000 : timestamp };
  }

  #typeOf(topic: string): Scenario['timestampType'] {
    const { timestampType, furtherInputs } = this.#scenario;
    return furtherInputs.find((further) => further.topic === topic)?.timestampType ?? timestampType;
  }
}
