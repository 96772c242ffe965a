// A partition of a dead-letter topic in memory.
import type { DeadLetterOrigin, OutgoingRecord } from '@flatline/ports';
import { deadLetterHeaders } from '@flatline/ports';
import type { LogBounds } from '@flatline/kafka';
import type { LetterSource } from './letter-scan.ts';

const EMPTY = new Uint8Array(0);

export function refused(
  value: string,
  origin: Partial<DeadLetterOrigin> = {},
  key: Uint8Array | null = null,
): OutgoingRecord {
  const whole = { reason: 'malformed', detail: '', topic: 'in', partition: 0, offset: 0, timestamp: 5, ...origin };
  return { key, value: Buffer.from(value), headers: deadLetterHeaders(whole) };
}

/** `ends`: the last stable offset and the high watermark, each time they are asked for, the last ones for ever. */
export function letterLog(
  records: readonly OutgoingRecord[],
  ...ends: readonly Pick<LogBounds, 'lastStableOffset' | 'highWatermark'>[]
): LetterSource & { readonly reads: number[] } {
  const reads: number[] = [];
  const whole = { lastStableOffset: records.length, highWatermark: records.length };
  let asked = 0;
  return {
    reads,
    bounds: () => {
      asked += 1;
      return Promise.resolve({ logStartOffset: 0, ...(ends[Math.min(asked, ends.length) - 1] ?? whole) });
    },
    read: (_place, from) => {
      reads.push(from);
      // Two records at a time.
      const nextOffset = Math.min(from + 2, records.length);
      return Promise.resolve({ cursor: new ListedRecords(records, from, nextOffset), nextOffset });
    },
  };
}

class ListedRecords {
  readonly #records: readonly OutgoingRecord[];
  readonly #end: number;
  readonly keyStart = 0;
  offset: number;

  constructor(records: readonly OutgoingRecord[], from: number, end: number) {
    this.#records = records;
    this.#end = end;
    this.offset = from - 1;
  }

  next(): boolean {
    this.offset += 1;
    return this.offset < this.#end;
  }

  get #record(): OutgoingRecord {
    return this.#records[this.offset]!;
  }

  get bytes(): Uint8Array {
    const { key, value } = this.#record;
    return Buffer.concat([key ?? EMPTY, value ?? EMPTY]);
  }

  get timestamp(): number {
    return 1_000 + this.offset;
  }

  get keyLength(): number {
    return this.#record.key?.length ?? -1;
  }

  get valueStart(): number {
    return Math.max(this.keyLength, 0);
  }

  get valueLength(): number {
    return this.#record.value?.length ?? -1;
  }

  get hasHeaders(): boolean {
    return this.headers().length > 0;
  }

  headers(): NonNullable<OutgoingRecord['headers']> {
    return this.#record.headers ?? [];
  }
}
