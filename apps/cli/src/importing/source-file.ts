// Reads a file as source records, in bounded memory: one chunk of lines at a time.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type CsvError, type Info, parse } from 'csv-parse';
import { parseAccessLine } from './access-log.ts';
import { type FieldNames, jsonLineParser, recordOfFields } from './field-record.ts';
import { LineSplitter } from './line-splitter.ts';
import { badLine, type LineParser, type ParsedLine } from './source-record.ts';

export type ImportFormat =
  | { readonly kind: 'apache' }
  | { readonly kind: 'jsonl'; readonly names: FieldNames }
  | { readonly kind: 'csv'; readonly names: FieldNames };

export interface NumberedResult {
  /** From 1; of a CSV record that spans lines, the last. */
  readonly line: number;
  readonly parsed: ParsedLine;
}

/** A line beyond it is bad, not read into memory. */
const LINE_BYTES_MAX = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const CSV_RECORDS_PER_CHUNK_MAX = 1000;
const tooLong = badLine(`is longer than ${LINE_BYTES_MAX} bytes`);

/**
 * The file's records in file order, blank lines left out. A row that is not even CSV may come a little before the rows
 * ahead of it, which are still in the parser's buffer. Rejects with Node's errors of the file system.
 */
export function readSourceFile(path: string, format: ImportFormat): AsyncGenerator<NumberedResult[], void> {
  if (format.kind === 'csv') return csvRecords(path, format.names);
  return lineRecords(path, format.kind === 'apache' ? parseAccessLine : jsonLineParser(format.names));
}

async function* lineRecords(path: string, parser: LineParser): AsyncGenerator<NumberedResult[], void> {
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  const results = (lines: ReturnType<LineSplitter['push']>): NumberedResult[] =>
    lines
      .filter(({ text }) => text === undefined || text.trim() !== '')
      .map(({ number, text }) => ({ line: number, parsed: text === undefined ? tooLong : parser(text) }));
  for await (const chunk of await openSource(path)) yield results(splitter.push(chunk as Uint8Array));
  yield results(splitter.end());
}

/** RFC 1952, 2.3.1. */
const gzipMagic = Buffer.from([0x1f, 0x8b]);

/** The file's bytes, unpacked where it is gzipped. */
async function openSource(path: string): Promise<Readable> {
  const packed = await isGzipped(path);
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!packed) return file;
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
  file.on('error', (error) => unpacked.destroy(error));
  return file.pipe(unpacked);
}

async function isGzipped(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(gzipMagic.length);
    await file.read(head);
    return head.equals(gzipMagic);
  } finally {
    await file.close();
  }
}

interface CsvRow {
  readonly record: readonly string[];
  readonly info: Info;
}

async function* csvRecords(path: string, names: FieldNames): AsyncGenerator<NumberedResult[], void> {
  let results: NumberedResult[] = [];
  let lastBadLine = 0;
  const parser = parse({
    bom: true,
    info: true,
    // Rows become Maps here: csv-parse's own objects would lose a column named `__proto__`.
    columns: false,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: LINE_BYTES_MAX,
    on_skip: (error) => {
      const line = Number(error?.['lines']);
      // csv-parse tells of every broken quote of a row; one of them makes it bad.
      if (error === undefined || line === lastBadLine) return;
      lastBadLine = line;
      results.push({ line, parsed: badLine(csvReason(error)) });
    },
  });
  const file = await openSource(path);
  file.on('error', (error) => parser.destroy(error));
  let header: readonly string[] | undefined;
  for await (const { record, info } of file.pipe(parser) as AsyncIterable<CsvRow>) {
    if (header === undefined) header = record;
    else results.push({ line: info.lines, parsed: csvRow(header, record, names) });
    if (results.length < CSV_RECORDS_PER_CHUNK_MAX) continue;
    yield results;
    results = [];
  }
  yield results;
}

function csvRow(header: readonly string[], row: readonly string[], names: FieldNames): ParsedLine {
  if (row.length !== header.length) return badLine(`has ${row.length} fields, the header has ${header.length}`);
  return recordOfFields(new Map(header.map((name, index) => [name, row[index]])), names);
}

function csvReason(error: CsvError): string {
  return error.code === 'CSV_MAX_RECORD_SIZE' ? tooLong.reason : `is not valid CSV: ${error.message}`;
}
