// One record of an input in memory, as a task reads it.
import type { Millis } from '@flatline/base';
import { headerSection, type KeyGroup, type RecordCursor, type RecordHeader } from '@flatline/ports';

/** A record as it lies in the input. */
export interface InputRecord {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

export class MemoryCursor implements RecordCursor {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly timestamp: Millis;
  readonly logAppendTime: boolean;
  readonly keyStart = 0;
  readonly keyLength: number;
  readonly valueStart: number;
  readonly valueLength: number;
  readonly group: KeyGroup;
  readonly groupIndex = 0;
  readonly position: number;
  /** A place in a log is recognised by it; here there is one log. */
  readonly batchChecksum: number;
  readonly batchLeaderEpoch = 0;
  readonly batchTimestamp: Millis;
  readonly #headers: readonly RecordHeader[];
  #isRead = false;

  constructor({ offset, timestamp, key, value, headers }: InputRecord, logAppendTime: boolean) {
    const keyBytes = key?.length ?? 0;
    const section = headerSection(headers);
    const contentBytes = keyBytes + (value?.length ?? 0);
    const bytes = new Uint8Array(contentBytes + section.length);
    bytes.set(key ?? []);
    bytes.set(value ?? [], keyBytes);
    bytes.set(section, contentBytes);
    this.bytes = bytes;
    this.offset = offset;
    this.timestamp = timestamp;
    this.logAppendTime = logAppendTime;
    this.keyLength = key?.length ?? -1;
    this.valueStart = keyBytes;
    this.valueLength = value?.length ?? -1;
    this.position = offset + 1;
    this.batchChecksum = offset >>> 0;
    this.batchTimestamp = timestamp;
    this.#headers = headers;
    this.group = {
      count: 1,
      starts: Int32Array.of(this.keyStart),
      lengths: Int32Array.of(this.keyLength),
      valueStarts: Int32Array.of(this.valueStart),
      valueLengths: Int32Array.of(this.valueLength),
      headersStarts: Int32Array.of(contentBytes),
      headersEnds: Int32Array.of(bytes.length),
      offsetDeltas: Int32Array.of(0),
    };
  }

  next(): boolean {
    if (this.#isRead) return false;
    this.#isRead = true;
    return true;
  }

  get hasHeaders(): boolean {
    return this.#headers.length > 0;
  }

  headers(): readonly RecordHeader[] {
    return this.#headers;
  }

  headersOf(): readonly RecordHeader[] {
    return this.#headers;
  }

  skip(): void {
    // A group of one has nothing to skip.
  }
}
