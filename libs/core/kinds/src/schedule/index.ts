export type { ScheduleCounters } from './schedule-counters.ts';
export { scheduleKind, type ScheduleOptions } from './schedule-kind.ts';
export { scheduleView } from './schedule-view.ts';
export type { ScheduleRules } from '@flatline/schedules';
export { scheduleSaid } from './schedule-said.ts';
