// The TransactionalWriters of one process: kafkajs' sequence of requests, any of which the fault plan may hit.
//
// Owns: producer identities and their sequences.
// Does not own: the brokers' decisions (TransactionCoordinator).
//
// Invariants
//   SX1  One transaction at a time per writer; after the first error the writer is dead and asked for nothing more.
//   SX2  EndTxn is sent only when every produce and offset commit of the transaction was acknowledged.
import { Fenced, PartitionStopped, Retriable, assert, type DurationMs, TRANSACTION_TIMEOUT_MS } from '@flatline/base';
import type {
  GroupOffset,
  OutgoingRecord,
  OutgoingRecords,
  TopicPartition,
  Transaction,
  TransactionalWriter,
  TransactionalWriters,
  WrittenOffsets,
} from '@flatline/ports';
import type { FaultPlan, RequestKind } from './fault-plan.ts';
import { batchBytes } from './log-batch.ts';
import type { Answer, Network } from './network.ts';
import type { SimulatedHost } from './simulated-host.ts';
import type { SimulatedLog } from './simulated-log.ts';
import type { AppendRequest } from './partition-requests.ts';
import type { CoordinatorVerdict, ProducerIdentity } from './transaction-coordinator.ts';
import type { VirtualTime } from './virtual-time.ts';

const BATCH_RECORDS_MAX = 500;
/** CONCURRENT_TRANSACTIONS is retried after this, for up to CONCURRENT_WAIT_MS. */
const CONCURRENT_RETRY_MS: DurationMs = 20;
const CONCURRENT_WAIT_MS: DurationMs = 30_000;

export interface WriterEnvironment {
  readonly host: SimulatedHost;
  readonly network: Network;
  readonly log: SimulatedLog;
  readonly faults: FaultPlan;
  readonly time: VirtualTime;
}

const place = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;

function verdictError(verdict: Exclude<CoordinatorVerdict, 'ok' | 'concurrent'>, about: string): Error {
  if (verdict === 'fenced') return new Fenced(`${about}: another epoch holds the transactional id, or it timed out`);
  return new Retriable(`${about}: the transaction is not in a state for this`);
}

/** A dead writer refuses everything with the consequence of its first error. */
function refusal(end: Error): Error {
  const message = `the writer takes no more commits: ${end.message}`;
  if (end instanceof Fenced) return new Fenced(message, end);
  return end instanceof PartitionStopped ? new PartitionStopped(message, end) : new Retriable(message, end);
}

/** Repeats `attempt` while the broker is still settling the id's last transaction. */
async function whileConcurrent<T>(
  host: SimulatedHost,
  about: string,
  attempt: () => Promise<T | 'concurrent'>,
): Promise<T> {
  const giveUpAtMs = host.monotonicMs() + CONCURRENT_WAIT_MS;
  for (;;) {
    const outcome = await attempt();
    if (outcome !== 'concurrent') return outcome;
    if (host.monotonicMs() >= giveUpAtMs) throw new Retriable(`${about}: the last transaction is still being settled`);
    await new Promise<void>((resolve) => host.after(CONCURRENT_RETRY_MS, resolve));
  }
}

export class SimulatedTransactions implements TransactionalWriters {
  readonly timeoutMs: DurationMs;
  readonly #environment: WriterEnvironment;

  constructor(environment: WriterEnvironment, timeoutMs: DurationMs = TRANSACTION_TIMEOUT_MS) {
    this.#environment = environment;
    this.timeoutMs = timeoutMs;
  }

