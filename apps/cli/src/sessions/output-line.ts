// One record of an output topic as a line: for a person, or as JSON with the names of docs/FORMATS.md. Pure.
import { count, type Millis, plural } from '@flatline/base';
import type { OutputRecord, SummaryRecord } from '@flatline/client/parts';
import { isUtf8 } from 'node:buffer';
import type { Colors } from '../terminal/console.ts';
import { printable, printableKey, shorten } from '../terminal/printable.ts';
import { duration } from '../terminal/progress.ts';

const KEY_COLUMNS = 28;
const ATTRIBUTES_COLUMNS_MAX = 60;

/** Over the columns of `outputText`. */
export function outputHeading(): string {
  const columns = [
    'closed at (UTC)'.padEnd(19),
    'session'.padEnd(KEY_COLUMNS),
    'reason'.padEnd(12),
    'lasted'.padStart(9),
    'events'.padStart(13),
    'incarnation',
    'attributes',
  ];
  return columns.join('  ');
}

export function outputText(record: OutputRecord, colors: Colors): string {
  const { dim, red } = colors;
  const when = dim(isoSeconds(record.kind === 'summary' ? record.summary.closedAt : record.timestamp));
  if (record.kind === 'summary') return `${when}  ${summaryText(record, colors)}`;
  const key = column(record.key);
  if (record.kind === 'tombstone') return `${when}  ${key}  ${dim(`final ${record.incarnation ?? ''}`)}`;
  const where = `${record.partition}-${record.offset}`;
  return `${when}  ${key}  ${red('unreadable')}  ${printable(`${record.reason} at ${where}: ${record.detail}`)}`;
}

/** The value that `--json` prints. */
export function outputValue(record: OutputRecord): object {
  const at = { outputPartition: record.partition, outputOffset: record.offset };
  if (record.kind === 'summary') {
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

function summaryText({ summary }: SummaryRecord, { cyan, dim, yellow }: Colors): string {
  const reason = (summary.reason === 'TIMEOUT' ? yellow : cyan)(printable(summary.reason).padEnd(12));
  const length = duration(summary.durationMs).padStart(9);
  const events = `${count(summary.eventCount).padStart(6)} ${plural(summary.eventCount, 'event').padEnd(6)}`;
  const attributes = [...summary.attributes].map(([name, value]) => `${printable(name)}=${printable(value)}`).join(' ');
  const more = attributes === '' ? '' : `  ${shorten(attributes, ATTRIBUTES_COLUMNS_MAX)}`;
  return `${column(summary.key)}  ${reason}  ${length}  ${events}  ${dim(printable(summary.incarnation))}${more}`;
}

function column(key: Uint8Array | null): string {
  return shorten(key === null ? '(null key)' : printableKey(key), KEY_COLUMNS).padEnd(KEY_COLUMNS);
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
