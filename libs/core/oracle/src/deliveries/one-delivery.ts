// Compares the records of one delivery with its attempts (N2, N3, N5).
import { type BegunAttempt, type DeliveryEvidence, isSuccess, type JudgedEndpoint, SLACK_MS } from './evidence.ts';
import { judgeWait } from './ladder.ts';
import type { Output } from './outputs.ts';
import { judgePassing, passedAtOf } from './passed-over.ts';
import { CHARACTERS_MAX, GONE } from '../rules/deliveries/attempts-kept.ts';
import { droppedAtOf, type FailedAttempt, givenUpBy, type Written, writtenOf } from './written.ts';

export function judgeDelivery(
  output: Output,
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  all: readonly BegunAttempt[],
): string[] {
  const of = `${endpoint.name}: ${output.id}`;
  const begun = all.filter(({ id }) => id === output.id);
  const written = writtenOf(endpoint, output, evidence);
  const keptAt = written.find(({ kind }) => kind === 'keep')?.at ?? Infinity;
  const overAt = [
    ...begun.filter(isSuccess).map(({ heard }) => heard!.answer!.at),
    ...givenUpBy(endpoint, evidence).flatMap(({ id, at }) => (id === output.id ? at : [])),
  ];
  const droppedAt = droppedAtOf(written, Math.min(...overAt));
  const passedAt = passedAtOf(output, evidence);
  return [
    ...judgePassing(output, endpoint, evidence, { of, begun, passedAt, keptAt }),
    ...begun.flatMap(({ at, isStale }) => {
      if (isStale) return [];
      const isUnkept = at >= passedAt && at < keptAt;
      return [
        ...(isUnkept ? [`[N3] ${of} is attempted at ${at}, is not kept, and was passed over at ${passedAt}`] : []),
        ...(at > droppedAt + SLACK_MS ? [`[N3] ${of} is attempted at ${at}, and was done with at ${droppedAt}`] : []),
      ];
    }),
    ...judgeKept(of, written, begun),
  ];
}

function judgeKept(of: string, written: readonly Written[], begun: readonly BegunAttempt[]): string[] {
  let former: readonly FailedAttempt[] = [];
  return written.flatMap((each) => {
    if (each.kind !== 'keep') return [];
    const found = judgeOne(of, each, former, begun);
    former = each.attempts;
    return found;
  });
}

function judgeOne(
  of: string,
  written: Written,
  former: readonly FailedAttempt[],
  begun: readonly BegunAttempt[],
): string[] {
  const { at, attempts, phase } = written;
  const found: string[] = [];
  const before = begun.filter((each) => each.at <= at).length;
  if (attempts.length > before) found.push(`[N2] ${of} has ${attempts.length} attempts of ${before} that were made`);
  if (former.some(({ at: then }, i) => attempts[i]?.at !== then)) found.push(`[N3] ${of} has forgotten attempts`);
  for (const { answer = '', error = '' } of attempts)
    if (answer.length > CHARACTERS_MAX || error.length > CHARACTERS_MAX)
      found.push(`[N5] ${of} keeps ${answer.length + error.length} characters`);
  if (attempts.at(-1)?.status === GONE) found.push(`[N2] ${of} waits, and its endpoint wants nothing more`);
  if (attempts.length > former.length && phase === 'waiting') found.push(...judgeWait(of, begun, written));
  return found;
}
