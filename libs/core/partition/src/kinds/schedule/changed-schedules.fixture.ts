import { ScheduleLog, T } from './schedules.fixture.ts';

/** A commit with two schedules of a key, one of which recurs, and one with its first run and a third. */
export function changedSchedules(): ScheduleLog {
  const log = new ScheduleLog();
  log.add(T, 'k', { 'due-at': T + 60_000, 'schedule-id': 'once', ':trace': 'ab' }, 'm1');
  log.add(T + 1, 'k', { 'every-ms': 2_000, 'schedule-id': 'again' }, 'm2');
  log.commit();
  log.add(T + 3_000, 'k', { 'due-at': T + 90_000, 'schedule-id': 'later' }, 'm3');
  log.commit();
  return log;
}
