// Deliveries that would be sent again after a kill, and attempts of a courier that has lost its partition (N3).
import type { DurationMs } from '@flatline/base';
import type { BegunAttempt, DeliveryEvidence, JudgedEndpoint } from './evidence.ts';
import type { Output } from './outputs.ts';
import { passedAtOf } from './passed-over.ts';
import { givenUpBy, writtenOf } from './written.ts';

/** An attempt begins so soon after a commit, which another may follow; and its answer may be late by so much. */
const UNFENCED_MS: DurationMs = 1_000;
const ANSWER_MS: DurationMs = 10_000;

/** No more attempts of a partition are under way, or over with an outcome that is not committed, than may be under way. */
export function judgeAtRisk(
  { name, maxInFlight }: JudgedEndpoint,
  evidence: DeliveryEvidence,
  outputs: readonly Output[],
  all: readonly BegunAttempt[],
): string[] {
  const spans = all.flatMap((each) => {
    const output = outputs.find(({ id }) => id === each.id);
    if (each.isStale || output === undefined) return [];
    const written = writtenOf({ name }, output, evidence);
    const dropped = written.find(({ kind, at }) => kind === 'drop' && at >= each.at);
    const doneAt = written.length === 0 ? passedAtOf(output, evidence) : (dropped?.at ?? Infinity);
    const givenUp = givenUpBy({ name }, evidence).find(({ id, at }) => id === each.id && at >= each.at);
    const kept = written.find(({ attempts }) => attempts.some((attempt) => attempt.at === each.at));
    const failedAt = Math.min(kept?.at ?? Infinity, givenUp?.at ?? Infinity);
    const { at, run } = each;
    return [
      { at, run, partition: output.partition, id: each.id, until: each.isDelivered === true ? doneAt : failedAt },
    ];
  });
  return spans.flatMap(({ at, run, partition, id }) => {
    const atRisk = spans.filter(
      (each) => each.run === run && each.partition === partition && each.at <= at && each.until > at,
    );
    if (atRisk.length <= maxInFlight) return [];
    return [`[N3] ${name}: ${atRisk.length} would be sent again as ${id} begins at ${at}`];
  });
}

/** Whoever has lost its partition meets the fence before it attempts anything. */
export function judgeFenced({ name }: JudgedEndpoint, begun: readonly BegunAttempt[]): string[] {
  return begun
    .filter(({ fencedMs }) => fencedMs > 2 * UNFENCED_MS + ANSWER_MS)
    .map(({ id, fencedMs }) => `[N3] ${name}: ${id} is attempted ${fencedMs} ms after another has fenced its courier`);
}
