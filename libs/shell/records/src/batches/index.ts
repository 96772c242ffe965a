export { BatchFormats, type ReadBatch } from './batch-formats.ts';
export type { ReceivedBatch } from './batch-shape.ts';
export { BATCH_SCHEMA, batchEncoder, openBatchEncoder } from './open-batch-encoder.ts';
export type { ReceivedItem } from '../record-shape.ts';
