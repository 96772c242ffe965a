// Lets what is due take effect, in slices: entries of other keys than those of the records being taken.
//
// Evictions give way (Q4): what is due takes effect before them, they leave it a part of each commit, and do no more than is allowed. Where a
// record or an instant has to wait until they are over, they have all there is.
//
// Owns: how far expiring has come, what is left of the work that evictions may do.
// Does not own: timers (LiveEntries), the clock, room in the commit (NextCommit).
import type { Millis } from '@flatline/base';
import type { LiveEntries } from './live-entries.ts';
import type { NextCommit } from '../commit/next-commit.ts';
import type { PartitionClock } from './partition-clock.ts';

/** Due instants that take effect between two looks at whether the commit is full. */
const EXPIRE_BURST = 32;
/** Due instants, at most, between two pieces of work on what is owed: up to a record, which take about as long as each other. */
const DUE_PER_OWED = 1_024;
/** Evictions take a part of what time brings about, while that has more. */
const EVICTED_SHARE = 4;

export class Expiry {
  readonly #entries: LiveEntries;
  readonly #clock: PartitionClock;
  readonly #commit: NextCommit;
  /** True if `expire` goes on to what is due within the wheel's tick; and the clock at which that has left nothing. */
  #expiresAll = false;
  #expiredAllAt: Millis = -Infinity;
  /** The clock at which nothing was left of what goes first. */
  #firstDoneAt: Millis = -Infinity;
  /** Due instants that may have taken effect since the last work on what is owed. */
  #dueSinceOwed = 0;
  /** Work that evictions may still do, in ends. */
  evictable = Infinity;
  /** A record waits until evictions are over. */
  #awaitsEvictions = false;

  constructor(entries: LiveEntries, clock: PartitionClock, commit: NextCommit) {
    this.#entries = entries;
    this.#clock = clock;
    this.#commit = commit;
  }

  /** True if all that is due has taken effect, within the tick, too; if not, the next `expire` goes on until it has. */
  demandAll(): boolean {
    if (this.#expiredAllAt < this.#clock.now) {
      this.#expiresAll = true;
      return false;
    }
    this.#awaitsEvictions = this.#entries.isEvicting;
    return !this.#awaitsEvictions;
  }

  /** As `demandAll`; true at once where nothing can be due. */
  isDone(): boolean {
    const entries = this.#entries;
    return ((entries.earliestDue() ?? Infinity) > this.#clock.now && !entries.isEvicting) || this.demandAll();
  }

  /** True if all that goes first has taken effect; if not, the next `expire` begins with it. */
  isFirstDone(): boolean {
    const { now } = this.#clock;
    return this.#entries.firstDue > now || this.#firstDoneAt >= now;
  }

  /** Entries may have come that are due at once: by a record with a stamp of its own, by an eviction, by what was owed. */
  noteArrivals(): void {
    if (!this.#entries.hasBacklog) return;
    this.#expiredAllAt = -Infinity;
    this.#firstDoneAt = -Infinity;
  }

  /** True if more is due, or owed that fits the commit. What is owed has a share while more is due, and all the rest then. */
  expire(limit: number): boolean {
    const entries = this.#entries;
    if (this.#commit.isFull) return entries.hasBacklog || entries.isEvicting;
    if (entries.isEvicting) entries.evictAwaited();
    if (entries.isEvicting && entries.mustPass) {
      // As of before the instant that is to be passed.
      this.#evict(limit, true);
      return true;
    }
    const passes = entries.aim();
    let left = limit - this.#takeFirst(limit);
    // Where nothing may take effect by now, something is left only if something is due.
    if (left <= 0 && (limit > 0 || !this.isFirstDone())) return true;
    while (this.#expireBurst(Math.min(left, EXPIRE_BURST), passes || entries.isExact)) {
      if (this.#dueSinceOwed >= DUE_PER_OWED) this.sayOwed();
      left -= EXPIRE_BURST;
      if (left <= 0 || this.#isFullByNow() || entries.fired < EXPIRE_BURST) {
        this.#evictSome(Math.ceil(limit / EVICTED_SHARE));
        return true;
      }
    }
    if (passes) {
      entries.pass();
      return true;
    }
    if (this.#expiresAll) this.#expiredAllAt = this.#clock.now;
    this.#expiresAll = false;
    this.#evictSome(limit);
    return this.sayOwed() || entries.hasBacklog || this.canEvict;
  }

  /** True if evictions are under way that may go on in this commit. */
  get canEvict(): boolean {
    if (!this.#entries.isEvicting) return false;
    return this.#awaitsEvictions ? !this.#commit.isFull : this.evictable > 0 && this.#commit.takesEvicted;
  }

  /** True if evictions may go on with the next commit only. */
  get evictsNext(): boolean {
    return this.#entries.isEvicting && this.evictable > 0 && !this.#commit.takesEvicted;
  }

  get hasOwed(): boolean {
    return this.#entries.hasOwed;
  }

  /** Works on what is owed, if the commit has room. True if there is more of it, and room. */
  sayOwed(): boolean {
    const entries = this.#entries;
    if (!this.#maySayOwed()) return false;
    this.#dueSinceOwed = 0;
    entries.sayOwed();
    // Instants that waited for it may be due.
    this.noteArrivals();
    return this.#maySayOwed();
  }

  #maySayOwed(): boolean {
    return this.hasOwed && this.#commit.takesOwed;
  }

  #evictSome(limit: number): void {
    const isAwaited = this.#awaitsEvictions;
    this.#evict(isAwaited ? limit : Math.min(limit, this.evictable), isAwaited);
  }

  /** Leaves what comes due by an eviction at an instant that the clock has reached (IN1). */
  #evict(limit: number, isAwaited: boolean): void {
    const done = this.#entries.evictSome(limit, isAwaited);
    if (!isAwaited) this.evictable -= done;
    this.#awaitsEvictions &&= this.#entries.isEvicting;
    this.noteArrivals();
  }

  /** Returns how much of `limit` it took: all of it where more may go first, or the commit is full. */
  #takeFirst(limit: number): number {
    let used = 0;
    while (used < limit && !this.isFirstDone()) {
      if (this.#isFullByNow()) return limit;
      const burst = Math.min(limit - used, EXPIRE_BURST);
      this.#dueSinceOwed += burst;
      if (!this.#entries.expireFirst(burst)) this.#firstDoneAt = this.#clock.now;
      used += burst;
    }
    return used;
  }

  /** `all`: within the tick, too, as where all is demanded. */
  #expireBurst(limit: number, all: boolean): boolean {
    const entries = this.#entries;
    this.#dueSinceOwed += limit;
    if (entries.expire(limit)) return true;
    if (!all && !this.#expiresAll) return false;
    // Where none may fire, a look within the tick cannot tell that none is due.
    if (limit === 0) return (entries.earliestDue() ?? Infinity) <= this.#clock.now;
    return entries.expireWithinTick(limit);
  }

  /** A method, since to the compiler the property is what it was before the burst. */
  #isFullByNow(): boolean {
    return this.#commit.isFull;
  }
}
