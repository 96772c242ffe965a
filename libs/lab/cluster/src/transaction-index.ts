// One partition's knowledge of producers: epochs, sequences, and which stretches of its log are open, committed, aborted.
//
// Owns: producer states, transactions of this partition.
// Does not own: batches, the high watermark (SimulatedPartition).
//
// Invariants
//   TX1  A transaction is undecided until its marker is below the high watermark, so a batch that a change of leader can still
//        remove has never been visible.
import type { OpenTransaction } from '@flatline/ports';
import type { BatchProducer, LogBatch, Marker } from './log-batch.ts';

interface ProducerState {
  epoch: number;
  lastSequence: number;
  /** First sequence number of the batch that brought `lastSequence`. */
  lastBaseSequence: number;
  lastBaseOffset: number;
}

interface PartitionTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  marker: { readonly offset: number; readonly kind: Marker } | undefined;
}

export type Admission =
  | { readonly kind: 'next' }
  | { readonly kind: 'duplicate'; readonly baseOffset: number }
  | { readonly kind: 'fencedEpoch' | 'outOfOrderSequence' };

export class TransactionIndex {
  #producers = new Map<number, ProducerState>();
  /** Not yet decided for good, in order of first offset. */
  #undecided: PartitionTransaction[] = [];
  /** Per producer id, in log order. */
  #aborted = new Map<number, { readonly first: number; readonly last: number }[]>();

  /** Decides whether this producer may append next. A marker passes with the same epoch or a greater one, and has no sequence. */
  admit(producer: BatchProducer, marker: Marker | undefined, count: number): Admission {
    const state = this.#producers.get(producer.producerId);
    if (state === undefined) return { kind: 'next' };
    if (producer.epoch < state.epoch) return { kind: 'fencedEpoch' };
    if (marker !== undefined) return { kind: 'next' };
    if (producer.epoch > state.epoch) return { kind: producer.baseSequence === 0 ? 'next' : 'outOfOrderSequence' };
    if (producer.baseSequence === state.lastSequence + 1) return { kind: 'next' };
    const repeated =
      producer.baseSequence === state.lastBaseSequence && producer.baseSequence + count - 1 === state.lastSequence;
    return repeated ? { kind: 'duplicate', baseOffset: state.lastBaseOffset } : { kind: 'outOfOrderSequence' };
  }

  appended(batch: LogBatch): void {
    const { producer } = batch;
    if (producer === undefined) return;
    this.#recordProducer(producer, batch);
    if (batch.marker !== undefined) {
      const open = this.#openOf(producer.producerId);
      // A marker resent after a change of leader finds nothing open and decides nothing.
      if (open !== undefined) open.marker = { offset: batch.baseOffset, kind: batch.marker };
    } else if (producer.transactional && this.#openOf(producer.producerId) === undefined) {
      this.#undecided.push({ producerId: producer.producerId, firstOffset: batch.baseOffset, marker: undefined });
    }
  }

  /** Takes the new high watermark: markers below it decide their transactions. */
  replicated(highWatermark: number): void {
    this.#undecided = this.#undecided.filter((transaction) => {
      const { marker } = transaction;
      if (marker === undefined || marker.offset >= highWatermark) return true;
      if (marker.kind === 'abort') this.#noteAborted(transaction, marker.offset);
      return false;
    });
  }

  /** First offset of this producer's open transaction; undefined: none. */
  openSince(producerId: number): number | undefined {
    return this.#openOf(producerId)?.firstOffset;
  }

  open(): readonly OpenTransaction[] {
    return this.#undecided
      .filter(({ marker }) => marker === undefined)
      .map(({ producerId, firstOffset }) => {
        return { producerId, producerEpoch: this.#producers.get(producerId)!.epoch, firstOffset };
      });
  }

  lastStableOffset(highWatermark: number): number {
    return Math.min(highWatermark, this.#undecided[0]?.firstOffset ?? highWatermark);
  }

  isAborted(batch: LogBatch): boolean {
    if (batch.producer?.transactional !== true || batch.marker !== undefined) return false;
    const stretches = this.#aborted.get(batch.producer.producerId) ?? [];
    return stretches.some(({ first, last }) => first <= batch.baseOffset && batch.baseOffset < last);
  }

  /** Forgets everything at and above `logEnd`; `batches` are those left. */
  cut(logEnd: number, batches: readonly LogBatch[]): void {
    this.#undecided = this.#undecided.filter((transaction) => transaction.firstOffset < logEnd);
    for (const transaction of this.#undecided) {
      if (transaction.marker !== undefined && transaction.marker.offset >= logEnd) transaction.marker = undefined;
    }
    // An unclean election may remove decided transactions too; the rest of an aborted one stays aborted.
    for (const [producerId, stretches] of this.#aborted) {
      const kept = stretches.filter(({ first }) => first < logEnd);
      this.#aborted.set(
        producerId,
        kept.map(({ first, last }) => ({ first, last: Math.min(last, logEnd) })),
      );
    }
    this.#producers = new Map();
    for (const batch of batches) if (batch.producer !== undefined) this.#recordProducer(batch.producer, batch);
  }

  #recordProducer(producer: BatchProducer, batch: LogBatch): void {
    const state = this.#producers.get(producer.producerId);
    if (batch.marker !== undefined) {
      // The epoch of a fencing marker keeps the fenced producer out; its successor begins at sequence 0 with its own epoch.
      const lastSequence = state !== undefined && state.epoch === producer.epoch ? state.lastSequence : -1;
      this.#producers.set(producer.producerId, {
        epoch: producer.epoch,
        lastSequence,
        lastBaseSequence: state?.lastBaseSequence ?? -1,
        lastBaseOffset: state?.lastBaseOffset ?? -1,
      });
      return;
    }
    this.#producers.set(producer.producerId, {
      epoch: producer.epoch,
      lastSequence: producer.baseSequence + (batch.lastOffset - batch.baseOffset),
      lastBaseSequence: producer.baseSequence,
      lastBaseOffset: batch.baseOffset,
    });
  }

  /** The transaction of this producer without a marker; there is at most one. */
  #openOf(producerId: number): PartitionTransaction | undefined {
    return this.#undecided.find((open) => open.producerId === producerId && open.marker === undefined);
  }

  #noteAborted({ producerId, firstOffset }: PartitionTransaction, markerOffset: number): void {
    const stretches = this.#aborted.get(producerId) ?? [];
    stretches.push({ first: firstOffset, last: markerOffset });
    this.#aborted.set(producerId, stretches);
  }
}
