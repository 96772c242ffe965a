export { commandHeaders, inWordsOf, type SaidInstant, scheduleHeaders, type ScheduleWish } from './asking.ts';
export { firstDueOf, foreseen, type Foreseen, NEVER } from './first-due.ts';
export { isoInstant } from './instant-text.ts';
export { messageIn, readText } from './message.ts';
export { Recurrence, recurs, saysTheSame } from './recurrence.ts';
export type { Bad } from './refusal.ts';
export { type AskingRecord, type Command, type CommandAsked, readAsked, type ScheduleAsked } from './request-reader.ts';
export type { OnMissed, Receipts, ScheduleRules } from './schedule-rules.ts';
export { ONCE, type Specification } from './specification.ts';
