// How often a delivery is attempted, after which waits, and what ends it (N2).
import type { BegunAttempt, DeliveryEvidence, JudgedEndpoint } from './evidence.ts';
import { ATTEMPTS_MAX, WAITS_MS } from '../rules/deliveries/attempts-kept.ts';
import { givenUpBy, type Written } from './written.ts';

/** The clock of the engine may be ahead by so much: it brings out what is due within it. */
const EARLY_MS = 1_100;

/** The wait after the last of these attempts, and longer where the endpoint asked for it. */
export function judgeWait(of: string, begun: readonly BegunAttempt[], { at, attempts }: Written): string[] {
  const last = attempts.at(-1)!;
  const asked =
    last.status === undefined ? undefined : begun.find((each) => each.at === last.at)?.heard?.answer?.retryAfterMs;
  const waitMs = Math.max(0.8 * WAITS_MS[attempts.length]!, asked ?? 0);
  const next = begun.find((each) => each.at > at && !each.isStale);
  // Who was frozen has written it later than it was.
  const failedAt = Math.min(at, begun.find((each) => each.at === last.at)?.endedAt ?? at);
  if (next === undefined || next.at >= failedAt + waitMs - EARLY_MS) return [];
  return [
    `[N2] ${of} is attempted ${next.at - failedAt} ms after its failure number ${attempts.length}, not ${waitMs}`,
  ];
}

export function judgeGivenUp(endpoint: JudgedEndpoint, evidence: DeliveryEvidence): string[] {
  return givenUpBy(endpoint, evidence).flatMap(({ id, why, attempts }) => {
    const isRight =
      why === 'attempts' ? attempts === ATTEMPTS_MAX : endpoint.saidGone && (why === 'gone' || why === 'disabled');
    return isRight ? [] : [`[N2] ${endpoint.name}: ${id} is given up after ${attempts} attempts: ${why}`];
  });
}
