// The longest summary that the limits of a pipeline allow.
import {
  ABSORBED_MAX,
  CELL_BYTES,
  cellsOf,
  largestEntry,
  type SessionEntry,
  type SessionRules,
  summarize,
} from '@flatline/kinds/session';
import type { StateReducer } from '@flatline/kinds/reducing';
import { codecLimits, type Format } from '@flatline/records';
import { summaryBytes } from '@flatline/records/summaries';
import { AROUND_BYTES, CONTROL, largestKey, type LargestOutput, WIDE } from '../largest.ts';
import type { SessionPipeline } from './settings.ts';

const LIMITS = { typeLength: codecLimits.TYPE_LENGTH_MAX, eventIdLength: codecLimits.EVENT_ID_LENGTH_MAX };

export function largestSessionOutput({ rules, input, output }: SessionPipeline): LargestOutput {
  const { maxKeyBytes } = input;
  const { maxAttributes, maxAttributeBytes, dedupeEventIds, reducer, stats } = rules;
  const { resultBytesMax: reducedBytes = 0 } = reducer ?? {};
  const cells = stats === undefined ? 0 : cellsOf(stats);
  const key = largestKey(input);
  const summaries = [WIDE, CONTROL].map((text) =>
    largestSummaryBytes(output.format, largestEntry(rules, LIMITS, text), rules, key),
  );
  return {
    outputBytes: AROUND_BYTES + maxKeyBytes + reducedBytes + Math.max(...summaries),
    settings: {
      maxKeyBytes,
      maxAttributes,
      maxAttributeBytes,
      dedupeEventIds,
      ...(stats && { stats: cells }),
      ...(reducer && { [boundOf(reducer)]: reducer.named.reducer.maxStateBytes }),
    },
    outputs: 'a summary',
    keptBytes: cells * CELL_BYTES,
  };
}

/** Bytes of the summary that `entry` leaves behind, all its numbers at their longest. */
export function largestSummaryBytes(format: Format, entry: SessionEntry, rules: SessionRules, key: Uint8Array): number {
  const at = Number.MAX_SAFE_INTEGER;
  const times = { closedAt: at, endedAt: at, emittedAt: at };
  const partition = 2 ** 31 - 1;
  const absorbed = rules.graceMs > 0 ? new Array<number>(ABSORBED_MAX).fill(at) : [];
  const revision = (rules.revisionWindowMs ?? 0) > 0 ? at : 0;
  const closing = { key, partition, reason: 'MAX_DURATION' as const, ...times, absorbed, revision };
  const summary = summarize(entry, rules, closing);
  const longest = { startedAt: -at, deadlineAt: at, durationMs: at, heldMs: at, lateCount: at, missingCount: at };
  return summaryBytes(format, { ...summary, ...longest });
}

/** The setting by which a reducer's results become shorter. */
function boundOf({ named }: StateReducer): string {
  return named.builtIn === undefined ? "reducer's maxStateBytes" : 'maxReducedBytes';
}
