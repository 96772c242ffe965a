// The brokers' transaction coordinator: which producer epoch has a transactional id, and how its transaction ends.
//
//   empty ─▶ ongoing ─▶ ending (marker going out to every participant) ─▶ empty
//              └─ InitProducerId of a successor, or the timeout: epoch + 1, ending with abort
//
// As of Kafka 3.6 to 4, with the client's protocol from before KIP-890 part 2: one epoch for many transactions, so a
// delayed EndTxn ends whichever transaction of that epoch is open when it arrives.
//
// Owns: transactional ids, their epochs and participants.
// Does not own: the batches of partitions.
//
// Invariants
//   CD1  The epoch of a transactional id never goes back, and only requests of the newest epoch are heard.
//   CD2  A new transaction begins only when every participant of the last one has its marker, replicated.
import { type Cancel, type DurationMs, TRANSACTION_TIMEOUT_MAX_MS } from '@flatline/base';
import type { GroupOffset, TopicPartition } from '@flatline/ports';
import type { FaultPlan } from './fault-plan.ts';
import type { GroupOffsets } from './group-offsets.ts';
import type { LogBatch, Marker } from './log-batch.ts';
import type { SimulatedPartition } from './simulated-partition.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ProducerIdentity {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly epoch: number;
}

/** `concurrent`: the last transaction is still ending; ask again. `fenced`: another epoch has the id. */
export type CoordinatorVerdict = 'ok' | 'concurrent' | 'fenced' | 'invalidState';

/** A transaction as the coordinator decided it, with its batches: read by checkers at the end of a world. */
export interface EndedTransaction {
  readonly transactionalId: string;
  readonly epoch: number;
  readonly marker: Marker;
  /** Virtual time of the decision. */
  readonly atMs: DurationMs;
  readonly writes: readonly TransactionWrites[];
  readonly offsets: readonly GroupOffset[];
}

/** Batches of a transaction in one partition. */
export interface TransactionWrites extends TopicPartition {
  /** Batches in the log when it was decided. */
  readonly batches: readonly LogBatch[];
  /** The same, with those that an election had removed by then. */
  readonly written: readonly LogBatch[];
}

interface Participant {
  readonly place: TopicPartition;
  readonly log: SimulatedPartition;
}

interface Holder {
  readonly transactionalId: string;
  readonly producerId: number;
  epoch: number;
  timeoutMs: DurationMs;
  state: 'empty' | 'ongoing' | 'ending';
  readonly participants: Map<string, Participant>;
  holdsOffsets: boolean;
  cancelTimeout: Cancel;
}

export interface CoordinatorEnvironment {
  readonly time: VirtualTime;
  readonly faults: FaultPlan;
  readonly trace: Trace;
  readonly offsets: GroupOffsets;
  readonly partition: (partition: TopicPartition) => SimulatedPartition | undefined;
  readonly onEnd: (transaction: EndedTransaction) => void;
}

const name = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;
const nothing = (): void => undefined;

export class TransactionCoordinator {
  readonly #environment: CoordinatorEnvironment;
  readonly #holders = new Map<string, Holder>();
  /** `transaction.max.timeout.ms`; none is granted that is longer. */
  timeoutMaxMs: DurationMs = TRANSACTION_TIMEOUT_MAX_MS;
  #nextProducerId = 1000;

  constructor(environment: CoordinatorEnvironment) {
    this.#environment = environment;
  }

  /** The current epoch of this id; undefined: never used. */
  epochOf(transactionalId: string): number | undefined {
    return this.#holders.get(transactionalId)?.epoch;
  }

  /** InitProducerId without a transactional id: of a producer that is idempotent, and fences no other. */
  newProducerId(): number {
    return this.#nextProducerId++;
  }

