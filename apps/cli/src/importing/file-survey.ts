// First reading of the whole file, before anything is produced: a bad line then leaves nothing half-done.
import { type DurationMs, type Millis, partitionOf } from '@flatline/base';
import type { NumberedResult } from './source-file.ts';
import { badLine, type ParsedLine, type SourceRecord } from './source-record.ts';

export interface BadLine {
  readonly line: number;
  readonly reason: string;
}

export interface FileSurvey {
  readonly records: number;
  readonly badLines: number;
  /** The first few, to be shown. */
  readonly firstBadLines: readonly BadLine[];
  /** undefined: no records. */
  readonly times: { readonly earliest: Millis; readonly latest: Millis } | undefined;
  /** Bytes of the partition that gets most, in an uncompressed log. */
  readonly partitionBytes: number;
  /** The largest record, as a batch of its own, and where it comes from; undefined: no records. */
  readonly largest: { readonly line: number; readonly batchBytes: number } | undefined;
}

/** Lengths, and differences of offset and time, in a batch; its header is shared by many. */
const RECORD_OVERHEAD_BYTES = 8;
/** Upper bound of what a batch of one record has besides key and value: its header, and lengths of up to five bytes. */
const BATCH_OVERHEAD_BYTES = 80;
const BAD_LINES_SHOWN_MAX = 10;
/** Brokers and processors refuse a stamp further ahead of the present (`maxFutureMs`, C6). */
export const MAX_FUTURE_MS: DurationMs = 3_600_000;

/** A line whose record would be refused later is bad now. */
export function judgeLine(parsed: ParsedLine, now: Millis): ParsedLine {
  if (parsed.kind === 'bad') return parsed;
  const { timestamp } = parsed.record;
  if (timestamp < 0) return badLine(`is stamped ${shownTime(timestamp)}, before 1970: Kafka has no such times`);
  if (timestamp <= now + MAX_FUTURE_MS) return parsed;
  return badLine(`is stamped ${shownTime(timestamp)}, more than an hour ahead of now`);
}

function shownTime(time: Millis): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time} (ms)` : date.toISOString();
}

export class SurveyCounter {
  readonly #now: Millis;
  readonly #firstBadLines: BadLine[] = [];
  #records = 0;
  #badLines = 0;
  #earliest: Millis = Infinity;
  #latest: Millis = -Infinity;
  #largest: FileSurvey['largest'];
  readonly #bytes: Float64Array;

  /** `partitions`: of the topic. */
  constructor(now: Millis, partitions: number) {
    this.#now = now;
    this.#bytes = new Float64Array(partitions);
  }

  get records(): number {
    return this.#records;
  }

  add({ line, parsed }: NumberedResult): void {
    const judged = judgeLine(parsed, this.#now);
    if (judged.kind === 'record') this.#addRecord(judged.record);
    else this.#addBad({ line, reason: judged.reason });
  }

  /** A record of this line, as it will be sent. */
  weigh(line: number, { key, value }: { readonly key: Uint8Array; readonly value: Uint8Array }): void {
    const bytes = key.length + value.length;
    this.#bytes[partitionOf(key, this.#bytes.length)]! += bytes + RECORD_OVERHEAD_BYTES;
    const batchBytes = bytes + BATCH_OVERHEAD_BYTES;
    if (batchBytes > (this.#largest?.batchBytes ?? 0)) this.#largest = { line, batchBytes };
  }

  survey(): FileSurvey {
    const times = this.#records === 0 ? undefined : { earliest: this.#earliest, latest: this.#latest };
    const byLine = (a: BadLine, b: BadLine): number => a.line - b.line;
    return {
      records: this.#records,
      badLines: this.#badLines,
      firstBadLines: this.#firstBadLines.toSorted(byLine),
      times,
      partitionBytes: Math.max(...this.#bytes),
      largest: this.#largest,
    };
  }

  #addRecord(record: SourceRecord): void {
    this.#records += 1;
    this.#earliest = Math.min(this.#earliest, record.timestamp);
    this.#latest = Math.max(this.#latest, record.timestamp);
  }

  #addBad(bad: BadLine): void {
    this.#badLines += 1;
    if (this.#firstBadLines.length < BAD_LINES_SHOWN_MAX) this.#firstBadLines.push(bad);
  }
}
