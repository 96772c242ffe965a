import { INSTANT_MAX, type Millis } from '@flatline/base';

/** ISO 8601 with date, time and an explicit zone; fraction of any length; comma or point. */
const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))?\s?(Z|[+-]\d{2}(?::?\d{2})?)$/i;
const DIGITS = /^-?\d+(?:\.\d+)?$/;

/**
 * Below it a bare number is taken for seconds, from it on for milliseconds: 10^11 s is the year 5138, 10^11 ms is March
 * 1973, so that every time of practical use is told apart by its size.
 */
const SECONDS_BELOW = 1e11;

/**
 * A time as files carry it: ISO 8601 with a zone, or a Unix time in seconds (also with a fraction) or milliseconds.
 * A local time without a zone is refused: which instant it means depends on the machine that reads it.
 * @returns a reason where it is none.
 */
export function parseFieldTime(value: unknown): Millis | { readonly reason: string } {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return { reason: 'is neither a number nor a text' };
  const text = value.trim();
  if (DIGITS.test(text)) return fromNumber(Number(text));
  const match = ISO.exec(text);
  if (match === null) return { reason: isoHint(text) };
  return fromIso(match);
}

function fromNumber(value: number): Millis | { readonly reason: string } {
  // By way of whole microseconds, since 1431857103.123 * 1000 is a little less than …123.
  const ms = Math.floor(Math.abs(value) < SECONDS_BELOW ? Math.round(value * 1e6) / 1000 : value);
  // Kafka refuses negative timestamps; years beyond what Date can show are taken for damage.
  if (!Number.isFinite(value) || ms < 0 || ms > INSTANT_MAX) return { reason: `${value} is not a Unix time` };
  return ms;
}

function fromIso(match: RegExpExecArray): Millis | { readonly reason: string } {
  const [, date = '', time = '', fraction = '', zone = ''] = match;
  const offset = zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const whole = Date.parse(`${date}T${seconds}${offset.toUpperCase()}`);
  // Date.parse rolls 31 February over into March; the day read back tells.
  const day = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(whole) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date || whole < 0)
    return { reason: `${match[0]} is not a time that exists` };
  return whole + Number(fraction.padEnd(3, '0').slice(0, 3));
}

function isoHint(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)) return `'${shown}' has no time zone (write Z or +02:00)`;
  return `'${shown}' is neither ISO 8601 nor a Unix time in seconds or milliseconds`;
}
