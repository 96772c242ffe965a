// Writes what a record asks of schedules: the headers that `request-reader.ts` reads, for a caller about to send one.
import type { DurationMs, Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import {
  COMMAND_HEADER,
  CRON_HEADER,
  DELAY_HEADER,
  DUE_AT_HEADER,
  END_AT_HEADER,
  EVERY_HEADER,
  EXPIRES_HEADER,
  JITTER_HEADER,
  MAX_RUNS_HEADER,
  SCHEDULE_ID_HEADER,
  START_AT_HEADER,
  TARGET_HEADER,
  TIME_ZONE_HEADER,
  UPSERT_HEADER,
} from '@flatline/ports/formats';
import type { Command } from './request-reader.ts';

/** An instant: milliseconds since the epoch, or ISO 8601 with a zone. */
export type SaidInstant = Millis | string;

/** When a message is to come, and how: members that are undefined say nothing. */
export interface ScheduleWish {
  readonly id?: string | undefined;
  readonly dueAt?: SaidInstant | undefined;
  readonly delayMs?: DurationMs | undefined;
  readonly everyMs?: DurationMs | undefined;
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly startAt?: SaidInstant | undefined;
  readonly endAt?: SaidInstant | undefined;
  readonly maxRuns?: number | undefined;
  readonly expiresMs?: DurationMs | undefined;
  readonly jitterMs?: DurationMs | undefined;
  readonly target?: string | undefined;
}

type Field = keyof ScheduleWish;

const HEADERS: Readonly<Record<Field, string>> = {
  id: SCHEDULE_ID_HEADER,
  dueAt: DUE_AT_HEADER,
  delayMs: DELAY_HEADER,
  everyMs: EVERY_HEADER,
  cron: CRON_HEADER,
  timeZone: TIME_ZONE_HEADER,
  startAt: START_AT_HEADER,
  endAt: END_AT_HEADER,
  maxRuns: MAX_RUNS_HEADER,
  expiresMs: EXPIRES_HEADER,
  jitterMs: JITTER_HEADER,
  target: TARGET_HEADER,
};
const FIELDS = Object.entries(HEADERS) as readonly (readonly [Field, string])[];
const utf8 = new TextEncoder();

/** `reset`: what recurs begins again, whatever there is. */
export function scheduleHeaders(wish: ScheduleWish, reset: boolean): RecordHeader[] {
  const said = FIELDS.flatMap(([field, name]) => {
    const value = wish[field];
    return value === undefined ? [] : [headerOf(name, String(value))];
  });
  return reset ? [...said, headerOf(UPSERT_HEADER, 'reset')] : said;
}

/** Without an id: of each schedule of the key. A cancel has no command: its value is null. */
export function commandHeaders(command: Command | 'CANCEL', id: string | undefined): RecordHeader[] {
  return [
    ...(command === 'CANCEL' ? [] : [headerOf(COMMAND_HEADER, command)]),
    ...(id === undefined ? [] : [headerOf(SCHEDULE_ID_HEADER, id)]),
  ];
}

/** Rewords a detail about headers in the terms of whoever asked. `what`: their word for a header. */
export function inWordsOf(detail: string, names: Readonly<Record<Field, string>>, what: string): string {
  // Longer names first: none is found within another.
  const found = FIELDS.toSorted(([, a], [, b]) => b.length - a.length);
  const named = found.reduce((text, [field, header]) => text.replaceAll(header, names[field]), detail);
  const own = Object.values(names).map((name) => name.replaceAll(/[^\w]/g, String.raw`\$&`));
  return named.replaceAll(new RegExp(String.raw`\bheader(?=s? (?:${own.join('|')}))`, 'g'), what);
}

function headerOf(name: string, value: string): RecordHeader {
  return { name, value: utf8.encode(value) };
}
