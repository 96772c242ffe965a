// What must come out of one input partition that is debounced, for callers that hold all of it.
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../../logs/byte-names.ts';
import type { RawHeader, RawRecord } from '../../logs/raw-record.ts';
import {
  type DebounceFoldRules,
  type FoldableItem,
  type FoldedBatch,
  type ItemAsks,
  NaiveWindow,
} from './naive-window.ts';

export interface DebounceFoldOptions {
  readonly partition: number;
  readonly rules: DebounceFoldRules;
  /** Stamped by the broker, or by producers. */
  readonly logAppendTime: boolean;
}

export interface FoldedWindows {
  /** Records of the output, by key as text, in order. */
  readonly said: ReadonlyMap<string, readonly FoldedBatch[]>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
  /** Offsets of the items that were taken. */
  readonly taken: readonly number[];
}

/** `records`: committed, in offset order. */
export function foldDebounce(records: readonly RawRecord[], options: DebounceFoldOptions): FoldedWindows {
  const { partition, rules, logAppendTime } = options;
  const windows = new Map<string, { readonly text: string; readonly window: NaiveWindow }>();
  const refused: number[] = [];
  const taken: number[] = [];
  let clock: Millis = 0;
  for (const record of records) {
    const { key, value, timestamp, offset, headers } = record;
    clock = Math.max(clock, timestamp);
    for (const { window } of windows.values()) window.settle(clock);
    if (key === null) {
      const tellsTime = headers.some(({ name }) => name === 'flatline-clock') && !value?.length;
      if (!tellsTime) refused.push(offset);
      continue;
    }
    const name = nameOf(key);
    const known = windows.get(name) ?? { text: textOf(key), window: new NaiveWindow(rules, partition, key) };
    windows.set(name, known);
    const asks = asksIn(headers);
    const effectiveAt = logAppendTime ? clock : timestamp;
    const alike = rules.dedupeBy === undefined ? undefined : alikeBy(rules.dedupeBy, record);
    if (asks === 'bad') refused.push(offset);
    else if (value === null) known.window.empty(asks.flush, clock);
    else if (alike === 'long') refused.push(offset);
    else if (known.window.take(foldable(record, key, value, alike), asks, { clock, effectiveAt })) taken.push(offset);
    else refused.push(offset);
    // Stamped in the past by its producer, it may be due at once.
    known.window.settle(clock);
  }
  return { said: new Map([...windows.values()].map(({ text, window }) => [text, window.said])), refused, taken };
}

function asksIn(headers: readonly RawHeader[]): ItemAsks | 'bad' {
  const said = (wanted: string): readonly string[] => [
    ...new Set(headers.filter(({ name }) => name === wanted).map(({ value }) => (value ? textOf(value) : ''))),
  ];
  const commands = said('flatline-command');
  const waits = [said('flatline-wait-ms'), said('flatline-max-wait-ms')];
  if (commands.some((command) => command !== 'FLUSH')) return 'bad';
  if (waits.some((texts) => texts.length > 1 || texts.some((text) => !isMilliseconds(text)))) return 'bad';
  const [waitMs, maxWaitMs] = waits.map(([text]) => (text === undefined ? undefined : Number(text)));
  return { flush: commands.length > 0, waitMs, maxWaitMs };
}

/** At most fifteen digits. */
function isMilliseconds(text: string): boolean {
  return String(Number(text)) === text && Number.isSafeInteger(Number(text)) && Number(text) > 0 && Number(text) < 1e15;
}

/** As text; 'long': it is longer than what tells items apart may be. */
function alikeBy(dedupeBy: string, { headers, value }: RawRecord): string | undefined {
  if (dedupeBy[0] === '/') return value === null ? undefined : pointedAt(dedupeBy, value);
  const found = [...headers].reverse().find(({ name }) => name === dedupeBy)?.value ?? undefined;
  if (found === undefined) return undefined;
  return found.length > 256 ? 'long' : `bytes ${found.join(' ')}`;
}

function pointedAt(pointer: string, value: Uint8Array): string | undefined {
  let at: unknown;
  try {
    at = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value));
  } catch {
    return undefined;
  }
  for (const token of pointer.split('/').slice(1)) {
    const name = token.split('~1').join('/').split('~0').join('~');
    const members = typeof at === 'object' && at !== null ? Object.entries(at) : [];
    at = members.find(([member]) => member === name)?.[1];
  }
  const tells = typeof at === 'string' || typeof at === 'boolean' || Number.isSafeInteger(at);
  if (!tells) return undefined;
  const said = JSON.stringify(at);
  return new TextEncoder().encode(said).length > 256 ? 'long' : said;
}

function foldable(
  { offset, timestamp, headers }: RawRecord,
  key: Uint8Array,
  value: Uint8Array,
  alike: string | undefined,
): FoldableItem {
  return { offset, timestamp, value, alike, record: { key, headers } };
}
