// Output of schedules: their runs, and receipts (D1, D4).
//
// Owns: nothing that outlives a call, but for the header of the last due instant.
// Does not own: when something is said (ScheduleKind).
import { digitsOf, type Millis, utf8Of } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import {
  ANSWERED_HEADER,
  DUE_AT_HEADER,
  LAST_HEADER,
  MISSED_HEADER,
  RECEIPT_HEADER,
  RUN_HEADER,
  SCHEDULE_HEADER,
  SCHEDULE_ID_HEADER,
  TZ_HEADER,
} from '@flatline/ports/formats';
import { messageIn, type Receipts } from '@flatline/schedules';
import type { Effects } from '../contract.ts';
import type { Schedule } from './schedule-state.ts';

export type ReceiptType =
  | 'SCHEDULED'
  | 'REPLACED'
  | 'CANCELLED'
  | 'NOT_FOUND'
  | 'EXPIRED'
  | 'MISSED'
  | 'PAUSED'
  | 'RESUMED'
  | 'TRIGGERED'
  | 'PARKED';

const ERRORS: ReadonlySet<ReceiptType> = new Set(['NOT_FOUND', 'EXPIRED', 'MISSED', 'PARKED']);
const EMPTY = new Uint8Array(0);
/** Headers of nearly every run. */
const FIRST = header(RUN_HEADER, '1');
const LAST = header(LAST_HEADER, 'true');

export interface RunNumber {
  readonly runs: number;
  readonly isLast: boolean;
}

export interface ScheduleVoiceParts {
  readonly partition: number;
  readonly receipts: Receipts;
  /** Version of the time-zone database. */
  readonly tzVersion: string;
}

export class ScheduleVoice {
  readonly #parts: ScheduleVoiceParts;
  /** Before the offset in the name of a schedule. */
  readonly #prefix: Uint8Array;
  /** Due instant of the last run, and its header: runs due together share it. */
  #lastDueAt: Millis = 0;
  #lastDueAtHeader = header(DUE_AT_HEADER, '0');

  constructor(parts: ScheduleVoiceParts) {
    this.#parts = parts;
    this.#prefix = utf8Of(`${parts.partition}-`);
  }

  /** A schedule's run, as it was due: the `runs`th. */
  run(schedule: Schedule, { runs, isLast }: RunNumber, key: Uint8Array, effects: Effects): void {
    const { headers, value } = messageIn(schedule.message);
    headers.push(this.#dueAtHeader(schedule.dueAt));
    this.#name(schedule, headers);
    headers.push(runs === 1 ? FIRST : { name: RUN_HEADER, value: digitsOf(runs) });
    if (isLast) headers.push(LAST);
    if (schedule.missed > 0) headers.push({ name: MISSED_HEADER, value: digitsOf(schedule.missed) });
    if (schedule.when.cron !== undefined) headers.push(header(TZ_HEADER, this.#parts.tzVersion));
    const { target } = schedule;
    effects.emit(target === undefined ? { key, value, headers } : { key, value, headers, topic: target });
  }

  /** `answers`: offset of the record that brought it about; undefined: time did. */
  receipt(type: ReceiptType, about: Schedule | { id: string | undefined }, to: Receiver, effects: Effects): void {
    const { receipts } = this.#parts;
    if (receipts === 'none' || (receipts === 'errors' && !ERRORS.has(type))) return;
    const headers = [header(RECEIPT_HEADER, type)];
    if ('dueAt' in about) {
      headers.push(this.#dueAtHeader(about.dueAt));
      this.#name(about, headers);
    } else if (about.id !== undefined) headers.push(header(SCHEDULE_ID_HEADER, about.id));
    if (to.answers !== undefined) headers.push({ name: ANSWERED_HEADER, value: digitsOf(to.answers) });
    if (type === 'PARKED') headers.push(header(TZ_HEADER, this.#parts.tzVersion));
    effects.emit({ key: to.key, value: EMPTY, headers });
  }

  #dueAtHeader(dueAt: Millis): RecordHeader {
    if (dueAt !== this.#lastDueAt) {
      this.#lastDueAt = dueAt;
      this.#lastDueAtHeader = { name: DUE_AT_HEADER, value: digitsOf(dueAt) };
    }
    return this.#lastDueAtHeader;
  }

  /** Says in headers which it is. */
  #name({ id, offset }: Schedule, headers: RecordHeader[]): void {
    headers.push({ name: SCHEDULE_HEADER, value: digitsOf(offset, this.#prefix) });
    if (id !== undefined) headers.push(header(SCHEDULE_ID_HEADER, id));
  }
}

export interface Receiver {
  readonly key: Uint8Array;
  readonly answers: number | undefined;
}

function header(name: string, value: string): RecordHeader {
  return { name, value: utf8Of(value) };
}