  async open(transactionalId: string, askedMs: DurationMs = this.timeoutMs): Promise<SimulatedWriter> {
    const { host, network, log } = this.#environment;
    const timeoutMs = Math.min(askedMs, log.transactions.timeoutMaxMs);
    const identity = await whileConcurrent(host, transactionalId, () =>
      network.request<ProducerIdentity | 'concurrent'>(host, {
        kind: 'InitProducerId',
        about: transactionalId,
        serve: (answer) => {
          answer.ok(log.transactions.initProducerId(transactionalId, timeoutMs));
        },
      }),
    );
    return new SimulatedWriter(this.#environment, identity, { timeoutMs, answerMs: this.timeoutMs });
  }
}

class SimulatedWriter implements TransactionalWriter {
  readonly timeoutMs: DurationMs;
  readonly #environment: WriterEnvironment;
  readonly #identity: ProducerIdentity;
  readonly #answerMs: DurationMs;
  /** Time limit of the requests of the commit under way. */
  #patienceMs: DurationMs;
  readonly #sequences = new Map<string, number>();
  #committing = false;
  /** Why it takes no more commits. */
  #end: Error | undefined;

  constructor(
    environment: WriterEnvironment,
    identity: ProducerIdentity,
    { timeoutMs, answerMs }: { readonly timeoutMs: DurationMs; readonly answerMs: DurationMs },
  ) {
    this.#environment = environment;
    this.#identity = identity;
    this.timeoutMs = timeoutMs;
    this.#answerMs = answerMs;
    this.#patienceMs = answerMs;
  }

  /** The writer with the greatest one has fenced all others of its id. */
  get epoch(): number {
    return this.#identity.epoch;
  }

  async commit(transaction: Transaction, answerMs: DurationMs = this.#answerMs): Promise<WrittenOffsets> {
    assert(!this.#committing, 'one commit at a time (SX1)', { ...this.#identity });
    if (this.#end !== undefined) throw refusal(this.#end);
    this.#patienceMs = answerMs;
    this.#committing = true;
    try {
      return await this.#transact(transaction);
    } catch (error) {
      this.#end ??= error as Error;
      throw error;
    } finally {
      this.#committing = false;
    }
  }

  close(): Promise<void> {
    this.#end ??= new Retriable(`closed the writer ${this.#about()}`);
    return Promise.resolve();
  }

  async #transact({ writes, offsets }: Transaction): Promise<WrittenOffsets> {
    assert(writes.length + offsets.length > 0, 'a transaction holds something');
    const { transactions } = this.#environment.log;
    await Promise.all([
      writes.length > 0 && this.#ask('AddPartitionsToTxn', () => transactions.addPartitions(this.#identity, writes)),
      offsets.length > 0 && this.#ask('AddOffsetsToTxn', () => transactions.addOffsets(this.#identity)),
    ]);
    const [written] = await Promise.all([
      this.#produceAll(writes),
      offsets.length > 0 && this.#ask('TxnOffsetCommit', () => this.#holdOffsets(offsets)),
    ]);
    await this.#ask('EndTxn', () => transactions.endTxn(this.#identity, 'commit'));
    return written;
  }

  /** Partitions in parallel; the elements for one partition, and the batches of one element, in sequence. */
  #produceAll(writes: readonly OutgoingRecords[]): Promise<WrittenOffsets> {
    const lines = new Map<string, Promise<unknown>>();
    const written = writes.map((write) => {
      const before = lines.get(place(write)) ?? Promise.resolve();
      const line = before.then(() => this.#produce(write));
      lines.set(place(write), line);
      return line;
    });
    return Promise.all(written);
  }

  async #produce(write: OutgoingRecords): Promise<number[]> {
    const offsets: number[] = [];
    this.#check();
    const { topic, partition, records } = write;
    for (let at = 0; at < records.length;) {
      this.#check();
      const batch = this.#cut({ topic, partition, records }, at);
      const baseOffset = await this.#produceBatch(write, batch);
      batch.forEach((_, index) => offsets.push(baseOffset + index));
      at += batch.length;
    }
    return offsets;
  }

