// The RecordCursor over simulated batches: what a reader in place sees, with the same hazards.
//
// Owns: the position within one run.      Does not own: fetching (SimulatedReader).
//
// Invariants
//   RW1  `position` passes control batches, aborted batches, removed records and everything below the offset asked for.
//   RW2  Bytes handed out are overwritten on the following next(): a view kept too long shows at once.
//   RW3  The fingerprint is that of the batch holding position − 1, once next() has been called: a run does not know the
//        batch before its first.
import { assert, type Millis } from '@flatline/base';
import type { RecordCursor, RecordHeader, UnreadableBatch } from '@flatline/ports';
import type { LogBatch, LogRecord } from './log-batch.ts';

export interface FetchedBatch {
  readonly batch: LogBatch;
  readonly aborted: boolean;
}

const SPOILT = 0xee;
/** Bytes before and between keys and values, so that nothing starts at 0 or right after what precedes it. */
const GAP_BYTES = 3;

export class RecordWalk implements RecordCursor {
  readonly #batches: readonly FetchedBatch[];
  readonly #from: number;
  readonly #nextOffset: number;
  #batchAt = -1;
  #recordAt = 0;
  #record: LogRecord | undefined;
  #used = false;
  #position: number;
  #before: LogBatch | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #keyStart = 0;
  #valueStart = 0;

  /** `from`: the offset asked for, and where the run before it ended. */
  constructor(batches: readonly FetchedBatch[], from: number) {
    this.#batches = batches;
    this.#from = from;
    this.#position = from;
    this.#nextOffset = Math.max(from, (batches.at(-1)?.batch.lastOffset ?? -1) + 1);
  }

  next(): boolean {
    this.#bytes.fill(SPOILT);
    for (;;) {
      const record = this.#nextRecord();
      if (record === undefined) return this.#end();
      if (record.offset < this.#from) continue;
      this.#record = record;
      this.#position = record.offset + (record.unreadable ?? 1);
      this.#before = this.#batches[this.#batchAt]!.batch;
      this.#layOut(record);
      return true;
    }
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }
  get offset(): number {
    return this.#present().offset;
  }
  get timestamp(): Millis {
    return this.#present().timestamp;
  }
  get logAppendTime(): boolean {
    this.#present();
    return this.#batches[this.#batchAt]!.batch.logAppendTime;
  }
  get keyStart(): number {
    return this.#keyStart;
  }
  get keyLength(): number {
    return this.#present().key?.length ?? -1;
  }
  get valueStart(): number {
    return this.#valueStart;
  }
  get valueLength(): number {
    return this.#present().value?.length ?? -1;
  }
  get hasHeaders(): boolean {
    return this.#present().headers.length > 0;
  }
  headers(): readonly RecordHeader[] {
    return this.#present().headers.map(({ name, value }) => ({ name, value: value === null ? null : value.slice() }));
  }
  get unreadable(): UnreadableBatch | undefined {
    const { offset, unreadable } = this.#present();
    if (unreadable === undefined) return undefined;
    const detail = `a batch of ${unreadable} that cannot be unpacked`;
    return { reason: 'batch-too-large', detail, lastOffset: offset + unreadable - 1, records: unreadable };
  }
  get position(): number {
    return this.#position;
  }
  get batchChecksum(): number {
    return this.#before?.checksum ?? 0;
  }
  get batchLeaderEpoch(): number {
    return this.#before?.leaderEpoch ?? -1;
  }
  get batchTimestamp(): Millis {
    return this.#before?.maxTimestamp ?? -1;
  }

  #present(): LogRecord {
    assert(this.#record !== undefined, 'a record is read only after next() said there is one');
    return this.#record;
  }

  #nextRecord(): LogRecord | undefined {
    for (;;) {
      const current = this.#batches[this.#batchAt];
      const visible = current !== undefined && !current.aborted ? current.batch.records : [];
      if (this.#recordAt < visible.length) return visible[this.#recordAt++];
      if (this.#batchAt + 1 >= this.#batches.length) return undefined;
      this.#batchAt += 1;
      this.#recordAt = 0;
    }
  }

  #end(): false {
    this.#record = undefined;
    if (!this.#used) {
      this.#used = true;
      this.#position = this.#nextOffset;
      this.#before = this.#batches.at(-1)?.batch ?? this.#before;
    }
    return false;
  }

  #layOut({ key, value }: LogRecord): void {
    const keyLength = key?.length ?? 0;
    const valueLength = value?.length ?? 0;
    this.#bytes = new Uint8Array(3 * GAP_BYTES + keyLength + valueLength).fill(SPOILT);
    this.#keyStart = GAP_BYTES;
    this.#valueStart = 2 * GAP_BYTES + keyLength;
    if (key !== null) this.#bytes.set(key, this.#keyStart);
    if (value !== null) this.#bytes.set(value, this.#valueStart);
  }
}
