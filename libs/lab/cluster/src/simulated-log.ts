// The cluster's topics, with direct access for tests: produce as a plain client does, read the committed records.
//
// Owns: topics, and the coordinator's state.
// Does not own: the path from a process to them (Network, the adapters).
import { assert, type Millis } from '@flatline/base';
import type { OutgoingRecord, RecordHeader, TopicPartition } from '@flatline/ports';
import type { FaultPlan } from './fault-plan.ts';
import { GroupOffsets } from './group-offsets.ts';
import type { LogBatch, LogRecord } from './log-batch.ts';
import type { AppendOutcome, TimestampType } from './partition-requests.ts';
import { SimulatedPartition } from './simulated-partition.ts';
import type { Trace } from './trace.ts';
import { type EndedTransaction, TransactionCoordinator, type ProducerIdentity } from './transaction-coordinator.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface TopicSettings {
  readonly partitions: number;
  /** Default: LogAppendTime, as `topics create` makes inputs and changelogs. */
  readonly timestampType?: TimestampType;
  /** Longest batch a producer may send. Default: Kafka's. */
  readonly maxMessageBytes?: number;
}

/** A record that a test produces: text is written as UTF-8. */
export interface ProducedRecord {
  readonly key?: string | Uint8Array | null;
  readonly value?: string | Uint8Array | null;
  readonly headers?: readonly RecordHeader[];
  readonly timestamp?: Millis;
}

export interface LogEnvironment {
  readonly time: VirtualTime;
  readonly faults: FaultPlan;
  readonly trace: Trace;
  readonly trueMs: () => Millis;
}

const utf8 = new TextEncoder();
const toBytes = (part: string | Uint8Array | null | undefined): Uint8Array | null =>
  typeof part === 'string' ? utf8.encode(part) : (part ?? null);
const nothing = (): void => undefined;

const toOutgoing = (record: ProducedRecord): OutgoingRecord => ({
  key: toBytes(record.key),
  value: toBytes(record.value),
  headers: record.headers ?? [],
  ...(record.timestamp === undefined ? {} : { timestamp: record.timestamp }),
});

export class SimulatedLog {
  readonly offsets = new GroupOffsets();
  readonly transactions: TransactionCoordinator;
  readonly #environment: LogEnvironment;
  readonly #topics = new Map<string, SimulatedPartition[]>();
  readonly #ids = new Map<string, string>();
  /** Topics so far. */
  #created = 0;
  readonly #ended: EndedTransaction[] = [];

  constructor(environment: LogEnvironment) {
    this.#environment = environment;
    this.transactions = new TransactionCoordinator({
      ...environment,
      offsets: this.offsets,
      partition: (partition) => this.find(partition),
      onEnd: (transaction) => this.#ended.push(transaction),
    });
  }

  /** Every transaction decided so far, in the order of the decisions. */
  get endedTransactions(): readonly EndedTransaction[] {
    return this.#ended;
  }

  createTopic(topic: string, settings: TopicSettings): void {
    assert(!this.#topics.has(topic), 'a topic is created once', { topic });
    const make = (): SimulatedPartition =>
      new SimulatedPartition(settings.timestampType ?? 'LogAppendTime', this.#environment, settings.maxMessageBytes);
    this.#topics.set(topic, Array.from({ length: settings.partitions }, make));
    this.#created += 1;
    this.#ids.set(topic, `${this.#created}`);
  }

  /** Another one once it was deleted and made again; undefined: it is not there. */
  idOf(topic: string): string | undefined {
    return this.#ids.get(topic);
  }

  /** Deletes the topic: its readers and writers fail from now on, and one created later under its name is another topic. */
  deleteTopic(topic: string): void {
    this.#topics.delete(topic);
    this.#ids.delete(topic);
  }

  partitionsOf(topic: string): number {
    return this.#topics.get(topic)?.length ?? 0;
  }

  find({ topic, partition }: TopicPartition): SimulatedPartition | undefined {
    return this.#topics.get(topic)?.[partition];
  }

  /** @throws AssertionError if there is none. */
  partition(topic: string, partition: number): SimulatedPartition {
    const found = this.find({ topic, partition });
    assert(found !== undefined, 'the partition exists', { topic, partition });
    return found;
  }

  /** Appends one batch at the leader now, as any producer may; visible once replicated. Returns the first offset. */
  produce(topic: string, partition: number, ...records: readonly ProducedRecord[]): number {
    this.#environment.trace.note(`produce ${topic}-${partition} ${records.length}`);
    return this.partition(topic, partition).append({ records: records.map(toOutgoing) }, nothing);
  }

  /** The same, with the outcome: for a device that resends records that were not acknowledged. */
  produceAcked(topic: string, partition: number, records: readonly ProducedRecord[]): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      this.partition(topic, partition).append({ records: records.map(toOutgoing) }, resolve);
    });
  }

  /** Appends a batch of this many records that cannot be unpacked, as a whole or not at all. */
  produceUnreadable(topic: string, partition: number, records: number): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      this.partition(topic, partition).append({ records: [], unreadable: records }, resolve);
    });
  }

  /** A transaction of a foreign producer, kept open by the test until it commits or aborts (F10). */
  foreignTransaction(transactionalId: string, timeoutMs = 60_000): ForeignTransaction {
    const identity = this.transactions.initProducerId(transactionalId, timeoutMs);
    assert(identity !== 'concurrent', 'the id is not in use', { transactionalId });
    return new ForeignTransaction(this, identity);
  }

  /** The records that a correct read_committed reader sees now, in offset order. */
  committed(topic: string, partition: number): LogRecord[] {
    const log = this.partition(topic, partition);
    const { lastStableOffset, logStartOffset } = log.ends();
    return log.batches
      .filter((batch) => batch.lastOffset < lastStableOffset && !log.isAborted(batch))
      .flatMap((batch) => batch.records)
      .filter((record) => record.offset >= logStartOffset);
  }

  /** Everything in the leader's log: aborted, open and control batches too. */
  batches(topic: string, partition: number): readonly LogBatch[] {
    return this.partition(topic, partition).batches;
  }
}

export class ForeignTransaction {
  readonly #log: SimulatedLog;
  readonly #identity: ProducerIdentity;
  readonly #sequences = new Map<string, number>();

  constructor(log: SimulatedLog, identity: ProducerIdentity) {
    this.#log = log;
    this.#identity = identity;
  }

  produce(topic: string, partition: number, ...records: readonly ProducedRecord[]): number {
    const place = `${topic}-${partition}`;
    const verdict = this.#log.transactions.addPartitions(this.#identity, [{ topic, partition }]);
    assert(verdict === 'ok', 'the transaction is open', { place, verdict });
    const baseSequence = this.#sequences.get(place) ?? 0;
    this.#sequences.set(place, baseSequence + records.length);
    const { producerId, epoch } = this.#identity;
    const producer = { producerId, epoch, baseSequence, transactional: true };
    return this.#log.partition(topic, partition).append({ records: records.map(toOutgoing), producer }, nothing);
  }

  /** False once it has ended, or timed out at the broker. */
  get isOpen(): boolean {
    return this.#log.transactions.isOngoing(this.#identity);
  }

  commit(): void {
    this.#end('commit');
  }

  abort(): void {
    this.#end('abort');
  }

  #end(marker: 'commit' | 'abort'): void {
    const verdict = this.#log.transactions.endTxn(this.#identity, marker);
    assert(verdict === 'ok', 'the transaction is open', { verdict });
  }
}
