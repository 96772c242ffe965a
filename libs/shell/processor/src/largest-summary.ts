import { type SessionEntry, type SessionRules, summarize } from '@flatline/kinds';
import { type Format, summaryBytes } from '@flatline/records';

/** Bytes of the summary that `entry` leaves behind, all its numbers at their longest. */
export function largestSummaryBytes(format: Format, entry: SessionEntry, rules: SessionRules, key: Uint8Array): number {
  const at = Number.MAX_SAFE_INTEGER;
  const times = { closedAt: at, endedAt: at, emittedAt: at };
  const closing = { key, partition: 2 ** 31 - 1, reason: 'MAX_DURATION' as const, ...times };
  const summary = summarize(entry, rules, closing);
  const longest = { startedAt: -at, deadlineAt: at, durationMs: at, heldMs: at, lateCount: at, missingCount: at };
  return summaryBytes(format, { ...summary, ...longest });
}
