// Follows an output topic: what was committed, each partition in order, from offsets the caller keeps.
//
// Owns: the subscriptions, the position in each partition.
// Does not own: the reader (its opener's), where the caller remembers positions, what a record means (`read`).
//
// Invariants
//   SC1  A record is given once per consumer, after the transaction that wrote it was committed, never of an aborted one.
//   SC2  Memory is bounded by the subscriptions' prefetch: nothing is taken from them before it is asked for.
//   SC3  `positions` covers exactly what was given: a consumer opened there goes on without a gap or a repetition.
import type { LogReader, LogSubscription, RecordCursor, FetchedRecords } from '@flatline/ports';
import type { RawOutput } from './output-record.ts';

export interface OutputConsumerParts<Found> {
  readonly reader: LogReader;
  readonly topic: string;
  /** Where to begin, by partition number; partitions not named are not read. */
  readonly offsets: ReadonlyMap<number, number>;
  /** Ends the iteration once every partition has come this far; default: it follows the topic until closed. */
  readonly until?: ReadonlyMap<number, number> | undefined;
  /** Interprets a record. */
  readonly read: (record: RawOutput) => Promise<Found>;
  /** The same at once; undefined if it would have to wait. Default: always. */
  readonly readNow?: (record: RawOutput) => Found | undefined;
}

interface Reading {
  readonly subscription: LogSubscription;
  fetched: FetchedRecords | undefined;
  /** A record of the kind that is not given yet. */
  raw: RawOutput | undefined;
  position: number;
}

export class OutputConsumer<Found> implements AsyncIterable<Found> {
  readonly #read: (record: RawOutput) => Promise<Found>;
  readonly #readNow: ((record: RawOutput) => Found | undefined) | undefined;
  readonly #until: ReadonlyMap<number, number> | undefined;
  readonly #readings: readonly Reading[];
  #turn = 0;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor({ reader, topic, offsets, until, read, readNow }: OutputConsumerParts<Found>) {
    this.#read = read;
    this.#readNow = readNow;
    this.#until = until;
    this.#readings = [...offsets].map(([partition, offset]) => ({
      subscription: reader.subscribe({ topic, partition }, offset),
      fetched: undefined,
      raw: undefined,
      position: offset,
    }));
    for (const { subscription } of this.#readings)
      subscription.onChange(() => {
        this.#wake?.();
      });
  }

  /** The offset after the last record given, by partition number. */
  get positions(): ReadonlyMap<number, number> {
    return new Map(this.#readings.map((reading) => [partitionOf(reading), reading.position]));
  }

  /**
   * The next record; undefined once closed, or once everything up to `until` has been given.
   * @throws PartitionStopped, Retriable, Fatal of a subscription; then it is over.
   */
  async next(): Promise<Found | undefined> {
    while (!this.#closed && !this.#done()) {
      const reading = this.#readable();
      if (reading === undefined) await this.#changed();
      else {
        const record = await this.#advance(reading);
        if (record !== undefined) return record;
      }
    }
    return undefined;
  }

  /** The next record where nothing has to be waited for; else undefined, and `next` gives it. @throws as `next` */
  takeNow(): Found | undefined {
    if (this.#readNow === undefined) return undefined;
    while (!this.#closed && !this.#done()) {
      const reading = this.#readable();
      if (reading === undefined) return undefined;
      const raw = this.#rawOf(reading);
      if (raw === undefined) continue;
      const found = this.#readNow(raw);
      if (found !== undefined) given(reading, raw);
      return found;
    }
    return undefined;
  }

  /** Records until closed. Leaving the loop closes the consumer. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Found, void> {
    try {
      for (let record = await this.next(); record !== undefined; record = await this.next()) yield record;
    } finally {
      this.close();
    }
  }

  /** Ends the iteration; the reader stays open. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { subscription } of this.#readings) {
      subscription.onChange(undefined);
      subscription.close();
    }
    this.#wake?.();
  }

  #done(): boolean {
    const until = this.#until;
    if (until === undefined) return false;
    return this.#readings.every((reading) => reading.position >= (until.get(partitionOf(reading)) ?? 0));
  }

  /** A partition with something to give, each in turn; what is left of a fetch comes first, so that it can be freed. */
  #readable(): Reading | undefined {
    const { length } = this.#readings;
    for (let step = 0; step < length; step += 1) {
      const reading = this.#readings[(this.#turn + step) % length]!;
      reading.fetched ??= reading.subscription.take();
      if (reading.fetched !== undefined) {
        this.#turn = (this.#turn + step) % length;
        return reading;
      }
      if (reading.subscription.failure !== undefined) throw reading.subscription.failure;
    }
    return undefined;
  }

  /** The next record of what the partition has fetched; undefined where that is used up. */
  async #advance(reading: Reading): Promise<Found | undefined> {
    const raw = this.#rawOf(reading);
    if (raw === undefined) return undefined;
    const found = await this.#read(raw);
    given(reading, raw);
    return found;
  }

  #rawOf(reading: Reading): RawOutput | undefined {
    const { fetched } = reading;
    if (reading.raw !== undefined || fetched === undefined) return reading.raw;
    if (!fetched.cursor.next()) {
      reading.position = fetched.nextOffset;
      reading.fetched = undefined;
      this.#turn += 1;
      return undefined;
    }
    reading.raw = copyOf(fetched.cursor, partitionOf(reading));
    return reading.raw;
  }

  /** Resolves with the next change of any subscription, or at once where one came since the last look. */
  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

function given(reading: Reading, { offset }: RawOutput): void {
  reading.raw = undefined;
  reading.position = offset + 1;
}

function partitionOf({ subscription }: Reading): number {
  return subscription.partition.partition;
}

/** Copies the record that the cursor shows: its next step overwrites it. */
function copyOf(cursor: RecordCursor, partition: number): RawOutput {
  const { offset, timestamp } = cursor;
  return {
    partition,
    offset,
    timestamp,
    key: copy(cursor, cursor.keyStart, cursor.keyLength),
    value: copy(cursor, cursor.valueStart, cursor.valueLength),
    headers: cursor.hasHeaders
      ? cursor.headers().map(({ name, value }) => ({ name, value: value && Uint8Array.from(value) }))
      : [],
  };
}

function copy(cursor: RecordCursor, start: number, length: number): Uint8Array | null {
  // Uint8Array's own: a Buffer's would be a view.
  return length < 0 ? null : Uint8Array.prototype.slice.call(cursor.bytes, start, start + length);
}
