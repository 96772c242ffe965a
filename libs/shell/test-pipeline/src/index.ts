// Exports of `flatline/testing`: pipelines in memory with virtual time, for the tests of applications.
export type { DeadLetterOutput, LoggedRecord, TestEntry } from './shown-state.ts';
export type { ReplayedRecord, SendOptions, TestPipelineOptions } from './options.ts';
export type { BatchOutput, LeaseOutput, ReceiptOutput, RunOutput, SummaryOutput, WrittenRecord } from './outputs.ts';
export { type KindOf, type SentRecord, testPipeline, type TestPipeline } from './test-pipeline.ts';
export type { PipelineSection, TestedConfiguration } from './tested-config.ts';
export type { Duration, Instant } from './times.ts';
