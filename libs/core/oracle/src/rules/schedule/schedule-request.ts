// Reads the request for schedules in a record (docs/FORMATS.md), as plainly as that page has it: headers first, then conflicts.
import type { Millis } from '@flatline/base';
import { nameOf, utf8In } from '../../logs/byte-names.ts';
import type { InputRecord, RawHeader } from '../../logs/history.ts';
import { varintBytes } from '../../logs/varint-bytes.ts';

/** A number, its leading zeros counted. */
const DIGITS = /^\d{1,16}$/;

/** The caller's time-zone database and reading of instants. */
export interface FoldCalendar {
  readonly version: string;
  isSound(cron: string, timeZone: string): boolean;
  next(cron: string, timeZone: string, after: Millis): Millis | undefined;
  /** undefined: not an instant. */
  instant(text: string): Millis | undefined;
}

/** The times at which a schedule runs. */
export interface ScheduleTimes {
  /** One character per byte. */
  readonly id: string | undefined;
  readonly every: number | undefined;
  readonly cron: string | undefined;
  /** Zone of the expression; without one it has no effect. */
  readonly zone: string;
  readonly start: Millis | undefined;
  readonly end: Millis | undefined;
  readonly max: number | undefined;
  readonly expires: number | undefined;
  readonly jitter: number | undefined;
}

/** The message that it publishes; one character per byte. */
export interface ScheduleMessage {
  /** undefined: for the pipeline's output. */
  readonly target: string | undefined;
  readonly value: string;
  readonly headers: readonly string[];
  /** Bytes of value and foreign headers, as they are kept. */
  readonly messageBytes: number;
}

export interface AskedSchedule extends ScheduleTimes, ScheduleMessage {
  readonly does: 'schedule' | 'CANCEL' | 'PAUSE' | 'RESUME' | 'TRIGGER';
  readonly at: Millis | undefined;
  readonly delay: number | undefined;
  readonly reset: boolean;
}

/** Characters of a cron expression, a zone, an id (docs/FORMATS.md, Schedules). */
const TEXT_LENGTH_MAX = 256;
const COMMANDS = ['PAUSE', 'RESUME', 'TRIGGER', 'CANCEL'];
/** Headers that a record may have; others that begin with `flatline-` are ignored, and not passed on. */
const SAID = new Set(
  [
    ['due-at', 'delay-ms', 'every-ms', 'cron', 'time-zone', 'start-at', 'end-at', 'max-runs', 'expires-ms'],
    ['schedule-id', 'upsert', 'command', 'target', 'jitter-ms'],
  ].flatMap((names) => names.map((name) => `flatline-${name}`)),
);

/** `bad`: the record belongs in the dead letters (I1). */
export function scheduleAskedBy({ value, headers = [] }: InputRecord, calendar: FoldCalendar): AskedSchedule | 'bad' {
  const own = headers.filter(({ name }) => name.startsWith('flatline-'));
  const telling = own.filter(({ name }) => SAID.has(name));
  const texts = new Map(
    telling.map(({ name, value: text }) => [name.slice('flatline-'.length), text ? utf8In(text) : '']),
  );
  const isOf = (name: string, shape: RegExp): boolean => !texts.has(name) || shape.test(texts.get(name) ?? '');
  const has = (...names: readonly string[]): boolean => names.some((name) => texts.has(name));
  if (texts.size < telling.length || [...texts.values()].includes(undefined)) return 'bad';
  const idText = texts.get('schedule-id');
  if (idText !== undefined && (idText.length < 1 || idText.length > TEXT_LENGTH_MAX)) return 'bad';
  const command = texts.get('command');
  if (command !== undefined && !COMMANDS.includes(command)) return 'bad';
  if (command === 'CANCEL' && value !== null) return 'bad';
  const number = (name: string): number | undefined => (texts.has(name) ? Number(texts.get(name)) : undefined);
  const instant = (name: string): Millis | undefined => {
    const text = texts.get(name);
    return text === undefined ? undefined : calendar.instant(text);
  };
  const asked = {
    does: (command ?? (value === null ? 'CANCEL' : 'schedule')) as AskedSchedule['does'],
    id: own.flatMap(({ name, value }) => (name === 'flatline-schedule-id' && value ? [nameOf(value)] : []))[0],
    at: instant('due-at'),
    delay: number('delay-ms'),
    every: number('every-ms'),
    cron: texts.get('cron'),
    zone: texts.get('time-zone') ?? 'UTC',
    start: instant('start-at'),
    end: instant('end-at'),
    max: number('max-runs'),
    expires: number('expires-ms'),
    jitter: number('jitter-ms') || undefined,
    target: texts.get('target'),
    reset: has('upsert'),
    messageBytes: messageBytesOf(
      value,
      headers.filter((each) => !own.includes(each)),
    ),
    value: value === null ? '' : nameOf(value),
    headers: headers.filter((each) => !own.includes(each)).map(shownHeader),
  };
  if (asked.does !== 'schedule') return asked;
  const whens = ['due-at', 'delay-ms', 'every-ms', 'cron'].filter((name) => texts.has(name));
  if (whens.length !== 1) return 'bad';
  if (!isOf('jitter-ms', DIGITS) || (asked.jitter ?? 0) >= 2 ** 31) return 'bad';
  if (has('due-at', 'delay-ms') && has('start-at', 'end-at', 'max-runs')) return 'bad';
  if (has('time-zone') && !has('cron')) return 'bad';
  if (['due-at', 'start-at', 'end-at'].some((name) => has(name) && instant(name) === undefined)) return 'bad';
  const numbers = [asked.delay, asked.every, asked.max, asked.expires];
  if (numbers.some((each) => each !== undefined && !Number.isSafeInteger(each))) return 'bad';
  if (!isOf('delay-ms', DIGITS) || !isOf('expires-ms', DIGITS)) return 'bad';
  if (!isOf('every-ms', DIGITS) || !isOf('max-runs', DIGITS) || !isOf('upsert', /^reset$/)) return 'bad';
  if (asked.every === 0 || asked.max === 0) return 'bad';
  if (['cron', 'time-zone'].some((name) => (texts.get(name)?.length ?? 1) > TEXT_LENGTH_MAX)) return 'bad';
  if (asked.cron !== undefined && !calendar.isSound(asked.cron, asked.zone)) return 'bad';
  return asked;
}

/** One character per byte. */
export function shownHeader({ name, value }: RawHeader): string {
  return `${name}=${value === null ? '(null)' : nameOf(value)}`;
}

/** docs/FORMATS.md, the pages of a key's schedules. */
function messageBytesOf(value: Uint8Array | null, headers: readonly RawHeader[]): number {
  const own = headers.map((header) => {
    const [name, bytes] = [utf8.encode(header.name).length, header.value?.length ?? -1];
    return varintBytes(name) + name + varintBytes(bytes + 1) + Math.max(0, bytes);
  });
  return own.reduce((sum, bytes) => sum + bytes, varintBytes(headers.length) + (value?.length ?? 0));
}

const utf8 = new TextEncoder();
