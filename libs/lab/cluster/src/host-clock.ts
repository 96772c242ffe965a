// The clocks of one simulated machine, derived from virtual time: a wall clock that may be wrong in every way, and a
// monotonic one that stands still only while the machine is suspended.
//
// Owns: the errors of this machine's clocks.
// Does not own: timers (SimulatedHost).
import type { DurationMs, Millis } from '@flatline/base';
import type { VirtualTime } from './virtual-time.ts';

export class HostClock {
  readonly #time: VirtualTime;
  /** The wall clock shows `#wallAnchorMs` at virtual `#anchorMs` and goes on from there at `#rate`. */
  #wallAnchorMs: number;
  #anchorMs: DurationMs;
  #rate = 1;
  readonly #monotonicOriginMs: DurationMs;
  /** Each suspension that is over, from and to, in virtual time. */
  readonly #suspensions: (readonly [from: DurationMs, to: DurationMs])[] = [];
  #suspendedMs: DurationMs = 0;
  #suspendedSince: DurationMs | undefined;

  /** `wallMs`: present reading of the wall clock. `monotonicMs`: likewise; its origin is arbitrary, so it differs by machine. */
  constructor(time: VirtualTime, wallMs: Millis, monotonicMs: DurationMs) {
    this.#time = time;
    this.#wallAnchorMs = wallMs;
    this.#anchorMs = time.nowMs;
    this.#monotonicOriginMs = monotonicMs - time.nowMs;
  }

  wallMs(): Millis {
    return Math.floor(this.#wallAnchorMs + (this.#time.nowMs - this.#anchorMs) * this.#rate);
  }

  monotonicMs(): DurationMs {
    return this.#monotonicOriginMs + (this.#suspendedSince ?? this.#time.nowMs) - this.#suspendedMs;
  }

  /** Moves the wall clock by `byMs`, either way. */
  step(byMs: DurationMs): void {
    this.#anchor();
    this.#wallAnchorMs += byMs;
  }

  /** Sets the wall milliseconds per real one from now on: 1 is right, 0 frozen, 1.01 one in a hundred too fast. */
  setRate(rate: number): void {
    this.#anchor();
    this.#rate = rate;
  }

  freeze(): void {
    this.setRate(0);
  }

  thaw(): void {
    this.setRate(1);
  }

  /** Suspends the machine: Linux's CLOCK_MONOTONIC does not count that time. */
  suspend(): void {
    this.#suspendedSince ??= this.#time.nowMs;
  }

  wake(): void {
    if (this.#suspendedSince === undefined) return;
    const { nowMs } = this.#time;
    this.#suspensions.push([this.#suspendedSince, nowMs]);
    this.#suspendedMs += nowMs - this.#suspendedSince;
    this.#suspendedSince = undefined;
  }

  /** How much of the virtual time from one instant to another the monotonic clock did not count, as far as it has woken since. */
  suspendedMsBetween(from: DurationMs, to: DurationMs): DurationMs {
    return this.#suspensions.reduce((sum, [since, until]) => {
      return sum + Math.max(0, Math.min(to, until) - Math.max(from, since));
    }, 0);
  }

  #anchor(): void {
    this.#wallAnchorMs = this.wallMs();
    this.#anchorMs = this.#time.nowMs;
  }
}
