export {
  createProcessor,
  type CreateProcessorOptions,
  type EmbeddedProcessor,
  type LookupOptions,
  type PartitionReport,
  type ProcessorLog,
  type ProcessorReport,
  type ProcessorState,
} from './create-processor.ts';
export type { DebounceReducer, ReducerItem } from '@flatline/kinds/debounce';
export { type ActOutcome, type AskedAct, UNSURE } from './acts/act.ts';
export { type ChangelogEnds, ChangelogReader } from './entries/changelog-ends.ts';
export { type LiveEntry, type PartitionState, readPartitionState, type StatePlace } from './entries/partition-state.ts';
export { advertised as advertisedEndpoint } from './http/advertised.ts';
export { openHttpServer } from './http/http-server.ts';
export { pushKafka } from './kafka-options.ts';
export { entryFields, keyFields } from './directory/entry-json.ts';
export type { EntryAnswer } from './directory/entry-answer.ts';
export type { Asking, HereAnswers } from './directory/here.ts';
export type { HerePage, PageAsking } from './directory/here-pages.ts';
export type { Looked, ProcessView, RestartOutcome, WorkerRow, Whole } from './http/observed.ts';
export type { ProbeRow } from './http/probe-rows.ts';
export { SupervisorMetrics } from './http/supervisor-metrics.ts';
export { calmLog } from './log/calm-log.ts';
export { requireIngestPort } from './open-ingest.ts';
export { pipelineTopicsOf } from './pipeline-topics.ts';
export { type ProcessorOptions, type ProcessorSnapshot, type RunningProcessor, startProcessor } from './processor.ts';
export { holdStateDirectories } from './state-directories.ts';
export {
  type PipelineTopics,
  requirementsOf,
  type TimestampType,
  type TopicRequirement,
} from './topics/topic-requirements.ts';
export {
  ANOTHER_NAME,
  findForeignDeliveries,
  type ForeignDeliveries,
  foreignText,
} from './topics/foreign-deliveries.ts';
export { type LackingRights, lackingRights, rightsText } from './topics/topic-rights.ts';
export { STAMP_UNLIMITED, topicSettings } from './topics/topic-settings.ts';
export { inlineMore } from './inlining.ts';
export { VERSION } from './version.ts';
export type { ShownEntry } from '@flatline/kinds';
