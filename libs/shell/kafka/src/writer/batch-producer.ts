// An idempotent producer of one topic, for load: what it acknowledges is in the log once (KIP-98, no transactions).
//
// Owns: a queue per partition, the bytes they hold, the linger timer.
// Does not own: the connection, sending (LeaderLanes).
//
// Invariants
//   BP1  One batch per partition is under way at a time, and it is sent again with the same bytes and sequence number
//        until it is acknowledged: the broker drops what it already has.
//   BP2  After an error that cannot be resolved nothing more is sent: every call fails with what is unacknowledged. A batch of
//        several records that is too large is no such error: it is halved. With `onTooLarge` a record that is too large is
//        none either: it is refused, and the others are sent. With `onUndelivered` an error of one partition is none: what
//        waits for it is refused, and others go on.
//   BP3  Bytes held ≤ `bufferBytesMax` plus one record, if the caller awaits what `add` returns.
import {
  type Cancel,
  type Clock,
  type DurationMs,
  Fatal,
  messageOf,
  type Millis,
  partitionOf,
  PartitionStopped,
  REQUEST_BYTES_MAX,
  Retriable,
} from '@flatline/base';
import type { OutgoingRecord } from '@flatline/ports';
import { codeOf, errorOfCode, KafkaCode, type KafkaConnection } from '../connection/index.ts';
import { type Compression } from '../record-batch/compressor.ts';
import { batchBytesOf } from '../record-batch/encoder.ts';
import { recordsIn } from '../record-batch/records-in.ts';
import { LeaderLanes } from './leader-lanes.ts';
import { PartitionQueue, type QueuedBatch } from './partition-queue.ts';
import { patiently } from '@flatline/system';
import type { ProduceAnswer } from './produce-request.ts';
import { decodeInitProducerId, initProducerIdRequest, type ProducerEpoch } from './producer-requests.ts';
import { type RecordTooLarge, TopicLimit } from './topic-limit.ts';
import { Waiters } from './waiters.ts';

export interface BatchProducerOptions {
  readonly clock: Clock;
  /** Not closed by the producer. */
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** How long a record may wait for others to share its batch. Default 5. */
  readonly lingerMs?: DurationMs;
  /** Bytes of one batch, below `max.message.bytes` of the topic. Default 250 000. */
  readonly batchBytesMax?: number;
  /** Bytes accepted and not yet acknowledged. Default 32 000 000. */
  readonly bufferBytesMax?: number;
  /** How long errors that may pass are borne for one batch. Default 120 000, as Java's. */
  readonly deliveryTimeoutMs?: DurationMs;
  readonly compression?: Compression;
  /**
   * Told of each batch in the log; `baseOffset` is −1 where the broker only says that it has it already. `appendedAt`: when the
   * leader stamped it; −1 where it did not, or where that is not known.
   */
  readonly onAcknowledged?: (partition: number, baseOffset: number, recordCount: number, appendedAt: Millis) => void;
  /**
   * Told of each record that the topic has refused for its size; of one partition in the order of `onAcknowledged`. With it
   * `add` throws RecordTooLarge where the topic's limits are known.
   */
  readonly onTooLarge?: (partition: number, error: RecordTooLarge) => void;
  /**
   * Told of what a partition had waiting when its batch was not acknowledged in time, or refused for good: the oldest so many
   * records. Some of them may be in the log. What comes later is sent.
   */
  readonly onUndelivered?: (partition: number, recordCount: number, error: Error) => void;
  /** Told once of what ended the producer: what is not acknowledged by then will not be. */
  readonly onFailed?: (error: Error) => void;
}

export interface ProducedRecord extends OutgoingRecord {
  /** Default: by the key as Java's partitioner does; without a key, one partition per batch in turn. */
  readonly partition?: number;
}

const LINGER_MS: DurationMs = 5;
const BATCH_BYTES_MAX = 250_000;
const BUFFER_BYTES_MAX = 32_000_000;
const DELIVERY_TIMEOUT_MS: DurationMs = 120_000;
const ACKNOWLEDGE_MS: DurationMs = 30_000;
const RETRY = { firstMs: 20, mostMs: 500 };
/** A broker that has just started loads its coordinators first, and says so. */
const OPEN_LIMIT_MS: DurationMs = 15_000;

