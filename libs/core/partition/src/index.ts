export {
  type Block,
  type Claim,
  type CommitHeader,
  decodeBlock,
  encodeClaim,
  type InputPosition,
  NO_BATCH,
  recordedStamp,
} from './changelog/block-format.ts';
export type { FlushSlice } from './checkpoint/checkpoints.ts';
export type { TaskCounters } from './live/counters.ts';
export type { ListAsked } from './live/entry-list.ts';
export type { Look } from './live/entry-look.ts';
export type { DeadLetter } from './commit/dead-letter.ts';
export type { MisplacedKey } from './live/key-placement.ts';
export { largestBlockBytes } from './changelog/largest-block.ts';
export { PartitionTask } from './partition-task.ts';
export type { StateLimits } from './entries/state-limits.ts';
export type { Cursors } from './input/merged-taker.ts';
export type { MergedOutcome, StepOutcome, TaskCut, TaskOptions } from './task-contract.ts';
export { type InputRules } from './input/record-class.ts';
export { RecordFailed } from './input/record-failed.ts';
export { Restoration, type RestoreStep } from './checkpoint/restoration.ts';
export { StateReading } from './checkpoint/state-reading.ts';
export { type EntryTimer, type TimerInspection, timerFaults } from './entries/timer-inspection.ts';
