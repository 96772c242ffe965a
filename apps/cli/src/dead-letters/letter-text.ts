// Dead letters as lines for a person, or as JSON. Pure.
import { count, counted, type Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { isUtf8 } from 'node:buffer';
import { printable, printableKey } from '../terminal/printable.ts';
import { isOutput, type Letter } from '@flatline/processor/letters';
import { placeOf } from './letter-survey.ts';

const HEX_COLUMNS = 16;

/** All of it: the value as text where it is UTF-8, else in hexadecimal, its first `bytesMax` bytes. */
export function shownText(letter: Letter, replays: number, bytesMax: number): string {
  const { reason, detail, topic, partition, offset, timestamp } = letter.origin;
  return [
    `dead letter  ${placeOf(letter)}, written ${isoTime(letter.writtenAt)}${replays === 0 ? '' : `, ${replayedText(replays)}`}`,
    `reason       ${printable(reason)}: ${printable(detail)}`,
    `from         ${printable(topic)}/${partition}/${offset}, stamped ${isoTime(timestamp)} (${timestamp})`,
    ...absentText(letter).map((text) => `absent       ${text}`),
    ...letter.headers.map(
      ({ name, value }) => `header       ${printable(name)}: ${value === null ? '(null)' : printableKey(value)}`,
    ),
    `key          ${bytesText(letter.key, bytesMax)}`,
    `value        ${bytesText(letter.value, bytesMax)}`,
  ].join('\n');
}

/** The parts of the refused record, or batch, that the letter lacks; empty where it holds all. */
export function absentText({ origin }: Letter): string[] {
  const { topic, partition, offset, truncated = {}, batch } = origin;
  const { keyBytes, valueBytes, headers } = truncated;
  const parts = [
    ...(keyBytes === undefined ? [] : [`key of ${counted(keyBytes, 'byte')}`]),
    ...(valueBytes === undefined ? [] : [`value of ${counted(valueBytes, 'byte')}`]),
    ...(headers === undefined ? [] : [counted(headers, 'header')]),
  ];
  const place = `${printable(topic)}/${partition}/${offset}`;
  if (isOutput({ origin })) return ['it is an output of which a route made no record, and never was in the input'];
  if (batch !== undefined)
    return [`${counted(batch.records, 'record')}, ${place} to ${batch.lastOffset}, in a batch that cannot be unpacked`];
  return parts.length === 0 ? [] : [`too long for the dead-letter topic: of ${place} its ${parts.join(', its ')}`];
}

/** The value that `--json` prints; bytes as text where they are UTF-8, else in base64. */
export function letterValue(letter: Letter, replays: number, pipeline: string): object {
  const { partition, offset, writtenAt, origin } = letter;
  const { reason, detail, ...place } = origin;
  return {
    kind: 'letter',
    pipeline,
    partition,
    offset,
    writtenAt,
    reason,
    detail,
    origin: place,
    key: bytesValue(letter.key),
    value: bytesValue(letter.value),
    headers: letter.headers.map(headerValue),
    replays,
  };
}

function headerValue({ name, value }: RecordHeader): object {
  return { name, value: bytesValue(value) };
}

/** As text where they are UTF-8, else in base64. */
function bytesValue(bytes: Uint8Array | null): object | null {
  if (bytes === null) return null;
  const { length } = bytes;
  const buffer = Buffer.from(bytes);
  return isUtf8(bytes) ? { length, text: buffer.toString('utf8') } : { length, base64: buffer.toString('base64') };
}

function bytesText(bytes: Uint8Array | null, bytesMax: number): string {
  if (bytes === null) return '(null)';
  const more = bytes.length > bytesMax ? `, the first ${count(bytesMax)}` : '';
  const head = `${counted(bytes.length, 'byte')}${more}`;
  const shown = bytes.subarray(0, bytesMax);
  if (shown.length === 0) return head;
  return isUtf8(bytes) ? `${head}, text: ${printableKey(shown)}` : `${head}, hex:\n${hexText(shown)}`;
}

/** Offset, bytes, and the ASCII among them. */
function hexText(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_COLUMNS) {
    const row = [...bytes.subarray(at, at + HEX_COLUMNS)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`  ${at.toString(16).padStart(6, '0')}  ${hex.padEnd(HEX_COLUMNS * 3 - 1)}  ${ascii}`);
  }
  return lines.join('\n');
}

export function replayedText(replays: number): string {
  return replays === 1 ? 'replayed once' : `replayed ${count(replays)} times`;
}

export function isoTime(time: Millis): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
}
