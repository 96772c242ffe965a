// One record of an output topic as a line: for a person, or as JSON with the names of docs/FORMATS.md. Pure.
import { count, type Millis, plural } from '@flatline/base';
import type { OutputRecord, SummaryRecord } from '@flatline/client/parts';
import { isUtf8 } from 'node:buffer';
import type { Colors } from '../terminal/console.ts';
import { printable, printableKey } from '../terminal/printable.ts';
import { duration } from '../terminal/progress.ts';
import { type Table, type TableColumn, tableOf } from '../terminal/table.ts';

const DAY_AND_TIME = 'YYYY-MM-DD hh:mm:ss'.length;
const TIME = 'hh:mm:ss'.length;

/** A line for each record, at most `width` wide but for what is wrong with one; Infinity: everything whole. */
export function outputTable(colors: Colors, width: number): Table<OutputRecord> {
  const { heading, line } = tableOf(columns(colors), width);
  return { heading, line: (record) => [line(record), ...moreOf(record, colors)].join('  ') };
}

function columns({ cyan, dim, red, yellow }: Colors): TableColumn<OutputRecord>[] {
  const ofReason = new Map([
    ['TIMEOUT', yellow],
    ['final', dim],
    ['unreadable', red],
  ]);
  return [
    {
      name: (width) => (width < DAY_AND_TIME ? 'at (UTC)' : 'closed at (UTC)'),
      width: DAY_AND_TIME,
      least: TIME,
      isEither: true,
      text: (record, width) => isoSeconds(closedAt(record)).slice(width < DAY_AND_TIME ? -TIME : 0),
      paint: dim,
    },
    { name: 'session', width: 28, least: 12, text: keyText },
    {
      name: 'reason',
      width: 12,
      text: reasonText,
      paint: (cell) => (ofReason.get(cell.trimEnd()) ?? cyan)(cell),
    },
    said('   lasted', ({ durationMs }) => duration(durationMs).padStart(9)),
    said(
      '       events',
      ({ eventCount }) => `${count(eventCount).padStart(6)} ${plural(eventCount, 'event').padEnd(6)}`,
    ),
    { ...said('incarnation', nameText), spare: 1, paint: dim },
    { ...said('attributes', ({ attributes }) => pairs(attributes)), width: 60, least: 12 },
  ];
}

/** As wide as its name; nothing where the record is no summary. */
function said(name: string, text: (summary: SummaryRecord['summary']) => string): TableColumn<OutputRecord> {
  return { name, width: name.length, text: (record) => ('summary' in record ? text(record.summary) : '') };
}

/** Behind the columns. */
function moreOf(record: OutputRecord, { dim }: Colors): string[] {
  if ('summary' in record) return [];
  if (record.kind === 'tombstone') return [dim(printable(record.incarnation ?? ''))];
  const where = `${record.partition}-${record.offset}`;
  return [printable(`${record.reason} at ${where}: ${record.detail}`)];
}

/** The value that `--json` prints. */
export function outputValue(record: OutputRecord): object {
  const at = { outputPartition: record.partition, outputOffset: record.offset };
  if ('summary' in record) {
    const { key, countsByType, attributes, ...summary } = record.summary;
    return {
      kind: record.kind,
      ...keyNames(key),
      ...summary,
      // fromEntries defines `__proto__` as a property like any other (I3).
      countsByType: Object.fromEntries(countsByType),
      attributes: Object.fromEntries(attributes),
      ...at,
    };
  }
  const key = record.key === null ? { sessionId: null } : keyNames(record.key);
  if (record.kind === 'tombstone') return { kind: record.kind, ...key, incarnation: record.incarnation, ...at };
  return { kind: record.kind, ...key, reason: record.reason, detail: record.detail, ...at };
}

function closedAt(record: OutputRecord): Millis {
  return 'summary' in record ? record.summary.closedAt : record.timestamp;
}

function reasonText(record: OutputRecord): string {
  if ('summary' in record) return printable(record.summary.reason || record.summary.state);
  return record.kind === 'tombstone' ? 'final' : 'unreadable';
}

/** With how often it was revised, if it was (S9). */
function nameText({ incarnation, revision }: SummaryRecord['summary']): string {
  return printable(revision > 0 ? `${incarnation}/${revision}` : incarnation);
}

function keyText(record: OutputRecord): string {
  const key = 'summary' in record ? record.summary.key : record.key;
  return key === null ? '(null key)' : printableKey(key);
}

function pairs(attributes: ReadonlyMap<string, string>): string {
  return [...attributes].map(([name, value]) => `${printable(name)}=${printable(value)}`).join(' ');
}

/** As in a summary: the key's text, and its bytes where they are no text. */
function keyNames(key: Uint8Array): { readonly sessionId: string; readonly sessionKeyBase64?: string } {
  const bytes = Buffer.from(key);
  const sessionId = bytes.toString('utf8');
  return isUtf8(bytes) ? { sessionId } : { sessionId, sessionKeyBase64: bytes.toString('base64') };
}

function isoSeconds(time: Millis): string {
  const date = new Date(time);
  // Another writer's summary may carry any number.
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString().slice(0, 19).replace('T', ' ');
}
