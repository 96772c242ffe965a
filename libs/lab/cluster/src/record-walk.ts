// The RecordCursor over simulated batches: the view of a reader in place, with the same hazards.
//
// Owns: the position within one fetch.
// Does not own: fetching (SimulatedReader).
//
// Invariants
//   RW1  `position` passes control batches, aborted batches, removed records and everything below the offset asked for.
//   RW2  Bytes handed out are overwritten once their record is passed: a view kept too long shows at once.
//   RW3  The fingerprint is that of the batch holding position − 1, once next() has been called: a fetch does not know the
//        batch before its first.
//   RW4  A group holds records of one batch, what lies in it is laid out together, and the next is laid out elsewhere.
import { assert, type Millis } from '@flatline/base';
import {
  headerSection,
  KEY_GROUP_MAX,
  type KeyGroup,
  type RecordCursor,
  type RecordHeader,
  type UnreadableBatch,
} from '@flatline/ports';
import type { LogBatch, LogRecord } from './log-batch.ts';

export interface FetchedBatch {
  readonly batch: LogBatch;
  readonly aborted: boolean;
}

const SPOILT = 0xee;
/** Bytes before and between what is laid out, so that none of it starts at 0 or right after its predecessor. */
const GAP_BYTES = 3;

export class RecordWalk implements RecordCursor {
  readonly #batches: readonly FetchedBatch[];
  readonly #from: number;
  readonly #nextOffset: number;
  readonly #groupMax: number;
  readonly group: KeyGroup & { count: number } = {
    count: 0,
    starts: new Int32Array(KEY_GROUP_MAX),
    lengths: new Int32Array(KEY_GROUP_MAX),
    valueStarts: new Int32Array(KEY_GROUP_MAX),
    valueLengths: new Int32Array(KEY_GROUP_MAX),
    headersStarts: new Int32Array(KEY_GROUP_MAX),
    headersEnds: new Int32Array(KEY_GROUP_MAX),
    offsetDeltas: new Int32Array(KEY_GROUP_MAX),
  };
  groupIndex = -1;
  #batchAt = -1;
  /** Index in the batch of the first record that is not in a group yet. */
  #recordAt = 0;
  #unpacked: readonly LogRecord[] = [];
  #used = false;
  #position: number;
  #before: LogBatch | undefined;
  #bytes: Uint8Array = new Uint8Array(0);

  /** `from`: the offset asked for, where the previous fetch ended. `groupMax`: number of records to unpack together. */
  constructor(batches: readonly FetchedBatch[], from: number, groupMax: number) {
    assert(groupMax >= 1 && groupMax <= KEY_GROUP_MAX, 'a group has a record at least', { groupMax });
    this.#batches = batches;
    this.#from = from;
    this.#groupMax = groupMax;
    this.#position = from;
    this.#nextOffset = Math.max(from, (batches.at(-1)?.batch.lastOffset ?? -1) + 1);
  }

  next(): boolean {
    this.#pass(1);
    if (this.groupIndex >= this.#unpacked.length && !this.#nextGroup()) return this.#end();
    this.#show();
    return true;
  }

  skip(count: number): void {
    this.#pass(count);
    assert(this.groupIndex < this.group.count, 'who skips stays within the group', { count });
    this.#show();
  }

  #pass(count: number): void {
    const { starts, lengths, valueStarts, valueLengths, headersStarts, headersEnds } = this.group;
    for (let left = count; left > 0; left -= 1, this.groupIndex += 1) {
      const at = this.groupIndex;
      if (at < 0) continue;
      this.#bytes.fill(SPOILT, starts[at], starts[at]! + Math.max(0, lengths[at]!));
      this.#bytes.fill(SPOILT, valueStarts[at], valueStarts[at]! + Math.max(0, valueLengths[at]!));
      this.#bytes.fill(SPOILT, headersStarts[at], headersEnds[at]);
    }
  }

  #show(): void {
    const { offset, unreadable } = this.#present();
    this.#position = offset + (unreadable ?? 1);
    this.#before = this.#batches[this.#batchAt]!.batch;
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
    return this.group.starts[this.groupIndex]!;
  }
  get keyLength(): number {
    return this.#present().key?.length ?? -1;
  }
  get valueStart(): number {
    return this.group.valueStarts[this.groupIndex]!;
  }
  get valueLength(): number {
    return this.#present().value?.length ?? -1;
  }
  get hasHeaders(): boolean {
    return this.#present().headers.length > 0;
  }
  headers(): readonly RecordHeader[] {
    return this.headersOf(this.groupIndex);
  }
  headersOf(index: number): readonly RecordHeader[] {
    const record = this.#unpacked[index];
    assert(
      record !== undefined && index >= this.groupIndex,
      'headers are those of a record that is still to be passed',
    );
    return record.headers.map(({ name, value }) => ({ name, value: value === null ? null : value.slice() }));
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
    const record = this.#unpacked[this.groupIndex];
    assert(record !== undefined, 'a record is read only after next() said there is one');
    return record;
  }

  /** Unpacks the next records, of this batch or a later one. False at the end of the fetch. */
  #nextGroup(): boolean {
    for (;;) {
      const current = this.#batches[this.#batchAt];
      const visible = current !== undefined && !current.aborted ? current.batch.records.slice(this.#recordAt) : [];
      const unpacked = visible.filter(({ offset }) => offset >= this.#from).slice(0, this.#groupMax);
      if (unpacked.length > 0) {
        this.#recordAt = current!.batch.records.indexOf(unpacked.at(-1)!) + 1;
        this.#unpack(unpacked);
        return true;
      }
      if (this.#batchAt + 1 >= this.#batches.length) return false;
      this.#batchAt += 1;
      this.#recordAt = 0;
    }
  }

  #end(): false {
    this.#unpacked = [];
    this.group.count = 0;
    if (!this.#used) {
      this.#used = true;
      this.#position = this.#nextOffset;
      this.#before = this.#batches.at(-1)?.batch ?? this.#before;
    }
    return false;
  }

  #unpack(records: readonly LogRecord[]): void {
    const { group } = this;
    this.#unpacked = records;
    this.groupIndex = 0;
    const parts = records.map(({ key, value, headers }) => [key, value, headerSection(headers)] as const);
    const contents = parts.flat().reduce((sum, part) => sum + (part?.length ?? 0), 0);
    this.#bytes = new Uint8Array(GAP_BYTES * (1 + 3 * records.length) + contents).fill(SPOILT);
    let end = 0;
    const layOut = (part: Uint8Array | null): number => {
      const start = end + GAP_BYTES;
      if (part !== null) this.#bytes.set(part, start);
      end = start + (part?.length ?? 0);
      return start;
    };
    parts.forEach(([key, value, headers], at) => {
      group.starts[at] = layOut(key);
      group.lengths[at] = key?.length ?? -1;
      group.valueStarts[at] = layOut(value);
      group.valueLengths[at] = value?.length ?? -1;
      group.headersStarts[at] = layOut(headers);
      group.headersEnds[at] = end;
      group.offsetDeltas[at] = records[at]!.offset - records[0]!.offset;
    });
    // A batch that cannot be unpacked is no group: the cursor stands on it all the same.
    group.count = records[0]!.unreadable === undefined ? records.length : 0;
  }
}
