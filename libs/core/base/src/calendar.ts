import type { Millis } from './time.ts';

/** Cron expressions in time zones. Outside of the core, since it goes by a time-zone database. */
export interface Calendar {
  /** Version of the time-zone database. */
  readonly version: string;
  /** Why it cannot be computed. Asked again for stored schedules: the database of another Node may have had the zone. */
  fault(cron: string, timeZone: string): { readonly about: 'cron' | 'time-zone'; readonly detail: string } | undefined;
  /** The first run after `after` of what has no fault; undefined: there is none. */
  next(cron: string, timeZone: string, after: Millis): Millis | undefined;
}
