// An idempotent producer of one topic, in the place of the real AcknowledgedWriter: it says of each record when it was appended.
//
// Owns: its queues and sequence numbers.
// Does not own: the brokers' decisions (SimulatedPartition).
//
// Invariants
//   IW1  One batch per partition is under way. It is sent again, with the same sequence number, until it is acknowledged: however
//        late, each record lies in the log once, in the order of the calls.
import { type Millis, PartitionStopped, partitionOf, Retriable, type DurationMs } from '@flatline/base';
import type { OutgoingRecord } from '@flatline/ports';
import type { BatchProducer } from './log-batch.ts';
import type { Answer } from './network.ts';
import type { SimulatedPartition } from './simulated-partition.ts';
import type { WriterEnvironment } from './simulated-transactions.ts';

export interface KeyedRecord extends OutgoingRecord {
  readonly key: Uint8Array;
}

interface Waiting {
  readonly record: KeyedRecord;
  readonly resolve: (appendedAt: Millis) => void;
  readonly reject: (error: unknown) => void;
}

interface Queue {
  readonly waiting: Waiting[];
  nextSequence: number;
  /** Settled once nothing waits. */
  sending: Promise<void> | undefined;
}

const BATCH_RECORDS_MAX = 500;
const RETRY_MS: DurationMs = 50;

export class SimulatedAcknowledgedWriter {
  readonly #environment: WriterEnvironment;
  readonly #topic: string;
  readonly #producerId: number;
  readonly #queues = new Map<number, Queue>();

  constructor(environment: WriterEnvironment, topic: string) {
    this.#environment = environment;
    this.#topic = topic;
    this.#producerId = environment.log.transactions.newProducerId();
  }

  /** Resolves with the append time. Never rejects while its partition is there, however long no broker takes the record. */
  write(record: KeyedRecord): Promise<Millis> {
    const partition = partitionOf(record.key, this.#environment.log.partitionsOf(this.#topic));
    const queue = this.#queues.get(partition) ?? { waiting: [], nextSequence: 0, sending: undefined };
    this.#queues.set(partition, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ record, resolve, reject });
      queue.sending ??= this.#send(partition, queue);
    });
  }

  /** Resolves once nothing waits. */
  async close(): Promise<void> {
    for (const { sending } of [...this.#queues.values()]) await sending;
  }

  async #send(partition: number, queue: Queue): Promise<void> {
    // Records written in this turn share a batch.
    await Promise.resolve();
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.slice(0, BATCH_RECORDS_MAX);
      try {
        const appendedAt = await this.#acknowledged(partition, queue, batch);
        queue.nextSequence += batch.length;
        queue.waiting.splice(0, batch.length);
        for (const { resolve } of batch) resolve(appendedAt);
      } catch (error) {
        for (const { reject } of queue.waiting.splice(0)) reject(error);
      }
    }
    queue.sending = undefined;
  }

  async #acknowledged(partition: number, { nextSequence }: Queue, batch: readonly Waiting[]): Promise<Millis> {
    const { host } = this.#environment;
    const producer = { producerId: this.#producerId, epoch: 0, baseSequence: nextSequence, transactional: false };
    const records = batch.map(({ record }) => record);
    for (;;) {
      try {
        return await this.#produce(partition, producer, records);
      } catch (error) {
        if (!(error instanceof Retriable)) throw error;
      }
      await new Promise<void>((resolve) => host.after(RETRY_MS, resolve));
    }
  }

  #produce(partition: number, producer: BatchProducer, records: readonly KeyedRecord[]): Promise<Millis> {
    const { host, network, log } = this.#environment;
    const about = `${this.#topic}-${partition}`;
    return network.request<Millis>(host, {
      kind: 'Produce',
      about: `${about} ${producer.baseSequence}`,
      serve: (answer) => {
        const leader = log.find({ topic: this.#topic, partition });
        if (leader === undefined) {
          answer.fail(new PartitionStopped(`${about} does not exist`));
          return;
        }
        leader.append({ records, producer }, (outcome) => {
          if (outcome.kind === 'acked') answerOnceReplicated(leader, outcome.baseOffset, answer);
          else answer.fail(new Retriable(`produce to ${about}: ${outcome.kind}`));
        });
      },
    });
  }
}

/** A batch that the leader has already may not be replicated yet, and then its sender waits like the first. */
function answerOnceReplicated(leader: SimulatedPartition, baseOffset: number, answer: Answer<Millis>): void {
  const { leaderEpoch } = leader;
  const look = (): boolean => {
    const batch = leader.batchAt(baseOffset);
    if (leader.leaderEpoch !== leaderEpoch) answer.fail(new Retriable('the leader changed'));
    else if (batch !== undefined) answer.ok(batch.maxTimestamp);
    else return false;
    return true;
  };
  if (look()) return;
  const stop = leader.onChange(() => {
    if (look()) stop();
  });
}
