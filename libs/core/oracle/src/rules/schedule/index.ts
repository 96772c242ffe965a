export { type FoldedSchedules, foldSchedules, type ScheduleFoldOptions } from './fold-schedules.ts';
export type { SaidOfSchedule, ScheduleFoldRules } from './naive-schedules.ts';
export type { FoldCalendar } from './schedule-request.ts';
