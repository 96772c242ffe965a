// Truncates the changelog below a floor that has been in force long enough (K4).
//
// Owns: the floors of committed commits and since when each holds.
// Does not own: the floor itself (Changelog).
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import type { LogAdmin, TopicPartition } from '@flatline/ports';
import {
  FLOORS_APART,
  FLOORS_MAX,
  TRUNCATE_INTERVAL_MIN_MS,
  TRUNCATE_INTERVAL_MS,
  TRUNCATE_SURPLUS,
} from '../limits.ts';
import type { RuntimeLog } from '../settings.ts';
import type { TaskContext } from '../task-context.ts';

interface Floor {
  readonly offset: number;
  readonly sinceMs: DurationMs;
  /** Bytes written by then. */
  readonly sinceBytes: number;
}

interface TruncatorParts {
  readonly clock: Clock;
  readonly admin: LogAdmin;
  readonly changelog: TopicPartition;
  /** A floor is ripe once it has been in force this long, or while this many bytes were written. */
  readonly lagMs: DurationMs;
  readonly lagBytes: number;
  readonly log: RuntimeLog;
}

export class Truncator {
  readonly #parts: TruncatorParts;
  #floors: Floor[] = [];
  #truncatedTo = 0;
  #lastTryMs = 0;
  /** Bytes of all commits so far. */
  #written = 0;
  #underWay = false;
  /** Floor of an erasure (E1) that is not in force for long enough; 0: none. */
  #awaited = 0;
  /** Runs meanwhile, since no commit may come by then. */
  #timer: Cancel | undefined;
  #stopped = false;

  constructor({ changelog, settings, ports }: TaskContext) {
    const { truncateLagMs: lagMs, truncateLagBytes: lagBytes } = settings;
    const { clock, admin, log } = ports;
    this.#parts = { clock, admin, log, lagMs, lagBytes, changelog };
  }

  /** A commit of `bytes` with this floor is known to be in the log. Truncates in the background when it is time. */
  committed(floor: number, bytes: number): void {
    const now = this.#parts.clock.monotonicMs();
    this.#written += bytes;
    if (this.#isWorthKeeping(floor, now)) this.#floors.push({ offset: floor, sinceMs: now, sinceBytes: this.#written });
    if (!this.#underWay && now - this.#lastTryMs >= this.#intervalMs) void this.#truncate(now);
  }

  /** The same of the floor with which an erasure (E1) may truncate: as soon as it has been in force long enough, whatever comes. */
  purged(floor: number): void {
    this.#awaited = floor;
    this.#keepAwaited();
    this.#lookIn(this.#parts.lagMs);
  }

  /** Once there is room for it. */
  #keepAwaited(): void {
    const newest = this.#floors.at(-1)?.offset ?? this.#truncatedTo;
    if (newest >= this.#awaited || this.#floors.length >= FLOORS_MAX) return;
    const sinceMs = this.#parts.clock.monotonicMs();
    this.#floors.push({ offset: this.#awaited, sinceMs, sinceBytes: this.#written });
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  #lookIn(ms: DurationMs): void {
    if (this.#stopped) return;
    this.#timer?.();
    this.#timer = this.#parts.clock.after(ms, () => {
      if (this.#truncatedTo >= this.#awaited) return;
      if (!this.#underWay) void this.#truncate(this.#parts.clock.monotonicMs());
      this.#keepAwaited();
      this.#lookIn(TRUNCATE_INTERVAL_MS);
    });
  }

  /** One of several floors close together is enough. With the list full the newest is left out: an older one is as safe. */
  #isWorthKeeping(floor: number, now: DurationMs): boolean {
    const last = this.#floors.at(-1);
    if (last === undefined) return floor > this.#truncatedTo;
    if (floor <= last.offset || this.#floors.length >= FLOORS_MAX) return false;
    const { lagMs, lagBytes } = this.#parts;
    return now - last.sinceMs >= lagMs * FLOORS_APART || this.#written - last.sinceBytes >= lagBytes * FLOORS_APART;
  }

  /** Sooner where more was written meanwhile than the floors are apart. */
  get #intervalMs(): DurationMs {
    const intervalMs = Math.min(TRUNCATE_INTERVAL_MS, this.#parts.lagMs);
    const first = this.#floors[0];
    const isMuch = first !== undefined && this.#written - first.sinceBytes >= this.#parts.lagBytes * TRUNCATE_SURPLUS;
    return isMuch ? Math.min(TRUNCATE_INTERVAL_MIN_MS, intervalMs) : intervalMs;
  }

  #isRipe({ sinceMs, sinceBytes }: Floor, now: DurationMs): boolean {
    return now - sinceMs >= this.#parts.lagMs || this.#written - sinceBytes >= this.#parts.lagBytes;
  }

  async #truncate(now: DurationMs): Promise<void> {
    this.#lastTryMs = now;
    const target = this.#floors.findLast((floor) => this.#isRipe(floor, now))?.offset ?? 0;
    if (target <= this.#truncatedTo) return;
    this.#underWay = true;
    try {
      await this.#parts.admin.truncate(this.#parts.changelog, target);
      this.#truncatedTo = target;
      this.#floors = this.#floors.filter(({ offset }) => offset > target);
    } catch (error) {
      // The log stays longer than it need be; the next commit tries again.
      this.#parts.log.warn('changelog not truncated', { ...this.#parts.changelog, target, error });
    } finally {
      this.#underWay = false;
    }
  }
}
