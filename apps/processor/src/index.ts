export { type ProcessorOptions, type ProcessorSnapshot, type RunningProcessor, startProcessor } from './processor.ts';
