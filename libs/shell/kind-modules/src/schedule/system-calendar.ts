import { CronCalendar } from '@flatline/system';

/** By the time-zone database of this Node. */
export function systemCalendar(): CronCalendar {
  return new CronCalendar(process.versions['tz'] ?? 'unknown');
}
