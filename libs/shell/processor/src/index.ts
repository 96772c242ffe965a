export {
  createProcessor,
  type CreateProcessorOptions,
  type EmbeddedProcessor,
  type PartitionReport,
  type ProcessorLog,
  type ProcessorReport,
  type ProcessorState,
} from './create-processor.ts';
export { type LargestRecords, largestRecords } from './largest-records.ts';
export { type ProcessorOptions, type ProcessorSnapshot, type RunningProcessor, startProcessor } from './processor.ts';
export { VERSION } from './version.ts';
