import type { SessionSummary } from '@flatline/ports/formats';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import type { Format } from '../format.ts';
import { SummaryJsonEncoder } from './summary-json.ts';
import { SUMMARY_SHAPE } from './summary-shape.ts';

/** How many bytes `summary` has in that format. */
export function summaryBytes(format: Format, summary: SessionSummary): number {
  const encoder = format === 'json' ? new SummaryJsonEncoder() : new AvroRecordWriter(0, SUMMARY_SHAPE);
  return encoder.encode(summary).length;
}
