// The two readings of an imported file: one that only looks, and one that produces.
//
// Owns: the order of the two, the comparison between them.
// Does not own: reading (readSourceFile), delivery (the target), what to do about bad lines (the command).
//
// Invariants
//   FI1  What the second reading produces is what the first one counted, or it says that the file has changed.
//   FI2  Memory is bounded by one chunk of the file and the target's buffer.
import type { Millis } from '@flatline/base';
import { type ImportValue, importedValue } from './event-value.ts';
import { type FileSurvey, judgeLine, SurveyCounter } from './file-survey.ts';
import { type ImportFormat, readSourceFile } from './source-file.ts';
import type { SourceRecord } from './source-record.ts';

/** A line as it is sent. */
export interface ImportedRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly timestamp: Millis;
}

export interface ImportTarget {
  /** As BatchProducer's: a promise is to be awaited before the next call. */
  add(record: ImportedRecord): Promise<void> | undefined;
}

export interface FileImport {
  readonly path: string;
  readonly format: ImportFormat;
  readonly value: ImportValue;
  /** How many the topic has. */
  readonly partitions: number;
  /** The present, for both readings: what is too far ahead of it is bad. */
  readonly now: Millis;
  readonly stop: AbortSignal;
  /** Told after each chunk: records so far, of the reading under way. */
  readonly onProgress: (records: number) => void;
}

const utf8 = new TextEncoder();

export interface SurveyedFile extends FileSurvey {
  /** Its first good records, at most `HEAD_RECORDS_MAX`. */
  readonly head: readonly ImportedRecord[];
}

/** One alone may stand at the end of the file before, too: a log has equal lines within a second. */
const HEAD_RECORDS_MAX = 8;

/** Reads the whole file and produces nothing. Stopped, it says what it has seen so far. */
export async function surveyFile(options: FileImport): Promise<SurveyedFile> {
  const head: ImportedRecord[] = [];
  const counter = new SurveyCounter(options.now, options.partitions);
  for await (const results of readSourceFile(options.path, options.format)) {
    for (const result of results) {
      counter.add(result);
      if (result.parsed.kind === 'bad') continue;
      const record = importedRecord(result.parsed.record, options.value);
      counter.weigh(result.line, record);
      if (head.length < HEAD_RECORDS_MAX && judgeLine(result.parsed, options.now).kind === 'record') head.push(record);
    }
    options.onProgress(counter.records);
    if (options.stop.aborted) break;
  }
  return { ...counter.survey(), head };
}

/** Hands every good record to the target, in file order. @returns how many: fewer than surveyed where stopped. */
export async function produceFile(options: FileImport, target: ImportTarget): Promise<number> {
  let produced = 0;
  for await (const results of readSourceFile(options.path, options.format)) {
    for (const { parsed } of results) {
      const judged = judgeLine(parsed, options.now);
      if (judged.kind === 'bad') continue;
      const room = target.add(importedRecord(judged.record, options.value));
      if (room !== undefined) await room;
      produced += 1;
      if (options.stop.aborted) return produced;
    }
    options.onProgress(produced);
  }
  return produced;
}

function importedRecord(record: SourceRecord, value: ImportValue): ImportedRecord {
  return { key: utf8.encode(record.key), value: importedValue(record, value), timestamp: record.timestamp };
}
