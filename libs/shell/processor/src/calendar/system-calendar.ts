import { CronCalendar } from './cron-calendar.ts';

/** By the time-zone database of this Node. */
export function systemCalendar(): CronCalendar {
  return new CronCalendar(process.versions['tz'] ?? 'unknown');
}
