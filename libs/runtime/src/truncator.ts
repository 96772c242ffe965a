// Truncates the changelog below a floor that has been in force long enough (K4).
//
// Owns: the floors of committed commits and since when each holds.      Does not own: the floor itself (Changelog).
import type { Clock, DurationMs } from '@flatline/base';
import type { LogAdmin, TopicPartition } from '@flatline/task';
import { FLOORS_MAX, TRUNCATE_INTERVAL_MS } from './limits.ts';
import type { RuntimeLog } from './settings.ts';

interface Floor {
  readonly offset: number;
  readonly sinceMs: DurationMs;
}

export interface TruncatorParts {
  readonly clock: Clock;
  readonly admin: LogAdmin;
  readonly changelog: TopicPartition;
  readonly lagMs: DurationMs;
  readonly log: RuntimeLog;
}

export class Truncator {
  readonly #parts: TruncatorParts;
  #floors: Floor[] = [];
  #truncatedTo = 0;
  #lastRunMs = 0;
  #underWay = false;

  constructor(parts: TruncatorParts) {
    this.#parts = parts;
  }

  /** A commit with this floor is known to be in the log. Truncates in the background when it is time. */
  committed(floor: number): void {
    const now = this.#parts.clock.monotonicMs();
    const last = this.#floors.at(-1);
    // With the list full the newest floor waits: an older one in force is always safe to use.
    if ((last === undefined || floor > last.offset) && this.#floors.length < FLOORS_MAX)
      this.#floors.push({ offset: floor, sinceMs: now });
    const intervalMs = Math.min(TRUNCATE_INTERVAL_MS, this.#parts.lagMs);
    if (!this.#underWay && now - this.#lastRunMs >= intervalMs) void this.#run(now);
  }

  async #run(now: DurationMs): Promise<void> {
    this.#lastRunMs = now;
    const ripe = this.#floors.filter(({ sinceMs }) => now - sinceMs >= this.#parts.lagMs);
    const target = ripe.at(-1)?.offset ?? 0;
    if (target <= this.#truncatedTo) return;
    this.#underWay = true;
    try {
      await this.#parts.admin.truncate(this.#parts.changelog, target);
      this.#truncatedTo = target;
      this.#floors = this.#floors.filter(({ offset }) => offset > target);
    } catch (error) {
      // The log is longer than it need be for another while; the next run tries again.
      this.#parts.log.warn('changelog not truncated', { ...this.#parts.changelog, target, error });
    } finally {
      this.#underWay = false;
    }
  }
}
