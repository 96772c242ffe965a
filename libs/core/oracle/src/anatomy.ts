// The parts by which tests of the judge take logs apart and reassemble them with faults. No product imports them.
export { blankReach } from './judge/reach.ts';
export { readingOf } from './judge/kinds.ts';
export type { BlockOperation } from './logs/block-operation.ts';
export { BlockReader } from './logs/block-reader.ts';
export { bytesOf, nameOf, textOf } from './logs/byte-names.ts';
export type { HeadTouch, LoggedImage } from './logs/changelog-fold.ts';
export type { CommonRules } from './logs/history.ts';
export type { DebouncePipelineRules } from './rules/debounce/debounce-reading.ts';
export { touchedWindow } from './rules/debounce/window-image.ts';
export { touchedLease } from './rules/lease/lease-image.ts';
export type { LeasePipelineRules } from './rules/lease/lease-reading.ts';
export { touchedSchedules } from './rules/schedule/schedule-image.ts';
export type { SchedulePipelineRules } from './rules/schedule/schedule-reading.ts';
export { touchedHead } from './rules/session/session-head.ts';
