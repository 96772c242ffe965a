// Records of one partition, as they have come: what is read and not taken yet stays where it is.
//
// Owns: a subscription, and the place in what it has fetched.
import type { FetchedRecords, LogReader, LogSubscription, TopicPartition } from '@flatline/ports';
import { type RawRecord, rawOf } from '../records/raw-record.ts';

export class LogSource {
  readonly #subscription: LogSubscription;
  #fetched: FetchedRecords | undefined;
  /** Everything below is taken. */
  #position: number;
  #committed: number;

  constructor(reader: LogReader, partition: TopicPartition, offset: number) {
    this.#subscription = reader.subscribe(partition, offset);
    this.#position = offset;
    this.#committed = offset;
  }

  get partition(): TopicPartition {
    return this.#subscription.partition;
  }

  get position(): number {
    return this.#position;
  }

  /** Some of what was taken is in no commit. */
  get hasMoved(): boolean {
    return this.#position !== this.#committed;
  }

  /** The next record, if one has come. @throws what ended the subscription */
  next(): RawRecord | undefined {
    for (;;) {
      this.#fetched ??= this.#subscription.take();
      if (this.#fetched === undefined) {
        const { failure } = this.#subscription;
        if (failure !== undefined) throw failure;
        return undefined;
      }
      const { cursor, nextOffset } = this.#fetched;
      if (cursor.next()) {
        const raw = rawOf(cursor);
        this.#position = raw.offset + 1;
        return raw;
      }
      this.#position = nextOffset;
      this.#fetched = undefined;
    }
  }

  /** Some may have come that was not taken. */
  get hasMore(): boolean {
    this.#fetched ??= this.#subscription.take();
    return this.#fetched !== undefined;
  }

  committed(position: number): void {
    this.#committed = position;
  }

  onChange(listener: () => void): void {
    this.#subscription.onChange(listener);
  }

  close(): void {
    this.#subscription.onChange(undefined);
    this.#subscription.close();
  }
}
