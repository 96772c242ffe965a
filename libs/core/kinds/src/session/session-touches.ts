// Applies a record to the one session of an entry: a bare heartbeat touches it, an event changes it (S1, S5–S7, S11).
//
// Owns: nothing that outlives a call.
// Does not own: whether there is a session, and room for the record (session-opening.ts).
import type { SessionEvent } from '@flatline/ports/formats';
import type { Effects } from '../contract.ts';
import { applyEvent, applyHeartbeat, applyNumbers, type Occurrence, saysNumbersOnly } from './apply-event.ts';
import type { SessionRules } from './entry.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionCounters } from './session-counters.ts';
import type { SessionTelling } from './session-telling.ts';
import type { SessionWindow } from './session-window.ts';
import type { SessionStatistics } from './statistics/session-statistics.ts';
import type { TakenRecord } from './taken-record.ts';

export class SessionTouches {
  readonly #entry: SessionWindow;
  readonly #rules: SessionRules;
  readonly #counters: SessionCounters;
  readonly #stats: SessionStatistics | undefined;
  readonly #record: TakenRecord;
  readonly #event: SessionEvent;
  readonly #at: Occurrence;
  readonly #telling: SessionTelling;
  /** True if anything is told of live sessions (S11). A field of its own: each heartbeat asks for it. */
  readonly #tells: boolean;
  /** True if an event that says numbers only does no more to a live session than count: nothing is told, capped, reduced. */
  readonly #isPlain: boolean;

  constructor({ entry, rules, counters, stats }: SessionContext, record: TakenRecord, telling: SessionTelling) {
    this.#entry = entry;
    this.#rules = rules;
    this.#counters = counters;
    this.#stats = stats;
    this.#record = record;
    this.#event = record.event;
    this.#at = record.at;
    this.#telling = telling;
    const { sayOpened, updateIntervalMs, maxEvents, reducer } = rules;
    this.#tells = sayOpened === true || updateIntervalMs !== undefined;
    this.#isPlain = !this.#tells && maxEvents === undefined && reducer === undefined && stats === undefined;
  }

  /** A bare heartbeat. */
  touch(isLive: boolean, effects: Effects): void {
    this.#counters.heartbeats += 1;
    const entry = this.#entry;
    const before = entry.timeoutMs;
    const seenBefore = this.#tells ? entry.lastSeenAt : 0;
    applyHeartbeat(entry, this.#rules, this.#at);
    if (entry.timeoutMs !== before) effects.reshaped();
    if (this.#tells) this.#telling.touched(isLive, seenBefore, effects);
    if (!isLive && this.#stats !== undefined) this.#stats.opened(entry);
    effects.changed();
    // A shorter timeout is the one way a due instant comes nearer.
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  /** The event. `isTold`: of the session, what is due to be told after it. */
  apply(isLive: boolean, effects: Effects, isTold = this.#tells): void {
    const counters = this.#counters;
    counters.events += 1;
    const entry = this.#entry;
    const { timeoutMs: before, timeoutChosen: wasChosen } = entry;
    const seenBefore = isTold ? entry.lastSeenAt : 0;
    const lengthBefore = entry.stateLength;
    const standing = isLive ? this.#stats?.standing(entry, this.#event) : undefined;
    const applied = applyEvent(entry, this.#rules, this.#event, this.#at);
    this.#record.keepReduced();
    if (applied.duplicate) counters.duplicates += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    counters.forgottenSources += applied.forgottenSources;
    if (entry.stateLength !== lengthBefore) effects.resized();
    if (entry.timeoutMs !== before || entry.timeoutChosen !== wasChosen) effects.reshaped();
    if (isTold) this.#telling.touched(isLive, seenBefore, effects);
    if (!isLive) this.#stats?.opened(entry);
    else if (standing !== undefined) this.#stats?.moved(entry, standing);
    effects.changed();
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  /** True if all that the event does to a live session is counted in numbers: `applyNumbers` then does as `apply`, and sooner. */
  get isOfNumbers(): boolean {
    return this.#isPlain && saysNumbersOnly(this.#event);
  }

  applyNumbers(effects: Effects): void {
    const counters = this.#counters;
    counters.events += 1;
    const entry = this.#entry;
    const before = entry.timeoutMs;
    if (!applyNumbers(entry, this.#rules, this.#event, this.#at)) counters.duplicates += 1;
    if (entry.timeoutMs !== before) effects.reshaped();
    effects.changed();
    if (entry.timeoutMs < before) effects.dueSooner();
  }
}
