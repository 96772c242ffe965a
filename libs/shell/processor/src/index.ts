export {
  createProcessor,
  type CreateProcessorOptions,
  type EmbeddedProcessor,
  type PartitionReport,
  type ProcessorLog,
  type ProcessorReport,
  type ProcessorState,
} from './create-processor.ts';
export type { LargestRecords } from './largest-records.ts';
export { largestRecords } from './pipeline-kinds.ts';
export { type ProcessorOptions, type ProcessorSnapshot, type RunningProcessor, startProcessor } from './processor.ts';
export { VERSION } from './version.ts';
