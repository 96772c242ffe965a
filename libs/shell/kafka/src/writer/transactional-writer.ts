// One producer epoch of one transactional id, committing one transaction at a time (KIP-98, without KIP-890's part 2).
//
// Owns: the epoch, the sequence number and the last known offset of each partition it has written to.
// Does not own: the connection (shared by the writers of a process), what is written, what happens after an error.
//
// Invariants
//   TW1  One life: after the first error of any request it is dead and sends nothing more (kafkajs 2). It never aborts:
//        the broker may have accepted what it seems to have refused, and only a successor's InitProducerId ends that.
//   TW2  Sequence numbers of a partition grow by what was sent, whatever was answered.
//   TW3  At most PRODUCES_MAX requests to one leader are under way, on one connection, where it takes them in the order sent;
//        the answer to each must put its batches above every offset known (kafkajs 1).
//   TW4  `commit` resolves only after the coordinator answered EndTxn without an error.
import {
  assert,
  type Clock,
  type DurationMs,
  Fatal,
  Fenced,
  PartitionStopped,
  Retriable,
  type ReusedMemory,
} from '@flatline/base';
import {
  type GroupOffset,
  recordCount,
  type Transaction,
  type TransactionalWriter,
  type WrittenOffsets,
} from '@flatline/ports';
import { codeOf, KafkaCode, type KafkaConnection, type KafkaRequest, type SendOptions } from '../connection/index.ts';
import { type Compression, worthPacking } from '../record-batch/compressor.ts';
import { type BatchSeal, type RecordBatchEncoder } from '../record-batch/encoder.ts';
import { type GroupCoordinators } from './group-coordinators.ts';
import { stoppedIfMissing } from './missing-topic.ts';
import { PartitionOutbox } from './partition-outbox.ts';
import { patiently, type Patience } from '@flatline/system';
import {
  decodeProduce,
  matchAnswers,
  type PartitionBatch,
  type ProduceAnswer,
  produceRequest,
  refusalOf,
} from './produce-request.ts';
import {
  addOffsetsRequest,
  addPartitionsRequest,
  decodeDone,
  decodePartitionsDone,
  endTransactionRequest,
  type TransactionalEpoch,
  txnOffsetCommitRequest,
} from './producer-requests.ts';
import { sequenceAfter } from './sequence.ts';
import { partitionName } from './topic-groups.ts';

/** Parts that the writers of a process share. */
export interface WriterSurroundings {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly groupCoordinators: GroupCoordinators;
  /** Encoding is synchronous, so one encoder serves every writer. */
  readonly encoder: RecordBatchEncoder;
  readonly compressionOf: (topic: string) => Compression;
  /** Where batches lie until they are answered; with an error they are left to the garbage collector. */
  readonly memory: ReusedMemory;
  readonly requestBytesMax: number;
  /** How long a leader may wait for its followers, unless a commit is given longer. */
  readonly acknowledgeMs: DurationMs;
}

/**
 * Produce requests under way to one leader, so that their waits for followers and the network overlap. As many as a broker
 * remembers of an idempotent producer (max.in.flight.requests.per.connection).
 */
const PRODUCES_MAX = 5;
/** Beyond what a leader may take, before it counts as silent. */
const ANSWER_MARGIN_MS: DurationMs = 1_000;

/**
 * The first requests after a commit meet CONCURRENT_TRANSACTIONS until its markers are written: a millisecond or two,
 * longer while a leader is away. kafkajs waits 300 ms (kafkajs 13).
 */
const SETTLING: Patience = { firstMs: 1, mostMs: 10, limitMs: 10_000 };

/** A request under way, and whose batches it holds. */
interface Produced {
  readonly sent: readonly PartitionOutbox[];
  readonly batches: readonly PartitionBatch[];
  readonly answers: Promise<readonly ProduceAnswer[]>;
}

export class KafkaTransactionalWriter implements TransactionalWriter {
  readonly #epoch: TransactionalEpoch;
  readonly #coordinator: number;
  readonly #shared: WriterSurroundings;
  readonly #sequences = new Map<string, number>();
  readonly #lastOffsets = new Map<string, number>();
  /** How long a request of the commit under way may go unanswered. */
  #answerMs: DurationMs;
  #committing = false;
  /** Why it takes no more commits. */
  #end: Error | undefined;

  /** @param coordinator node that answered InitProducerId with `epoch`. */
  constructor(epoch: TransactionalEpoch, coordinator: number, shared: WriterSurroundings) {
    this.#epoch = epoch;
    this.#coordinator = coordinator;
    this.#shared = shared;
    this.#answerMs = shared.acknowledgeMs;
  }

