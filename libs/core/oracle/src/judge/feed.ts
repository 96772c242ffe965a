// A log as a queue of records, each with its transaction.
//
// Owns: the records of one part.
// Does not own: when to read more (fill), the meaning of batches (BatchWalk).
import type { LogPart, LogSource } from '../logs/history.ts';
import type { BatchWalk, TransactionMark } from './transaction-walk.ts';

export interface Fed<R> {
  readonly record: R;
  /** undefined: written outside any transaction, or the source does not tell. */
  readonly transaction: TransactionMark | undefined;
}

export class Feed<R extends { readonly offset: number }> {
  readonly #source: LogSource<R>;
  readonly #walk: BatchWalk | undefined;
  #queue: readonly Fed<R>[] = [];
  #at = 0;
  #ended = false;

  constructor(source: LogSource<R>, walk?: BatchWalk) {
    this.#source = source;
    this.#walk = walk;
  }

  /** The next record, left in place; undefined: call `fill`, or the log has ended. */
  get next(): Fed<R> | undefined {
    return this.#queue[this.#at];
  }

  take(): void {
    this.#at += 1;
  }

  /** Reads until there is a next record. False at the end of the log. */
  async fill(): Promise<boolean> {
    while (this.next === undefined && !this.#ended) {
      const part = await this.#source.read();
      this.#at = 0;
      this.#ended = part === undefined;
      this.#queue = part === undefined ? [] : this.#fed(part);
    }
    return this.next !== undefined;
  }

  #fed({ records, batches }: LogPart<R>): Fed<R>[] {
    if (this.#walk === undefined) return records.map((record) => ({ record, transaction: undefined }));
    const marks = this.#walk.pass(batches);
    let at = 0;
    return records.map((record) => {
      while (at < marks.length && marks[at]!.lastOffset < record.offset) at += 1;
      return { record, transaction: marks[at]?.transaction };
    });
  }
}
