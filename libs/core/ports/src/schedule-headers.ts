// Headers of schedules (docs/SCHEDULES.md): of the record that schedules, of the record that comes out, of receipts.

/** Prefix of the headers that are never passed on. */
export const OWN_HEADERS = 'flatline-';

export const DUE_AT_HEADER = 'flatline-due-at';
export const DELAY_HEADER = 'flatline-delay-ms';
export const EVERY_HEADER = 'flatline-every-ms';
export const CRON_HEADER = 'flatline-cron';
export const TIME_ZONE_HEADER = 'flatline-time-zone';
export const START_AT_HEADER = 'flatline-start-at';
export const END_AT_HEADER = 'flatline-end-at';
export const MAX_RUNS_HEADER = 'flatline-max-runs';
export const EXPIRES_HEADER = 'flatline-expires-ms';
export const SCHEDULE_ID_HEADER = 'flatline-schedule-id';
export const UPSERT_HEADER = 'flatline-upsert';
export const TARGET_HEADER = 'flatline-target';
export const JITTER_HEADER = 'flatline-jitter-ms';

/** Headers by which a record may ask for schedules, beside `flatline-command`. */
export const ASKING_HEADERS = [
  DUE_AT_HEADER,
  DELAY_HEADER,
  EVERY_HEADER,
  CRON_HEADER,
  TIME_ZONE_HEADER,
  START_AT_HEADER,
  END_AT_HEADER,
  MAX_RUNS_HEADER,
  EXPIRES_HEADER,
  SCHEDULE_ID_HEADER,
  UPSERT_HEADER,
  TARGET_HEADER,
  JITTER_HEADER,
] as const;

export const SCHEDULE_HEADER = 'flatline-schedule';
export const RUN_HEADER = 'flatline-run';
export const LAST_HEADER = 'flatline-last';
export const MISSED_HEADER = 'flatline-missed';
/** Version of the time-zone database by which the run was reckoned. */
export const TZ_HEADER = 'flatline-tz';
/** Its value is what has happened; such a record is no run. */
export const RECEIPT_HEADER = 'flatline-receipt';
/** Offset of the record that a receipt answers. */
export const ANSWERED_HEADER = 'flatline-answers';

/** Characters (UTF-16 code units) of a schedule's id. */
export const SCHEDULE_ID_LENGTH_MAX = 256;
