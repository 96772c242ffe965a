// Follows the transactions in one of our own logs by its batches: which producer wrote, which are still open (V6, V7).
//
// Owns: each producer's epoch and open transaction.
// Does not own: records.
import type { BatchMark, OpenTransaction } from '../logs/history.ts';
import type { Place } from './place.ts';

/** One transaction of one log. */
export interface TransactionMark {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Counts the producer's transactions in this log. */
  readonly ordinal: number;
}

interface ProducerState {
  epoch: number;
  ordinal: number;
  /** Where the open transaction begins. */
  firstOffset: number | undefined;
}

export interface PassedBatch {
  readonly lastOffset: number;
  readonly transaction: TransactionMark | undefined;
}

export interface BatchWalk {
  /** Takes in the next batches, in offset order. */
  pass(batches: readonly BatchMark[]): PassedBatch[];
}

/** Tells who has written to a log that is not judged by itself. */
export const writers: BatchWalk = {
  pass: (batches) =>
    batches.map(({ lastOffset, transactional, producerId, producerEpoch }) => ({
      lastOffset,
      transaction: transactional ? { producerId, producerEpoch, ordinal: 0 } : undefined,
    })),
};

/** Names one start of a producer; undefined: it was none that writes transactions. */
export function writerOf(transaction: TransactionMark | undefined): string | undefined {
  return transaction && `${transaction.producerId}:${transaction.producerEpoch}`;
}

export class TransactionWalk implements BatchWalk {
  readonly #place: Place;
  readonly #access: 'alone' | 'shared';
  readonly #producers = new Map<number, ProducerState>();
  #writer = '';
  /** Producer ids and epochs, each counted when it began to write. */
  writers = 0;
  aborted = 0;

  /** `shared`: others than the task may have transactions there. */
  constructor(place: Place, access: 'alone' | 'shared' = 'alone') {
    this.#place = place;
    this.#access = access;
  }

  /** Takes in the next batches, in offset order. */
  pass(batches: readonly BatchMark[]): PassedBatch[] {
    return batches.map((batch) => ({ lastOffset: batch.lastOffset, transaction: this.#pass(batch) }));
  }

  /** Reports the transactions that have not ended. `hanging`: those that the broker lists behind the end of the walk. */
  finish(hanging: readonly OpenTransaction[]): void {
    const here = [...this.#producers].flatMap(([producerId, { firstOffset }]) =>
      firstOffset === undefined ? [] : [{ producerId, firstOffset }],
    );
    for (const { producerId, firstOffset } of [...here, ...hanging])
      this.#place.violation('V6', {
        offset: firstOffset,
        what: `the transaction of producer ${producerId} that begins here hangs: nothing ends it, and no read_committed reader gets past it`,
      });
  }

  #pass(batch: BatchMark): TransactionMark | undefined {
    const { producerId, producerEpoch, baseOffset } = batch;
    if (!batch.transactional) {
      if (batch.marker === undefined)
        this.#place.violation('V7', {
          offset: baseOffset,
          what: 'was written outside any transaction, so not by a task',
        });
      return undefined;
    }
    const state = this.#producers.get(producerId) ?? { epoch: producerEpoch, ordinal: 0, firstOffset: undefined };
    this.#producers.set(producerId, state);
    this.#checkEpoch(batch, state);
    if (batch.marker !== undefined) {
      if (batch.marker === 'abort') this.aborted += 1;
      state.ordinal += 1;
      state.firstOffset = undefined;
      return undefined;
    }
    this.#noteWriter(batch);
    state.firstOffset ??= baseOffset;
    return { producerId, producerEpoch, ordinal: state.ordinal };
  }

  #checkEpoch({ producerId, producerEpoch, baseOffset }: BatchMark, state: ProducerState): void {
    if (producerEpoch < state.epoch)
      this.#place.violation('V7', {
        offset: baseOffset,
        what: `producer ${producerId} wrote with epoch ${producerEpoch} after epoch ${state.epoch}: a zombie's write`,
      });
    state.epoch = Math.max(state.epoch, producerEpoch);
  }

  #noteWriter({ producerId, producerEpoch, baseOffset }: BatchMark): void {
    for (const [other, { firstOffset }] of this.#producers)
      if (this.#access === 'alone' && other !== producerId && firstOffset !== undefined)
        this.#place.violation('V7', {
          offset: baseOffset,
          what: `producer ${producerId} wrote while the transaction of producer ${other} from offset ${firstOffset} was open: a partition has one task`,
        });
    const writer = `${producerId}:${producerEpoch}`;
    if (writer === this.#writer) return;
    this.#writer = writer;
    this.writers += 1;
  }
}
