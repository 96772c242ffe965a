// Attempts of a delivery as records tell them (N2, N3, N5): read from docs/SPEC.md alone.
import type { DurationMs, Millis } from '@flatline/base';
import type { LoggedAttempt, LoggedDelivery } from './logged-delivery.ts';

export interface Fault {
  readonly rule: string;
  readonly what: string;
}

export const ATTEMPTS_MAX = 10;
export const GONE = 410;
/** Before the first attempt, and after each that fails. */
export const WAITS_MS: readonly DurationMs[] = [0, 5e3, 3e5, 18e5, 72e5, 18e6, 36e6, 504e5, 72e6, 864e5];
const SPREAD = 0.2;
/** By how much `Retry-After` may make a wait longer. */
const LONGER_MS: DurationMs = 7_200_000;
/** Clocks of the notifier and of the broker that differ by less are taken for one. */
const CLOCKS_MS: DurationMs = 1_100;
/** Most that is kept of an answer, and of an error. */
export const CHARACTERS_MAX = 256;

/** Looks at each attempt by itself. `isWebhook`: false of a program, whose exit code is no status. */
export function attemptFaults(attempts: readonly LoggedAttempt[], isWebhook: boolean): Fault[] {
  return attempts.flatMap(({ status = 0, answer = '', error = '' }): Fault[] => [
    ...[answer, error].flatMap((text) => {
      const { length } = Array.from(text);
      return length <= CHARACTERS_MAX
        ? []
        : [{ rule: 'N5', what: `keeps ${length} characters of what an attempt came to` }];
    }),
    ...(isWebhook && status >= 200 && status < 300
      ? [{ rule: 'N2', what: `counts an attempt as failed that was answered ${status}` }]
      : []),
  ]);
}

/** Compares with what was said before: each attempt is there for good, and one comes at a time. */
export function historyFaults(attempts: readonly LoggedAttempt[], former: readonly LoggedAttempt[]): Fault[] {
  if (former.some(({ at }, i) => attempts[i]?.at !== at))
    return [{ rule: 'N3', what: `has forgotten attempts: it had ${former.length}, and says ${attempts.length}` }];
  const added = attempts.length - former.length;
  return added > 1
    ? [{ rule: 'N3', what: `says ${added} attempts at once: the outcome of each is written before the next` }]
    : [];
}

/** The wait after the last attempt. `timestamp`: of the record, by the broker. */
export function waitFaults(
  { attempts }: Pick<LoggedDelivery, 'attempts'>,
  delayMs: DurationMs,
  timestamp: Millis,
): Fault[] {
  const { at, ms } = attempts.at(-1)!;
  const waitMs = WAITS_MS[attempts.length];
  if (waitMs === undefined)
    return [{ rule: 'N2', what: `waits for another attempt after ${attempts.length}, and there are ${ATTEMPTS_MAX}` }];
  const leastMs = (1 - SPREAD) * waitMs;
  const mostMs = (1 + SPREAD) * waitMs + LONGER_MS;
  const isAhead = at + ms > timestamp + CLOCKS_MS;
  // Written late, its delay is what is left of the wait; so it is too short only by the instant, too.
  const isShort = !isAhead && delayMs < leastMs - CLOCKS_MS && timestamp + delayMs < at + ms + leastMs - CLOCKS_MS;
  if (!isShort && delayMs <= mostMs) return [];
  return [{ rule: 'N2', what: `waits ${delayMs} ms after attempt ${attempts.length}, not ${leastMs} to ${mostMs}` }];
}