const KEY_SHOWN_BYTES = 64;
const DUPLICATE_SEQUENCE_NUMBER = 46;
const TOO_LARGE: readonly (number | undefined)[] = [KafkaCode.messageTooLarge, KafkaCode.recordListTooLarge];
/** OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID, INVALID_PRODUCER_ID_MAPPING: the log lost what was acknowledged. */
const LOST_SEQUENCE: readonly (number | undefined)[] = [45, 59, 49];

export class BatchProducer {
  readonly #options: BatchProducerOptions;
  readonly #queues: readonly PartitionQueue[];
  readonly #lanes: LeaderLanes;
  readonly #limit: TopicLimit;
  readonly #bufferBytesMax: number;
  readonly #waiters = new Waiters();
  #bufferedBytes = 0;
  #waitingCount = 0;
  #lingering: Cancel | undefined;
  #keyless = 0;
  #failure: Error | undefined;
  #takesMore = true;
  #closed = false;

  /** @throws Fatal where the topic does not exist; Retriable where the cluster cannot be reached. */
  static async open(options: BatchProducerOptions): Promise<BatchProducer> {
    const { clock, connection, topic, batchBytesMax = BATCH_BYTES_MAX } = options;
    const doing = `produce to ${topic}`;
    const found = (await connection.refresh([topic])).topics.find((each) => each.topic === topic);
    const code = found?.errorCode ?? KafkaCode.unknownTopicOrPartition;
    if (code === KafkaCode.unknownTopicOrPartition) throw new Fatal(errorOfCode(code, doing).message);
    if (code !== KafkaCode.none) throw errorOfCode(code, doing);
    const limit = new TopicLimit({ clock, connection, topic, batchBytesMax });
    await limit.refresh();
    return new BatchProducer(options, await newProducer(options), { limit, partitionCount: found!.partitions.length });
  }

