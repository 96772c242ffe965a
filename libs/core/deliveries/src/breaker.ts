// Breaker of one endpoint (N4): pure, a state and what follows from it.
//
//             FAILURES_TO_OPEN in a row            the time is over: one probe
//   closed ─────────────────────────────▶ open ─────────────────────────────────▶ half-open
//     ▲                                    ▲                                        │   │
//     │                                    └───────────── it failed: twice as long ─┘   │
//     └──────────────────────────────── it succeeded ────────────────────────────────────┘
//   any ── 410, or nothing but failures for FAILING_MAX_MS, tried all along ──▶ disabled ── enabled by a command ──▶ closed
//
// Half-open is `open` whose `until` has passed.
import type { DurationMs, Millis } from '@flatline/base';
import { spread } from './ladder.ts';

export type DisabledWhy = 'gone' | 'failing';

interface Tried {
  /** When it failed last; undefined: an earlier build has kept it, or there was none. */
  readonly failedAt?: Millis | undefined;
}

export type Breaker =
  | ({ readonly kind: 'closed'; readonly failures: number; readonly failingSince: Millis | undefined } & Tried)
  | ({ readonly kind: 'open'; readonly until: Millis; readonly opened: number; readonly failingSince: Millis } & Tried)
  | { readonly kind: 'disabled'; readonly why: DisabledWhy; readonly since: Millis };

export const CLOSED: Breaker = { kind: 'closed', failures: 0, failingSince: undefined };

export const FAILURES_TO_OPEN = 5;
export const OPEN_FIRST_MS: DurationMs = 5_000;
export const OPEN_MOST_MS: DurationMs = 300_000;
/** As the greatest draw spreads that. */
const OPEN_LONGEST_MS: DurationMs = spread(OPEN_MOST_MS, 1);
/** An endpoint that has failed for so long, was tried all along, and never succeeded since, is disabled. */
export const FAILING_MAX_MS: DurationMs = 5 * 86_400_000;

/** One that was not tried for longer than this counts its days again from its next failure: longer than the longest wait of an attempt (ladder.ts). */
export const UNTRIED_MAX_MS: DurationMs = 36 * 3_600_000;

/** One that is open for longer than any is opened was opened by a clock that was ahead: its probe is due. */
export function believable(breaker: Breaker, now: Millis): Breaker {
  const isSound = breaker.kind !== 'open' || breaker.until - now <= OPEN_LONGEST_MS;
  return isSound ? breaker : { ...breaker, until: now };
}

/** An attempt has failed at `now`. `draw`, from [0, 1), spreads how long it stays open. */
export function afterFailure(breaker: Breaker, now: Millis, draw: number): Breaker {
  if (breaker.kind === 'disabled') return breaker;
  const { failingSince: before = now, failedAt = now } = breaker;
  const failingSince = now - failedAt > UNTRIED_MAX_MS ? now : before;
  const opened = breaker.kind === 'open' ? breaker.opened : 0;
  const failures = breaker.kind === 'open' ? FAILURES_TO_OPEN : breaker.failures + 1;
  if (failures < FAILURES_TO_OPEN) return { kind: 'closed', failures, failingSince, failedAt: now };
  if (now - failingSince >= FAILING_MAX_MS) return { kind: 'disabled', why: 'failing', since: now };
  // Attempts under way as it opened say nothing that is new.
  if (breaker.kind === 'open' && now < breaker.until) return breaker;
  const openMs = Math.min(OPEN_MOST_MS, OPEN_FIRST_MS * 2 ** opened);
  return { kind: 'open', until: now + spread(openMs, draw), opened: opened + 1, failingSince, failedAt: now };
}

/** The same where an attempt has succeeded: of one that is disabled, which was under way, nothing changes. */
export function afterSuccess(breaker: Breaker): Breaker {
  return breaker.kind === 'disabled' ? breaker : CLOSED;
}

/** The endpoint has said that it wants nothing more (410). */
export function afterGone(breaker: Breaker, now: Millis): Breaker {
  return breaker.kind === 'disabled' ? breaker : { kind: 'disabled', why: 'gone', since: now };
}
