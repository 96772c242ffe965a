// Parts of the SDK for the rest of the workspace, over ports and connections of its own. No package shows them.
export {
  HeartbeatProducer,
  type HeartbeatProducerOptions,
  openHeartbeatProducer,
  type SessionId,
} from './heartbeat-producer.ts';
export { pipelinesIn, whyNotListed } from './directory-pipeline.ts';
export type { HeardLease } from './heard-lease.ts';
export { LeaseHolder } from './lease-holder.ts';
export { type LeasePorts, leasesOver } from './open-leases.ts';
export { type OutputPorts, outputsOver } from './open-outputs.ts';
export { openSummaryConsumer, type SummaryConsumer, type SummaryConsumerOptions } from './open-summary-consumer.ts';
export type { OutputRecord, SummaryRecord, TombstoneRecord, UnreadableRecord, UpdateRecord } from './output-record.ts';
export { SentSchedules } from './sent-schedules.ts';
export { type TaskPorts, workOver } from './tasks-over.ts';
export { outcomeIn, type Standing, standingAfter, type TaskOutcome, type TaskState } from './task-outcome.ts';
export { OutputConsumer } from './output-consumer.ts';
export { type Beside, type OutputKind, outputKinds, type RecordsByKind } from './output-kinds.ts';
export type { RawOutput } from './output-record.ts';
export { readPatiently } from './patient-reading.ts';