  private constructor(
    options: BatchProducerOptions,
    producer: ProducerEpoch,
    { limit, partitionCount }: { readonly limit: TopicLimit; readonly partitionCount: number },
  ) {
    const { topic, connection, compression = 'none' } = options;
    this.#options = options;
    this.#limit = limit;
    this.#bufferBytesMax = options.bufferBytesMax ?? BUFFER_BYTES_MAX;
    this.#lanes = new LeaderLanes({ connection, requestBytesMax: REQUEST_BYTES_MAX, acknowledgeMs: ACKNOWLEDGE_MS });
    this.#queues = Array.from(
      { length: partitionCount },
      (_, partition) => new PartitionQueue({ topic, partition, producer, compression }),
    );
  }

  get partitionCount(): number {
    return this.#queues.length;
  }

  /** Every call fails (BP2). */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Records accepted and not yet acknowledged, by partition number. */
  get unacknowledged(): readonly number[] {
    return this.#queues.map(({ added, done }) => added - done);
  }

  /** The sum of them. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * Takes one record; its bytes are copied. No promise while there is room, since a promise per record would cost more
   * than the record: await what is returned, if anything, before adding more.
   * @throws (or rejects) as `flush` does; RecordTooLarge, as `onTooLarge` says.
   */
  add(record: ProducedRecord): Promise<void> | undefined {
    this.#check();
    if (!this.#takesMore) throw new Fatal(`the producer of ${this.#options.topic} is closed`);
    const queue = this.#queueOf(record);
    if (this.#options.onTooLarge !== undefined) this.#checkSize(record);
    const now = record.timestamp ?? this.#options.clock.wallMs();
    this.#bufferedBytes += queue.add(record, now, this.#limit.batchBytesMax);
    this.#waitingCount += 1;
    if (queue.hasFullBatch) {
      this.#limit.lookAgain();
      this.#deliver(queue);
    }
    this.#linger();
    return this.#bufferedBytes > this.#bufferBytesMax ? this.#makeRoom() : undefined;
  }

  /** `add` for several, waiting for room as needed; resolves when all were taken, not when they are in the log. */
  async send(records: Iterable<ProducedRecord>): Promise<void> {
    for (const record of records) {
      const room = this.add(record);
      if (room !== undefined) await room;
    }
  }

  /**
   * Resolves when everything added so far is in the log, or `onTooLarge` or `onUndelivered` was told of it.
   * @throws Retriable (not acknowledged within deliveryTimeoutMs), PartitionStopped, Fatal, each naming what is unacknowledged.
   */
  flush(): Promise<void> {
    const awaited = this.#queues.map((queue) => queue.added);
    this.#deliverAll();
    return this.#wait(() => this.#queues.every((queue, index) => queue.done >= awaited[index]!));
  }

  /** Takes no more, and flushes. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#takesMore = false;
    try {
      await this.flush();
    } finally {
      this.#closed = true;
      this.#lingering?.();
      this.#lanes.close();
    }
  }

  #queueOf({ key, partition }: ProducedRecord): PartitionQueue {
    const count = this.#queues.length;
    const queue = this.#queues[partition ?? (key === null ? this.#keyless % count : partitionOf(key, count))];
    if (queue === undefined)
      throw new Fatal(`partition ${String(partition)}: ${this.#options.topic} has partitions 0 to ${count - 1}`);
    return queue;
  }

  #linger(): void {
    this.#lingering ??= this.#options.clock.after(this.#options.lingerMs ?? LINGER_MS, () => {
      this.#lingering = undefined;
      this.#keyless += 1;
      this.#deliverAll();
    });
  }

  #deliverAll(): void {
    for (const queue of this.#queues) {
      queue.expedite();
      this.#deliver(queue);
    }
  }

  #deliver(queue: PartitionQueue): void {
    if (queue.delivering || this.#failure !== undefined) return;
    queue.delivering = true;
    this.#drain(queue).catch((error: unknown) => {
      this.#fail(error);
    });
  }

  async #drain(queue: PartitionQueue): Promise<void> {
    while (queue.next() !== undefined) {
      try {
        await this.#sendNext(queue);
      } catch (error) {
        if (this.#failure !== undefined || !this.#isItsOwn(error)) throw error;
        const undelivered = this.#withUnacknowledged(error, [queue]);
        const given = queue.giveUp();
        this.#freed(given);
        this.#options.onUndelivered?.(queue.partition, given.recordCount, undelivered);
      }
      this.#waiters.release();
    }
    queue.delivering = false;
  }

  async #sendNext(queue: PartitionQueue): Promise<void> {
    if (queue.needsProducer) queue.goOnAs(await this.#successor());
    const batch = queue.next()!;
    const answer = await this.#write(batch);
    this.#check();
    if (answer === undefined) await this.#refused(queue, batch);
    else {
      queue.acknowledge(batch);
      this.#freed(batch);
      this.#options.onAcknowledged?.(queue.partition, answer.baseOffset, batch.recordCount, answer.appendedAt);
    }
  }

  /** True if other batches go on (BP2). A topic that is gone may come back with other partitions. */
  #isItsOwn(error: unknown): boolean {
    if (this.#options.onUndelivered === undefined) return false;
    if (codeOf(error) === KafkaCode.unknownTopicOrPartition) return false;
    return error instanceof Retriable || error instanceof PartitionStopped;
  }

  #freed({ recordCount, bufferedBytes }: Pick<QueuedBatch, 'recordCount' | 'bufferedBytes'>): void {
    this.#bufferedBytes -= bufferedBytes;
    this.#waitingCount -= recordCount;
  }

  /** BP1. undefined: it is too large, and that is borne (BP2). */
  async #write(batch: QueuedBatch): Promise<Pick<ProduceAnswer, 'baseOffset' | 'appendedAt'> | undefined> {
    const { clock, deliveryTimeoutMs = DELIVERY_TIMEOUT_MS, onTooLarge } = this.#options;
    try {
      const passes = (error: unknown): boolean => this.#failure === undefined && isTransient(error);
      return await patiently(clock, { ...RETRY, limitMs: deliveryTimeoutMs }, () => this.#lanes.submit(batch), passes);
    } catch (error) {
      if (codeOf(error) === DUPLICATE_SEQUENCE_NUMBER) return { baseOffset: -1, appendedAt: -1 };
      const isBorne = batch.recordCount > 1 || onTooLarge !== undefined;
      if (isBorne && TOO_LARGE.includes(codeOf(error))) return undefined;
      throw error;
    }
  }

  /** A batch may be too large although none of its records is. */
  async #refused(queue: PartitionQueue, batch: QueuedBatch): Promise<void> {
    await this.#limit.refused(batch.bytes.length);
    if (batch.recordCount > 1) {
      queue.halve(batch);
      return;
    }
    const [record] = recordsIn(batch.bytes, batch);
    queue.drop(batch);
    this.#freed(batch);
    const error = this.#limit.refusal(batch.bytes.length, `a record of ${named(record!.key)}`);
    this.#options.onTooLarge!(queue.partition, error);
  }

  #successor(): Promise<ProducerEpoch> {
    const { clock, deliveryTimeoutMs = DELIVERY_TIMEOUT_MS } = this.#options;
    const passes = (error: unknown): boolean => this.#failure === undefined && error instanceof Retriable;
    return patiently(clock, { ...RETRY, limitMs: deliveryTimeoutMs }, () => newProducer(this.#options), passes);
  }

  /** Compressed, it may still be small enough. */
  #checkSize(record: ProducedRecord): void {
    const { compression = 'none' } = this.#options;
    const bytes = batchBytesOf(record);
    if (compression !== 'none' || bytes <= this.#limit.bytes) return;
    // The limit may have been raised meanwhile: the next record is measured by the new one.
    void this.#limit.refresh();
    throw this.#limit.refusal(bytes);
  }

  /** Waiting for room must not wait for batches that nothing else would fill. */
  #makeRoom(): Promise<void> {
    this.#deliverAll();
    return this.#wait(() => this.#bufferedBytes <= this.#bufferBytesMax / 2);
  }

  #wait(until: () => boolean): Promise<void> {
    return this.#failure === undefined ? this.#waiters.wait(until) : Promise.reject(this.#failure);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** BP2. */
  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = this.#withUnacknowledged(error, this.#queues);
    this.#failure = failure;
    this.#lingering?.();
    this.#lanes.close();
    this.#waiters.reject(failure);
    this.#options.onFailed?.(failure);
  }

  #withUnacknowledged(error: unknown, queues: readonly PartitionQueue[]): Error {
    const counts = queues.flatMap(({ partition, added, done }) =>
      added === done ? [] : [`partition ${partition}: ${added - done}`],
    );
    const message = `${messageOf(error)}; records not acknowledged: ${counts.join(', ')}`;
    if (error instanceof Retriable) return new Retriable(message, error);
    return error instanceof PartitionStopped ? new PartitionStopped(message, error) : new Fatal(message, error);
  }
}

function newProducer({ clock, connection, topic }: BatchProducerOptions): Promise<ProducerEpoch> {
  const doing = `produce to ${topic}`;
  // The transaction timeout means nothing without a transactional id.
  const request = initProducerIdRequest(null, 0);
  return patiently(
    clock,
    { ...RETRY, limitMs: OPEN_LIMIT_MS },
    () => connection.sendAny(request, (payload) => decodeInitProducerId(payload, doing), { doing }),
    (error) => error instanceof Retriable && codeOf(error) !== undefined,
  );
}

function named(key: Uint8Array | null): string {
  return key === null ? 'no key' : JSON.stringify(Buffer.from(key.subarray(0, KEY_SHOWN_BYTES)).toString());
}

/** True if a batch may be sent again with the same sequence number. */
function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof Retriable && code !== DUPLICATE_SEQUENCE_NUMBER && !LOST_SEQUENCE.includes(code);
}
