// Reads the headers by which a record controls its window (docs/FORMATS.md), as plainly as that page has them.
import type { DurationMs } from '@flatline/base';
import { textOf } from '../../logs/byte-names.ts';
import type { RawHeader } from '../../logs/history.ts';

export interface ItemAsks {
  readonly flush: boolean;
  /** Only of a record without a value. */
  readonly cancel: boolean;
  readonly waitMs: DurationMs | undefined;
  readonly maxWaitMs: DurationMs | undefined;
}

/** `bad`: the record belongs to the dead letters (I1). */
export function asksIn(headers: readonly RawHeader[]): ItemAsks | 'bad' {
  const said = (wanted: string): readonly string[] => [
    ...new Set(headers.filter(({ name }) => name === wanted).map(({ value }) => (value ? textOf(value) : ''))),
  ];
  const commands = said('flatline-command');
  const waits = [said('flatline-wait-ms'), said('flatline-max-wait-ms')];
  if (commands.length > 1 || !['FLUSH', 'CANCEL'].includes(commands[0] ?? 'FLUSH')) return 'bad';
  if (waits.some((texts) => texts.length > 1 || texts.some((text) => !isMilliseconds(text)))) return 'bad';
  const [waitMs, maxWaitMs] = waits.map(([text]) => (text === undefined ? undefined : Number(text)));
  return { flush: commands[0] === 'FLUSH', cancel: commands[0] === 'CANCEL', waitMs, maxWaitMs };
}

/** At most fifteen digits. */
function isMilliseconds(text: string): boolean {
  return String(Number(text)) === text && Number.isSafeInteger(Number(text)) && Number(text) > 0 && Number(text) < 1e15;
}

/** The identity of an item as text, as in a window's pages; 'long': it is longer than an identity may be. */
export function alikeBy(dedupeBy: string, headers: readonly RawHeader[], value: Uint8Array): string | undefined {
  if (dedupeBy[0] === '/') return pointedAt(dedupeBy, value);
  const found = [...headers].reverse().find(({ name }) => name === dedupeBy)?.value ?? undefined;
  if (found === undefined) return undefined;
  return found.length > 256 ? 'long' : found.join(' ');
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
  const bytes = new TextEncoder().encode(said);
  return bytes.length > 256 ? 'long' : bytes.join(' ');
}
