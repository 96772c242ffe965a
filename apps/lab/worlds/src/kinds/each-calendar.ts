// A calendar that needs no time-zone database: `each 2` is due at every even second. That of users is the processor's, and is
// tested there.
import type { Millis } from '@flatline/base';
import type { Calendar } from '@flatline/kinds';
import type { FoldCalendar } from '@flatline/oracle';

const EACH = /^each ([1-9]\d*)$/;
const VERSION = 'simulated';

function next(cron: string, _timeZone: string, after: Millis): Millis {
  const ms = Number(EACH.exec(cron)![1]) * 1_000;
  return (Math.floor(after / ms) + 1) * ms;
}

export const EACH_CALENDAR: Calendar = {
  version: VERSION,
  next,
  fault: (cron) => (EACH.test(cron) ? undefined : { about: 'cron', detail: cron }),
};

export const EACH_FOLD_CALENDAR: FoldCalendar = {
  version: VERSION,
  next,
  isSound: (cron) => EACH.test(cron),
  instant: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
};
