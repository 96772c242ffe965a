export { BatchFormats, type ReadBatch } from './batches/batch-formats.ts';
export type { ReceivedBatch } from './batches/batch-shape.ts';
export { BATCH_SCHEMA, batchEncoder, openBatchEncoder } from './batches/open-batch-encoder.ts';
export type { BadOutcome } from './bad-input.ts';
export type { EventEncoder } from './events/event-encoder.ts';
export { openEventEncoder } from './events/event-encoder.ts';
export { EVENT_SCHEMA, EventFormats, openEventDecoder } from './events/event-formats.ts';
export { EVENT_SHAPE } from './events/event-shape.ts';
export type { OutgoingEvent } from './events/event-shape.ts';
export type { Format, InputFormat } from './format.ts';
export {
  LEASE_EVENT_SCHEMA,
  leaseEventBytes,
  leaseEventEncoder,
  openLeaseEventEncoder,
} from './leases/lease-event-encoder.ts';
export { LeaseEventFormats, type ReadLeaseEvent } from './leases/lease-event-formats.ts';
export type { ReceivedLeaseEvent } from './leases/lease-event-shape.ts';
export { BadInput } from './bad-input.ts';
export { encodeRequest } from './leases/request-encoder.ts';
export { openRequestDecoder, RequestFormats } from './leases/request-formats.ts';
export * as codecLimits from './limits.ts';
export type { ReadingOptions } from './record-formats.ts';
export type { ReceivedItem } from './record-shape.ts';
export { HttpSchemaRegistry, type HttpSchemaRegistryOptions } from './registry/http-schema-registry.ts';
export type { RegisteredSchema, SchemaRegistry } from './registry/schema-registry.ts';
export { SchemasAtHand } from './registry/schemas-at-hand.ts';
export { type ReceivedReceipt, type ReceivedRun, receiptIn, runIn } from './runs/runs.ts';
export { summaryBytes } from './summaries/summary-bytes.ts';
export {
  openSummaryEncoder,
  SUMMARY_SCHEMA,
  summaryEncoder,
  SummaryFormats,
  type ReadSummary,
  type SummaryOutcome,
} from './summaries/summary-formats.ts';
export type { ReceivedSummary } from './summaries/summary-shape.ts';
