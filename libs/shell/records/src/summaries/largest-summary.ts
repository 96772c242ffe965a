import { type SessionEntry, type SessionRules, summarize } from '@flatline/kinds';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import type { Format } from '../format.ts';
import { SummaryJsonEncoder } from './summary-json.ts';
import { SUMMARY_SHAPE } from './summary-shape.ts';

/** Bytes of the summary that `entry` leaves behind, all its numbers at their longest. */
export function largestSummaryBytes(format: Format, entry: SessionEntry, rules: SessionRules, key: Uint8Array): number {
  const encoder = format === 'json' ? new SummaryJsonEncoder() : new AvroRecordWriter(0, SUMMARY_SHAPE);
  const at = Number.MAX_SAFE_INTEGER;
  const times = { closedAt: at, endedAt: at, emittedAt: at };
  const closing = { key, partition: 2 ** 31 - 1, reason: 'MAX_DURATION' as const, ...times };
  const summary = summarize(entry, rules, closing);
  const longest = { startedAt: -at, deadlineAt: at, durationMs: at, heldMs: at, lateCount: at, missingCount: at };
  return encoder.encode({ ...summary, ...longest }).length;
}
