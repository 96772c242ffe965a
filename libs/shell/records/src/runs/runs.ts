// Runs of schedules and receipts, out of the headers of their records (docs/FORMATS.md, Schedules).
import type { Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import {
  ANSWERED_HEADER,
  DUE_AT_HEADER,
  LAST_HEADER,
  MISSED_HEADER,
  OWN_HEADERS,
  RECEIPT_HEADER,
  RUN_HEADER,
  SCHEDULE_HEADER,
  SCHEDULE_ID_HEADER,
  TZ_HEADER,
} from '@flatline/ports/formats';

/** A message that has come out. */
export interface ReceivedRun {
  /** `<partition>-<offset>` of the record that made the schedule; with `number` it names the run for good. */
  readonly schedule: string;
  /** The schedule's id among those of its key, as given. */
  readonly scheduleId: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly last: boolean;
  /** When it was due, without its jitter, in milliseconds since the epoch. */
  readonly dueAt: Millis;
  /** Runs not made since the last one. */
  readonly missed: number;
  /** Version of the time-zone database, of a cron expression. */
  readonly tz: string | undefined;
  /** The message's value, byte for byte. */
  readonly value: Uint8Array;
  /** The message's own headers. */
  readonly headers: readonly RecordHeader[];
}

/** An answer to a record that schedules, or word of a run that does not come. */
export interface ReceivedReceipt {
  /** `SCHEDULED`, `NOT_FOUND`, …: of a newer processor also what is not known here. */
  readonly type: string;
  readonly schedule: string | undefined;
  readonly scheduleId: string | undefined;
  /** In milliseconds since the epoch. */
  readonly dueAt: Millis | undefined;
  /** Offset in the input of the record that it answers; undefined where time brought it about. */
  readonly answers: number | undefined;
  /** The version of the time-zone database that lacks the zone, where it is `PARKED`. */
  readonly tz: string | undefined;
}

/** The last header of a name, as text; undefined: none. */
type HeaderOf = (name: string) => string | undefined;

const text = new TextDecoder('utf-8', { ignoreBOM: true });

export function receiptIn(headers: readonly RecordHeader[]): ReceivedReceipt | undefined {
  const of = headerOf(headers);
  const type = of(RECEIPT_HEADER);
  if (type === undefined) return undefined;
  return {
    type,
    schedule: of(SCHEDULE_HEADER),
    scheduleId: of(SCHEDULE_ID_HEADER),
    dueAt: integer(of(DUE_AT_HEADER)),
    answers: integer(of(ANSWERED_HEADER)),
    tz: of(TZ_HEADER),
  };
}

/** undefined: it is no run. */
export function runIn(value: Uint8Array, headers: readonly RecordHeader[]): ReceivedRun | undefined {
  const of = headerOf(headers);
  const schedule = of(SCHEDULE_HEADER);
  const number = integer(of(RUN_HEADER));
  const dueAt = integer(of(DUE_AT_HEADER));
  if (schedule === undefined || number === undefined || dueAt === undefined) return undefined;
  return {
    schedule,
    scheduleId: of(SCHEDULE_ID_HEADER),
    number,
    last: of(LAST_HEADER) === 'true',
    dueAt,
    missed: integer(of(MISSED_HEADER)) ?? 0,
    tz: of(TZ_HEADER),
    value,
    headers: headers.filter(({ name }) => !name.startsWith(OWN_HEADERS)),
  };
}

function headerOf(headers: readonly RecordHeader[]): HeaderOf {
  return (wanted) => {
    const value = headers.findLast(({ name }) => name === wanted)?.value;
    return value == null ? undefined : text.decode(value);
  };
}

function integer(digits: string | undefined): number | undefined {
  if (digits === undefined || !/^-?\d{1,16}$/.test(digits)) return undefined;
  return Number(digits);
}
