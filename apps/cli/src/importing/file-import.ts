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

export interface ImportTarget {
  /** As BatchProducer's: a promise is to be awaited before the next call. */
  add(record: { key: Uint8Array; value: Uint8Array; timestamp: Millis }): Promise<void> | undefined;
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

/** Reads the whole file and produces nothing. Stopped, it says what it has seen so far. */
export async function surveyFile(options: FileImport): Promise<FileSurvey> {
  const counter = new SurveyCounter(options.now, options.partitions);
  for await (const results of readSourceFile(options.path, options.format)) {
    for (const result of results) {
      counter.add(result);
      if (result.parsed.kind === 'record')
        counter.weigh(result.line, importedRecord(result.parsed.record, options.value));
    }
    options.onProgress(counter.records);
    if (options.stop.aborted) break;
  }
  return counter.survey();
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

function importedRecord(record: SourceRecord, value: ImportValue): Parameters<ImportTarget['add']>[0] {
  return { key: utf8.encode(record.key), value: importedValue(record, value), timestamp: record.timestamp };
}
