// Why a partition does not close now, in words of who operates it; the first that holds.
import type { NowFact, PartFact } from './facts.ts';
import { duration, instant, number } from './words.ts';

/** Behind by so many records is on the way: a moment's traffic. */
const LAG_MIN = 1_000;

/** `wallMs`: the present, as the instance has it. */
export function whyOpen(part: PartFact, now: NowFact | undefined, wallMs: number): string {
  const { role, state, detail, owner } = part;
  if (role === 'standby') return `${owner ?? 'no instance'} closes; a standby is here`;
  if (role === undefined)
    return owner === null ? 'has no owner yet' : `${owner} closes, and does not tell this instance`;
  if (state !== 'running') return detail === undefined ? `is ${state}` : `is ${state}: ${detail}`;
  if (detail !== undefined) return detail;
  if (now === undefined) return 'is not told yet';
  const [clock, , lag, expiryLagMs = 0, commitFill = 0, nextDueAt = null] = now;
  if (commitFill >= 1) return 'waits for a commit';
  if (expiryLagMs > 0) return `closes now, ${duration(expiryLagMs)} behind`;
  if ((lag ?? 0) >= LAG_MIN) return `reads first: ${number(lag!)} records may still prove life`;
  if (nextDueAt === null) return 'has nothing live';
  if (nextDueAt > wallMs) return `none is due before ${instant(nextDueAt)}, in ${duration(nextDueAt - wallMs)}`;
  return clock < nextDueAt ? `waits for proof: no record is stamped ${instant(nextDueAt)} or later` : 'closes now';
}