  get timeoutMs(): DurationMs {
    return this.#epoch.timeoutMs;
  }

  async commit(transaction: Transaction, answerMs = this.#shared.acknowledgeMs): Promise<WrittenOffsets> {
    assert(!this.#committing, 'one commit at a time', { transactionalId: this.#epoch.transactionalId });
    if (this.#end !== undefined) throw refusal(this.#end);
    this.#committing = true;
    this.#answerMs = answerMs;
    try {
      return await this.#commit(transaction);
    } catch (error) {
      // At once, so that requests made in parallel end with it.
      const end = error instanceof Error ? error : new Fatal(String(error));
      this.#end ??= end;
      this.#end = await stoppedIfMissing(end, this.#shared.connection, [...transaction.writes, ...transaction.offsets]);
      throw this.#end;
    } finally {
      this.#committing = false;
    }
  }

  close(): Promise<void> {
    this.#end ??= new Retriable(`closed the writer ${this.#epoch.transactionalId}`);
    return Promise.resolve();
  }

  async #commit({ writes, offsets }: Transaction): Promise<WrittenOffsets> {
    const written = writes.map((): number[] => []);
    const outboxes = outboxesOf(writes, written);
    const groups = byGroup(offsets);
    assert(outboxes.length + groups.length > 0, 'a transaction holds something');
    await Promise.all([this.#addPartitions(outboxes), ...groups.map(([group]) => this.#addOffsets(group))]);
    await Promise.all([
      this.#write(outboxes),
      ...groups.map(([group, groupOffsets]) => this.#commitOffsets(group, groupOffsets)),
    ]);
    await this.#toCoordinator(endTransactionRequest(this.#epoch), decodeDone, 'commit');
    return written;
  }

  async #addPartitions(outboxes: readonly PartitionOutbox[]): Promise<void> {
    if (outboxes.length === 0) return;
    const request = addPartitionsRequest(this.#epoch, outboxes);
    await this.#onceSettled(() => this.#toCoordinator(request, decodePartitionsDone, 'begin'));
  }

  async #addOffsets(group: string): Promise<void> {
    const request = addOffsetsRequest(this.#epoch, group);
    await this.#onceSettled(() => this.#toCoordinator(request, decodeDone, `begin (offsets of group ${group})`));
  }

  async #commitOffsets(group: string, offsets: readonly GroupOffset[]): Promise<void> {
    const { connection, groupCoordinators } = this.#shared;
    const doing = this.#doing(`write the offsets of group ${group}`);
    try {
      const node = await groupCoordinators.find(group);
      this.#check();
      const request = txnOffsetCommitRequest(this.#epoch, group, offsets);
      await connection.send(
        node,
        request,
        (payload) => {
          decodePartitionsDone(payload, doing);
        },
        this.#sendOptions(doing),
      );
    } catch (error) {
      groupCoordinators.forget(group);
      throw error;
    }
  }

  async #write(outboxes: readonly PartitionOutbox[]): Promise<void> {
    const { connection } = this.#shared;
    const leaders = await Promise.all(outboxes.map((outbox) => connection.leader(outbox)));
    const byLeader = Map.groupBy(outboxes, (_, index) => leaders[index]!.nodeId);
    await Promise.all([...byLeader].map(([node, theirs]) => this.#writeToLeader(node, theirs)));
  }

  async #writeToLeader(node: number, outboxes: readonly PartitionOutbox[]): Promise<void> {
    const underWay: Produced[] = [];
    let left = outboxes;
    // One at first: only on a connection that stands do requests keep their order.
    for (let most = 1; left.length + underWay.length > 0;) {
      if (left.length === 0 || underWay.length === most) {
        await this.#acknowledge(underWay.shift()!);
        most = PRODUCES_MAX;
        continue;
      }
      this.#check();
      const batches = this.#cutBatches(left);
      const sent = left.slice(0, batches.length);
      const answers = this.#produce(node, batches);
      // The first failure counts; the others fail with it.
      answers.catch(() => undefined);
      underWay.push({ sent, batches, answers });
      // Batches that waited go first.
      left = [...left.slice(batches.length), ...sent].filter(({ drained }) => !drained);
    }
  }

  async #acknowledge({ sent, batches, answers }: Produced): Promise<void> {
    const answered = await answers;
    for (const { bytes } of batches) this.#shared.memory.giveBack(bytes);
    sent.forEach((outbox, index) => {
      const answer = answered[index]!;
      this.#accept(answer, batches[index]!);
      outbox.acknowledge(batches[index]!.recordCount, answer.baseOffset);
    });
  }

  /** One batch each of the first outboxes, as far as they fit one request. */
  #cutBatches(outboxes: readonly PartitionOutbox[]): readonly PartitionBatch[] {
    const { encoder, compressionOf, memory, requestBytesMax, clock } = this.#shared;
    const batches: PartitionBatch[] = [];
    let room = requestBytesMax;
    for (const outbox of outboxes) {
      encoder.clear();
      outbox.fill(encoder, room, clock.wallMs(), batches.length === 0);
      const recordCount = encoder.count;
      if (recordCount === 0) break;
      const compression = worthPacking(compressionOf(outbox.topic), encoder.byteLength);
      const sealed = encoder.seal(this.#sealFor(outbox, recordCount), compression);
      const bytes = memory.take(sealed.length);
      bytes.set(sealed);
      batches.push({ topic: outbox.topic, partition: outbox.partition, bytes, recordCount });
      room -= bytes.length;
    }
    return batches;
  }

  #sealFor(outbox: PartitionOutbox, recordCount: number): BatchSeal {
    const name = partitionName(outbox);
    const baseSequence = this.#sequences.get(name) ?? 0;
    this.#sequences.set(name, sequenceAfter(baseSequence, recordCount));
    const { producerId, epoch } = this.#epoch;
    return { producerId, producerEpoch: epoch, baseSequence, transactional: true };
  }

  async #produce(node: number, batches: readonly PartitionBatch[]): Promise<readonly ProduceAnswer[]> {
    const { connection } = this.#shared;
    const { transactionalId } = this.#epoch;
    const request = produceRequest(batches, { transactionalId, acknowledgeMs: this.#answerMs });
    const answer = await this.#orForgetLeaders(batches, () =>
      connection.send(node, request, decodeProduce, this.#sendOptions(this.#doing('write'))),
    );
    return matchAnswers(batches, answer);
  }

  /** TW3. */
  #accept(answer: ProduceAnswer, batch: PartitionBatch): void {
    const name = partitionName(answer);
    const doing = this.#doing(`write to ${name}`);
    if (answer.errorCode !== KafkaCode.none) {
      this.#shared.connection.forgetLeaders(answer.topic);
      throw refusalOf(answer, batch, doing);
    }
    const known = this.#lastOffsets.get(name) ?? -1;
    if (answer.baseOffset <= known)
      throw new Retriable(`cannot ${doing}: told offset ${answer.baseOffset}, though ${known} was written before`);
    this.#lastOffsets.set(name, answer.baseOffset + batch.recordCount - 1);
  }

  async #orForgetLeaders<T>(batches: readonly PartitionBatch[], send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      for (const { topic } of batches) this.#shared.connection.forgetLeaders(topic);
      throw error;
    }
  }