  /** True if this id has a transaction that is open or not yet decided everywhere. */
  unsettled(transactionalId: string): boolean {
    return (this.#holders.get(transactionalId)?.state ?? 'empty') !== 'empty';
  }

  /** True if this very epoch has a transaction open. */
  isOngoing(identity: ProducerIdentity): boolean {
    return this.#heard(identity)?.state === 'ongoing';
  }

  /** InitProducerId: 'concurrent' while the transaction left open by the former owner is being settled. */
  initProducerId(transactionalId: string, timeoutMs: DurationMs): ProducerIdentity | 'concurrent' {
    const holder = this.#holders.get(transactionalId) ?? this.#created(transactionalId);
    if (holder.state === 'ongoing') {
      this.#environment.faults.count('initAbortsOpenTransaction');
      this.#fenceAndAbort(holder);
    }
    if (holder.state === 'ending') return 'concurrent';
    holder.epoch += 1;
    holder.timeoutMs = timeoutMs;
    return { transactionalId, producerId: holder.producerId, epoch: holder.epoch };
  }

  addPartitions(identity: ProducerIdentity, partitions: readonly TopicPartition[]): CoordinatorVerdict {
    return this.#join(identity, (holder) => {
      for (const { topic, partition } of partitions) {
        const place = { topic, partition };
        const log = this.#environment.partition(place);
        if (log !== undefined) holder.participants.set(name(place), { place, log });
      }
    });
  }

  addOffsets(identity: ProducerIdentity): CoordinatorVerdict {
    return this.#join(identity, (holder) => {
      holder.holdsOffsets = true;
    });
  }

  /** KIP-890 part 1: the partition leader asks before it appends. */
  verifyProduce(identity: ProducerIdentity, partition: TopicPartition): CoordinatorVerdict {
    return this.#verified(identity, (holder) => holder.participants.has(name(partition)));
  }

  verifyOffsets(identity: ProducerIdentity): CoordinatorVerdict {
    return this.#verified(identity, (holder) => holder.holdsOffsets);
  }

  /** Answered as soon as the decision is written; markers go out afterwards. */
  endTxn(identity: ProducerIdentity, marker: Marker): CoordinatorVerdict {
    const holder = this.#heard(identity);
    if (holder === undefined) {
      this.#environment.faults.count('EndTxn/refused');
      return 'fenced';
    }
    if (holder.state === 'ending') return 'concurrent';
    if (holder.state === 'empty') return 'invalidState';
    this.#end(holder, marker);
    return 'ok';
  }

  #created(transactionalId: string): Holder {
    const holder: Holder = {
      transactionalId,
      producerId: this.#nextProducerId++,
      epoch: -1,
      timeoutMs: 0,
      state: 'empty',
      participants: new Map(),
      holdsOffsets: false,
      cancelTimeout: nothing,
    };
    this.#holders.set(transactionalId, holder);
    return holder;
  }

  #heard({ transactionalId, epoch }: ProducerIdentity): Holder | undefined {
    const holder = this.#holders.get(transactionalId);
    return holder?.epoch === epoch ? holder : undefined;
  }

  #join(identity: ProducerIdentity, add: (holder: Holder) => void): CoordinatorVerdict {
    const holder = this.#heard(identity);
    if (holder === undefined) return 'fenced';
    if (holder.state === 'ending') return 'concurrent';
    if (holder.state === 'empty') this.#begin(holder);
    add(holder);
    return 'ok';
  }

  #verified(identity: ProducerIdentity, takesPart: (holder: Holder) => boolean): CoordinatorVerdict {
    const holder = this.#heard(identity);
    if (holder === undefined) return 'fenced';
    return holder.state === 'ongoing' && takesPart(holder) ? 'ok' : 'invalidState';
  }

  #begin(holder: Holder): void {
    holder.state = 'ongoing';
    holder.cancelTimeout = this.#environment.time.after(holder.timeoutMs, () => {
      this.#environment.faults.count('transactionTimeout');
      this.#environment.trace.note(`${holder.transactionalId} times out`);
      this.#fenceAndAbort(holder);
    });
  }

  #fenceAndAbort(holder: Holder): void {
    holder.epoch += 1;
    this.#end(holder, 'abort');
  }

  #end(holder: Holder, marker: Marker): void {
    holder.cancelTimeout();
    holder.state = 'ending';
    this.#environment.faults.count(`transaction/${marker}`);
    this.#environment.trace.note(`${holder.transactionalId} epoch ${holder.epoch} ${marker}`);
    this.#environment.onEnd(this.#ended(holder, marker));
    let open = holder.participants.size + 1;
    const done = (): void => {
      open -= 1;
      if (open === 0) this.#settled(holder);
    };
    for (const { log } of holder.participants.values()) this.#sendMarker(holder, log, marker, done);
    this.#environment.time.after(this.#environment.faults.networkDelayMs(), () => {
      this.#environment.offsets.resolve(holder.producerId, marker === 'commit');
      done();
    });
  }

  #ended({ transactionalId, producerId, epoch, participants }: Holder, marker: Marker): EndedTransaction {
    const { time, offsets } = this.#environment;
    const writes = [...participants.values()].map(({ place, log }) => ({
      ...place,
      batches: log.openBatches(producerId),
      written: log.writtenBatches(producerId),
    }));
    return { transactionalId, epoch, marker, atMs: time.nowMs, writes, offsets: offsets.held(producerId) };
  }

  #settled(holder: Holder): void {
    holder.state = 'empty';
    holder.participants.clear();
    holder.holdsOffsets = false;
  }

  /** WriteTxnMarkers, repeated until it is replicated. */
  #sendMarker(holder: Holder, participant: SimulatedPartition, marker: Marker, done: () => void): void {
    const { time, faults } = this.#environment;
    const producer = { producerId: holder.producerId, epoch: holder.epoch, baseSequence: -1, transactional: true };
    time.after(faults.networkDelayMs(), () => {
      participant.append({ records: [], producer, marker }, (outcome) => {
        if (outcome.kind === 'leaderChanged') this.#sendMarker(holder, participant, marker, done);
        else done();
      });
    });
  }
}
