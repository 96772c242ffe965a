// What comes out of schedules: their runs, and receipts (D1, D4).
//
// Owns: nothing.      Does not own: when something is said (ScheduleKind).
import type { Millis } from '@flatline/base';
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
import type { Effects } from '../contract.ts';
import type { Receipts } from './schedule-rules.ts';
import { messageIn, type Schedule } from './schedule-state.ts';

export type ReceiptType =
  'SCHEDULED' | 'REPLACED' | 'CANCELLED' | 'NOT_FOUND' | 'EXPIRED' | 'MISSED' | 'PAUSED' | 'RESUMED' | 'TRIGGERED';

const ERRORS: ReadonlySet<ReceiptType> = new Set(['NOT_FOUND', 'EXPIRED', 'MISSED']);
const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();

export interface ScheduleVoiceParts {
  readonly partition: number;
  readonly receipts: Receipts;
  /** Version of the time-zone database. */
  readonly tzVersion: string;
}

export class ScheduleVoice {
  readonly #parts: ScheduleVoiceParts;

  constructor(parts: ScheduleVoiceParts) {
    this.#parts = parts;
  }

  /** The `runs`th run of a schedule, as it was due. */
  run(schedule: Schedule, isLast: boolean, key: Uint8Array, effects: Effects): void {
    // A copy: what it lies in holds all messages of the key, and the run waits for its commit (X6).
    const { headers, value } = messageIn(schedule.message.slice());
    const own: RecordHeader[] = [
      header(DUE_AT_HEADER, schedule.dueAt),
      ...this.#named(schedule),
      header(RUN_HEADER, schedule.runs),
    ];
    if (isLast) own.push(header(LAST_HEADER, 'true'));
    if (schedule.missed > 0) own.push(header(MISSED_HEADER, schedule.missed));
    if (schedule.when.cron !== undefined) own.push(header(TZ_HEADER, this.#parts.tzVersion));
    const { target } = schedule;
    effects.emit({ key, value, headers: [...headers, ...own], ...(target !== undefined && { topic: target }) });
  }

  /** `answers`: offset of the record that brought it about; undefined: time did. */
  receipt(type: ReceiptType, about: Schedule | { id: string | undefined }, to: Receiver, effects: Effects): void {
    const { receipts } = this.#parts;
    if (receipts === 'none' || (receipts === 'errors' && !ERRORS.has(type))) return;
    const headers = [header(RECEIPT_HEADER, type)];
    if ('dueAt' in about) headers.push(header(DUE_AT_HEADER, about.dueAt), ...this.#named(about));
    else if (about.id !== undefined) headers.push(header(SCHEDULE_ID_HEADER, about.id));
    if (to.answers !== undefined) headers.push(header(ANSWERED_HEADER, to.answers));
    effects.emit({ key: to.key, value: EMPTY, headers });
  }

  #named({ id, offset }: Schedule): RecordHeader[] {
    const named = [header(SCHEDULE_HEADER, `${this.#parts.partition}-${offset}`)];
    if (id !== undefined) named.push(header(SCHEDULE_ID_HEADER, id));
    return named;
  }
}

export interface Receiver {
  readonly key: Uint8Array;
  readonly answers: number | undefined;
}

function header(name: string, value: string | Millis): RecordHeader {
  return { name, value: utf8.encode(String(value)) };
}
