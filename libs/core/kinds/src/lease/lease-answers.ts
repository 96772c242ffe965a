// Answers about a lease as its entry stands: to whom, until when, and what is in the way of others.
//
// Owns: counts of grants and refusals.
// Does not own: the entry, when something is said (LeaseKind), how (LeaseVoice).
import type { Millis } from '@flatline/base';
import type { LeaseReason } from '@flatline/ports/formats';
import type { Effects, KindParts } from '../contract.ts';
import type { LeaseCounters } from './lease-counters.ts';
import { deadlineOf, longestOf } from './lease-deadline.ts';
import { type Claim, type LeaseState, leaseState, type Waiter } from './lease-state.ts';
import type { Answered, LeaseVoice, Obstacle, SpokenLease } from './lease-voice.ts';
import type { LeaseWindow } from './lease-window.ts';

export class LeaseAnswers {
  readonly #parts: KindParts<LeaseWindow, LeaseCounters>;
  readonly #voice: LeaseVoice;

  constructor(parts: KindParts<LeaseWindow, LeaseCounters>, voice: LeaseVoice) {
    this.#parts = parts;
    this.#voice = voice;
  }

  granted(claim: Claim, to: Answered, effects: Effects): void {
    this.#parts.counters.leasesGranted += 1;
    this.grantedAgain({ holder: claim, waiters: [] }, to, effects);
  }

  /** The answer to a start that has been granted before (L5). */
  grantedAgain(state: LeaseState, to: Answered, effects: Effects): void {
    const { entry, held } = this.#parts;
    const endsAt = entry.maxDurationMs === 0 ? undefined : longestOf(entry, held, to.at);
    this.#voice.granted({ ...this.#spoken(state, to.at), endsAt }, to, effects);
  }

  queued({ timeoutMs, claim }: Waiter, state: LeaseState, to: Answered, effects: Effects): void {
    this.#voice.queued({ ...claim, timeoutMs }, this.obstacle('HELD', to.at, state), to, effects);
  }

  rejected(refused: Claim & { token?: number | undefined }, by: Obstacle, to: Answered, effects: Effects): void {
    this.#parts.counters.leaseRequestsRejected += 1;
    this.#voice.rejected(refused, by, to, effects);
  }

  released(state: LeaseState, byOperator: boolean, to: Answered, effects: Effects): void {
    this.#voice.released(this.#spoken(state, to.at), byOperator, to, effects);
  }

  expired(state: LeaseState, why: { reason: LeaseReason; heldMs?: number }, to: Answered, effects: Effects): void {
    this.#voice.expired(this.#spoken(state, to.at), why, to, effects);
  }

  /** The entry as what is in the way. */
  obstacle(reason: LeaseReason, at: Millis, { holder } = leaseState(this.#parts.entry.state)): Obstacle {
    const { entry, held } = this.#parts;
    if (entry.delayed) return { reason, retryAt: entry.renewedAt };
    return { reason, holder: holder.attributes, deadlineAt: deadlineOf(entry, held, at) };
  }

  #spoken({ holder }: LeaseState, at: Millis): SpokenLease {
    const { entry, held } = this.#parts;
    const { token, timeoutMs, grantedAt, renewals } = entry;
    const deadlineAt = deadlineOf(entry, held, at);
    return { token, timeoutMs, grantedAt, deadlineAt, renewals, attributes: holder.attributes };
  }
}
