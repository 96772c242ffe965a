export { BackOff, type BackOffLimits, RECONNECT_BACK_OFF } from './back-off.ts';
export { CronCalendar } from './calendar/cron-calendar.ts';
export { withinDeadline } from './deadline.ts';
export { makeDirectory } from './make-directory.ts';
export { type Patience, patiently } from './patience.ts';
export { pause } from './pause.ts';

export { systemClock } from './system-clock.ts';
export { Wait } from './wait.ts';
export { whileWaiting } from './while-waiting.ts';