  /** Takes the next records up to the limits, or up to a cut by the seed. */
  #cut({ topic, partition, records }: OutgoingRecords, from: number): OutgoingRecord[] {
    const wanted = this.#environment.faults.coin()
      ? BATCH_RECORDS_MAX
      : 1 + this.#environment.faults.below(records.length - from);
    const bytesMax = this.#environment.log.find({ topic, partition })?.maxMessageBytes ?? Infinity;
    const batch: OutgoingRecord[] = [];
    for (let at = from; at < records.length && batch.length < wanted; at += 1) {
      batch.push(copyOf(records[at]!));
      if (batchBytes(batch) <= bytesMax) continue;
      batch.pop();
      break;
    }
    if (batch.length > 0) return batch;
    throw new PartitionStopped(
      `${topic}-${partition}: a record of ${batchBytes([records[from]!])} bytes is above max.message.bytes ${bytesMax}`,
    );
  }

  #produceBatch(partition: TopicPartition, records: readonly OutgoingRecord[]): Promise<number> {
    const { host, network, faults, time } = this.#environment;
    const baseSequence = this.#sequences.get(place(partition)) ?? 0;
    this.#sequences.set(place(partition), baseSequence + records.length);
    const { producerId, epoch } = this.#identity;
    const producer = { producerId, epoch, baseSequence, transactional: true };
    const about = `${this.#about()} ${place(partition)} x${records.length}`;
    return network.request<number>(host, {
      kind: 'Produce',
      about,
      timeoutMs: this.#patienceMs,
      serve: (answer) => {
        const append = (): void => {
          this.#append(partition, { records, producer }, about, answer);
        };
        const takesMs = faults.produceDelayMs();
        if (takesMs === 0) append();
        else time.after(takesMs, append);
      },
    });
  }

  /** Runs at the broker. */
  #append(partition: TopicPartition, request: AppendRequest, about: string, answer: Answer<number>): void {
    const { log } = this.#environment;
    const verdict = log.transactions.verifyProduce(this.#identity, partition);
    const leader = log.find(partition);
    if (leader === undefined) answer.fail(new PartitionStopped(`${place(partition)} does not exist`));
    else if (verdict !== 'ok') answer.fail(verdictError(verdict === 'fenced' ? verdict : 'invalidState', about));
    else {
      leader.append(request, (outcome) => {
        if (outcome.kind === 'acked') answer.ok(outcome.baseOffset);
        else if (outcome.kind === 'fencedEpoch') answer.fail(verdictError('fenced', about));
        else answer.fail(new Retriable(`${about}: ${outcome.kind}`));
      });
    }
  }

  /** Runs at the broker. */
  #holdOffsets(offsets: readonly GroupOffset[]): CoordinatorVerdict {
    const { transactions, offsets: groupOffsets } = this.#environment.log;
    const verdict = transactions.verifyOffsets(this.#identity);
    if (verdict === 'ok') groupOffsets.hold(this.#identity.producerId, offsets);
    return verdict;
  }

  /** Sends one request to a coordinator, repeated while it answers 'concurrent'. */
  #ask(kind: RequestKind, decide: () => CoordinatorVerdict): Promise<'ok'> {
    const { host, network } = this.#environment;
    const about = this.#about();
    return whileConcurrent(host, about, () => {
      this.#check();
      return network.request<'ok' | 'concurrent'>(host, {
        kind,
        about,
        timeoutMs: this.#patienceMs,
        serve: (answer) => {
          const verdict = decide();
          if (verdict === 'ok' || verdict === 'concurrent') answer.ok(verdict);
          else answer.fail(verdictError(verdict, `${kind} ${about}`));
        },
      });
    });
  }

  /** Once one of several parallel requests has failed, the others stop. */
  #check(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  #about(): string {
    return `${this.#identity.transactionalId}#${this.#identity.epoch}`;
  }
}

/** Copies because a real writer encodes: the memory of blocks is reused once their commit is settled and flushed. */
function copyOf(record: OutgoingRecord): OutgoingRecord {
  return { ...record, value: record.value && Uint8Array.from(record.value) };
}