  async #toCoordinator(
    request: KafkaRequest,
    decode: (payload: Buffer, doing: string) => void,
    what: string,
  ): Promise<void> {
    this.#check();
    const doing = this.#doing(what);
    await this.#shared.connection.send(
      this.#coordinator,
      request,
      (payload) => {
        decode(payload, doing);
      },
      this.#sendOptions(doing),
    );
  }

  #onceSettled(attempt: () => Promise<void>): Promise<void> {
    return patiently(
      this.#shared.clock,
      SETTLING,
      attempt,
      (error) => codeOf(error) === KafkaCode.concurrentTransactions,
    );
  }

  /** Where one of several parallel requests has failed, the others stop. */
  #check(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  #sendOptions(doing: string): SendOptions {
    return { doing, timeoutMs: this.#answerMs + ANSWER_MARGIN_MS };
  }

  #doing(what: string): string {
    return `${what} as ${this.#epoch.transactionalId}`;
  }
}

function outboxesOf(writes: Transaction['writes'], written: readonly number[][]): readonly PartitionOutbox[] {
  const outboxes = new Map<string, PartitionOutbox>();
  writes.forEach((write, index) => {
    if (recordCount(write) === 0) return;
    const name = partitionName(write);
    const outbox = outboxes.get(name) ?? new PartitionOutbox(write);
    outbox.append(write, written[index]!);
    outboxes.set(name, outbox);
  });
  return [...outboxes.values()];
}

function byGroup(offsets: readonly GroupOffset[]): readonly (readonly [string, readonly GroupOffset[]])[] {
  return [...Map.groupBy(offsets, ({ group }) => group)];
}

/** The consequence of a dead writer's first error holds for everything asked of it later. */
function refusal(end: Error): Error {
  const message = `the writer takes no more commits: ${end.message}`;
  if (end instanceof Fenced) return new Fenced(message, end);
  if (end instanceof PartitionStopped) return new PartitionStopped(message, end);
  return end instanceof Fatal ? new Fatal(message, end) : new Retriable(message, end);
}
