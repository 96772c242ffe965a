export {
  createProcessor,
  type CreateProcessorOptions,
  type EmbeddedProcessor,
  type PartitionReport,
  type ProcessorLog,
  type ProcessorReport,
  type ProcessorState,
} from './create-processor.ts';
export type { DebounceReducer, ReducerItem } from '@flatline/kinds';
export { type LiveEntry, type PartitionState, readPartitionState, type StatePlace } from './entries/partition-state.ts';
export type { LargestRecords } from './largest-records.ts';
export { foreseenSchedule, largestRecords, targetsOf } from './pipeline-kinds.ts';
export { type ProcessorOptions, type ProcessorSnapshot, type RunningProcessor, startProcessor } from './processor.ts';
export { VERSION } from './version.ts';
export type { ShownEntry } from '@flatline/kinds';
