// Tools for recorded histories: their subjects, ways to inspect them, and ways to change them.
export { sessions, SESSION_RULES } from './session/session-subjects.ts';
export { schedules } from './schedule/schedule-subjects.ts';
export { takeApart } from './histories/block-editor.ts';
export {
  change,
  commits,
  isBind,
  isPage,
  lastImageBefore,
  namedOperations,
  operationsOf,
  type PageChange,
  removedForAWhile,
  sweptBind,
} from './histories/changelog-edits.ts';
export {
  type Asked,
  edit,
  endOf,
  type HistoryMutant,
  lastData,
  lastOf,
  mutant,
  transactionLike,
} from './histories/history-mutant.ts';
export type { NamedSubject, RoomCase, Sent, SettingsChange } from './histories/kind-histories.ts';
export type { RecordedLog, RecordedPartition } from './histories/recorded-partition.ts';
export { headersOf, type HistoryAct, type HistorySubject, OUTPUT } from './histories/subject.ts';
