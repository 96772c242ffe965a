// A hierarchical timing wheel of integer ids, handed the time, without an object per timer.
//
// The problem. Every live key has one deadline, and nearly every heartbeat moves it: ten million keys that beat every ten
// seconds move a million deadlines a second, and hardly any of these is ever reached.
//
// Why the obvious fails. A heap sorts all of them to learn the least: log n steps over scattered memory for each move, most
// of it for deadlines that move again before they matter. A timer object per key, as setTimeout makes, costs memory
// and collecting for each. A map of buckets by tick is cheap to change, but has to be searched for the next one.
//
// The idea. Time is cut into ticks, and ids lie in buckets. Level k has 256 slots of 16^k ticks each, and an id goes to the
// lowest level that reaches its deadline:
//
//   level   a slot is    its 256 slots reach      (ticks of 10 ms)
//     0        10 ms           2.56 s
//     1       160 ms          41    s
//     2         2.56 s        11    min
//     3        41    s         2.9  h
//
// When the cursor comes to a slot of a level above 0, its ids move down (a cascade), so an id moves at most once per level,
// however long it waits. Two things are ours. A later deadline is not told at all: the id is met where it lies, asked for its
// deadline, and put where it belongs now, so a key that beats all the time costs a move per timeout instead of one per
// heartbeat. And a poll may stop after any id, with all it needs to go on in the buckets: ten million keys that fall due at
// once are let go a slice at a time.
//
// Further reading: Varghese and Lauck, Hashed and Hierarchical Timing Wheels (SOSP 1987); "Reinventing the timer wheel"
// (LWN, 2015), on why Linux stopped cascading; "Apache Kafka, Purgatory, and Hierarchical Timing Wheels" (Confluent, 2015).
//
// Owns: which ids are armed, the cursor.
// Does not own: their deadlines, which it asks for, the clock, what an id means (task).
//
// Invariants
//   WH1  An id is armed exactly while it is in a bucket, and then in exactly one.
//   WH2  A bucket of a level holds only ids *put* there for a tick of its slot. The deadline may since have moved later (lazy
//        re-arm), never earlier: so no bucket is visited too late, and a visit looks at the deadline again.
//        Its owner sees to the latter: it says so where a deadline moves nearer, and need not where it moves on.
//   WH3  Nothing fires but by `deadline <= now` at that moment, whatever bucket it came from. Hence never early.
//   WH4  No occupied slot starts before the cursor; one that starts at the cursor is being emptied, and nothing is put there.
//        So a poll may stop anywhere, in a bucket or a cascade: the occupied slots are all there is to resume from.
//   WH5  The cursor is at the tick of the last poll's `now`, or behind it if that poll stopped early.
//   WH6  What is armed for an instant already polled waits in ARRIVALS; a poll opens it once, at its start. So callbacks can
//        keep arming the past without keeping a poll from ending.
//   WH7  What waits in LOOKED belongs to the slot of the tick under way, and is not due at `#lookedAt`. It is put back before that
//        slot is looked at for a later instant, and before the cursor moves.
//   WH8  What polls have found due and left is in DUE, the first to come due in front. Where some were left when the time moved on, a
//        poll that leaves any has fired the share that is for the last (W3) from the back, or met its bound on moves.
//
// Checked
//   inspect    WH1, WH2, WH4, WH5, WH6, WH7
//              Of WH6 that nothing is open between polls that have ended.
//   assertion  WH8: the share. Its order is not checked: when an id was found due is not kept; timing-wheel.test.ts follows it.
//   not        WH3: what has fired is gone; the model test compares each one with the time.
import { assert, type DurationMs, type Millis } from '@flatline/base';
import { Buckets, ID_MAX } from './buckets.ts';
import {
  bucketFor,
  LEVEL_BUCKETS,
  LEVELS,
  SLOTS,
  slotOf,
  slotsAhead,
  slotStart,
  tickAtOrAfter,
  tickAtOrBefore,
} from './levels.ts';
import { wheelFaults } from './wheel-inspection.ts';

export interface TimingWheelOptions {
  /** The present deadline of an armed id, any safe integer. It never moves nearer but by `schedule`. */
  readonly deadlineOf: (id: number) => Millis;
  /** Width of a tick, default 10: a timer is due by the first multiple of it at or after its deadline. */
  readonly tickMs?: DurationMs;
  /** The instant taken as already polled: what is armed for it or before is due at once. */
  readonly startAt: Millis;
  /** How many ids (0 up to this) have room from the start; more is made as greater ids come. */
  readonly initialCapacity?: number;
}

/** Ids a poll may move without firing (cascades, re-armed ids), however small its limit... */
export const POLL_MOVES_MIN = 4096;
/** ...and how many more for each id that its limit lets it fire. */
export const POLL_MOVES_PER_FIRE = 4;

/** Least part of what polls may fire that is kept for the timers that came due last, however many were due before. */
const LAST_SHARE = 1 / 4;

const TICK_MS = 10;
const CAPACITY = 1024;

const DUE = LEVEL_BUCKETS;
const ARRIVALS = LEVEL_BUCKETS + 1;
const LOOKED = LEVEL_BUCKETS + 2;
const EXTRA_BUCKETS = 3;
const NO_BUCKET = -1;

/**
 * Timers for dense integer ids (slot numbers), at 8 bytes per id. `schedule`, `cancel` and each fire are O(1) whatever the
 * number of timers; a poll's cost is bounded by its limit (W3), not by how far the time jumped. Re-arming for later is nothing
 * at all here: the owner changes the deadline, and it is asked for when the id is met.
 *
 * A timer never fires before its deadline (W1), and certainly in the first unlimited poll at or after the deadline rounded up to a
 * tick (W2). The order of firing is not promised. Only the constructor and growth allocate.
 */
export class TimingWheel {
  readonly #tickMs: number;
  readonly #deadlineOf: (id: number) => Millis;
  readonly #buckets: Buckets;
  #size = 0;
  #moved = 0;
  #now: number;
  /** The tick up to which the slots have been emptied. */
  #cursor: number;
  /** The instant for which what waits in LOOKED was looked at. */
  #lookedAt = -Infinity;
  /** The time moved on while some that had come due were left: until none is, the last to come due have a share. */
  #isBehind = false;
  /** The last poll ended at a bound, or by an exception of its callback. */
  #stopped = false;
  /** The part of a timer, below 1, that polls still owe to those that came due last. */
  #lastOwed = 0;

  constructor(options: TimingWheelOptions) {
    const { tickMs = TICK_MS, startAt, initialCapacity = CAPACITY, deadlineOf } = options;
    assert(Number.isSafeInteger(tickMs) && tickMs >= 1, 'a tick is a whole number of milliseconds', { tickMs });
    assert(Number.isSafeInteger(startAt), 'an instant is a safe integer', { startAt });
    assert(isId(initialCapacity), 'capacity is a number of ids', { initialCapacity });
    this.#tickMs = tickMs;
    this.#deadlineOf = deadlineOf;
    this.#now = startAt;
    this.#cursor = tickAtOrBefore(startAt, tickMs);
    this.#buckets = new Buckets(EXTRA_BUCKETS, initialCapacity);
  }

  /** How many ids are armed. */
  get size(): number {
    return this.#size;
  }

  /** Ids moved by polls so far without firing: cascades and re-armed ids that were met. A measure of work, only ever growing. */
  get moved(): number {
    return this.#moved;
  }

  /**
   * Something may be due at the instant last polled: that poll stopped at a bound, or an id was armed since for an instant
   * already reached. Poll again (at the same instant if there is no later one) until it is false. May be true for ids that
   * turn out to be re-armed; false is exact.
   */
  get hasBacklog(): boolean {
    return this.#stopped || !this.#buckets.isEmpty(ARRIVALS);
  }

  isArmed(id: number): boolean {
    return this.#buckets.has(id);
  }

  /**
   * Arms `id`, or moves it where it is armed: to be called where its deadline has moved nearer, and not needed where it has moved
   * on (W4). Any safe integer is a deadline; one not after the instant last polled fires on the next poll (W5).
   */
  schedule(id: number): void {
    if (!isId(id)) refuse(id, NaN);
    const deadline = this.#deadlineOf(id);
    if (!Number.isSafeInteger(deadline)) refuse(id, deadline);
    if (id >= this.#buckets.capacity) this.#buckets.grow(id + 1);
    if (this.#buckets.has(id)) this.#buckets.take(id);
    else this.#size += 1;
    if (deadline <= this.#now) this.#buckets.put(id, ARRIVALS, deadline);
    else this.#put(id, deadline);
  }

  /** Disarms `id`; nothing happens if it is not armed. */
  cancel(id: number): void {
    if (!this.isArmed(id)) return;
    this.#buckets.take(id);
    this.#size -= 1;
  }

  /**
   * Fires ids whose deadline is at or before `now`, at most `limit`; returns how many. Each is disarmed before `onDue(id)`, which may
   * schedule and cancel any id, itself included, but not poll. What it arms for an instant at or before `now` fires on the next poll.
   *
   * Besides, at most POLL_MOVES_MIN + POLL_MOVES_PER_FIRE x limit ids are moved (cascades, re-armed ids that were met), so a poll is
   * bounded even where little of what it meets is due. Fewer than `limit` fired does not mean all did: see `hasBacklog`.
   * `now` never goes back.
   */
  poll(now: Millis, limit: number, onDue: (id: number) => void): number {
    if (!(Number.isSafeInteger(now) && now >= this.#now && limit >= 0)) refusePoll(now, this.#now, limit);
    this.#isBehind = !this.#buckets.isEmpty(DUE) && (this.#isBehind || now > this.#now);
    this.#now = now;
    const target = tickAtOrBefore(now, this.#tickMs);
    if (target === this.#cursor && !this.hasBacklog) return 0;
    if (target > this.#cursor) this.#putBackLooked();
    this.#stopped = true;
    this.#buckets.moveAll(ARRIVALS, DUE);
    const movedMax = this.#moved + POLL_MOVES_MIN + POLL_MOVES_PER_FIRE * limit;
    const isThrough = this.#reach(target, movedMax);
    const share = this.#isBehind ? this.#shareOf(limit) : 0;
    const last = this.#drain('last', share, movedMax, onDue);
    const first = this.#drain('first', limit - last, movedMax, onDue);
    const isAnyLeft = !this.#buckets.isEmpty(DUE);
    if (isAnyLeft && last < share && this.#moved < movedMax) refuseOrder(last, first);
    this.#stopped = !isThrough || isAnyLeft;
    return last + first;
  }

  /** How much of `limit` is for what has come due last. What limits below four leave of its share is carried on to later polls. */
  #shareOf(limit: number): number {
    const owed = this.#lastOwed + limit * LAST_SHARE;
    const share = Math.floor(owed);
    this.#lastOwed = Number.isFinite(owed) ? owed - share : 0;
    return share;
  }

  /** Empties all slots that start by the tick `target`. False if the bound on moves was met first. */
  #reach(target: number, movedMax: number): boolean {
    for (;;) {
      const bucket = this.#advance(target);
      if (bucket === NO_BUCKET) return true;
      if (!this.#empty(bucket, movedMax)) return false;
    }
  }

  /**
   * Fires what polls leave to the end of their tick: ids whose deadline the instant last polled has reached, at most `limit`. After
   * a poll that left no backlog. True if there may be more. For callers that must know exactly what is not due (W2).
   *
   * Moves no more ids than a poll with this limit. Those that are due later in the tick under way count among them, and are looked
   * at once for each instant.
   */
  fireWithinTick(limit: number, onDue: (id: number) => void): boolean {
    assert(!this.hasBacklog, 'what is due by the tick is polled first');
    if (this.#lookedAt < this.#now) this.#putBackLooked();
    this.#lookedAt = this.#now;
    const movedMax = this.#moved + POLL_MOVES_MIN + POLL_MOVES_PER_FIRE * limit;
    const due: number[] = [];
    const isAll = this.#gatherTick(movedMax) && this.#findWithinTick(due, limit, movedMax);
    for (const id of due) onDue(id);
    return !isAll;
  }

  /**
   * By WH2 and WH4 what is due before the tick ends is in a slot that starts with it: moves what is in the wider ones to where it
   * belongs, a tick before a poll would. False if the bound on moves was met first.
   */
  #gatherTick(movedMax: number): boolean {
    const tick = this.#cursor + 1;
    for (let level = 1; level < LEVELS; level += 1) {
      const slot = slotOf(tick, level);
      if (slotStart(slot, level) !== tick) return true;
      const bucket = level * SLOTS + (slot & (SLOTS - 1));
      for (let id = this.#buckets.first(bucket); id >= 0; id = this.#buckets.first(bucket)) {
        if (this.#moved >= movedMax) return false;
        this.#moveOn(id, this.#deadlineOf(id));
      }
    }
    return true;
  }

  /** Disarms up to `limit` ids that are due and adds them to `due`; empties the tick's slot. False if a bound was met first. */
  #findWithinTick(due: number[], limit: number, movedMax: number): boolean {
    const tick = this.#cursor + 1;
    const slot = this.#slotUnderWay();
    for (let id = this.#buckets.first(slot); id >= 0; id = this.#buckets.first(slot)) {
      if (due.length >= limit || this.#moved >= movedMax) return false;
      const deadline = this.#deadlineOf(id);
      if (deadline <= this.#now) {
        this.#buckets.take(id);
        this.#size -= 1;
        due.push(id);
      } else if (tickAtOrAfter(deadline, this.#tickMs) > tick) this.#moveOn(id, deadline);
      else {
        this.#moved += 1;
        this.#buckets.take(id);
        this.#buckets.put(id, LOOKED, deadline);
      }
    }
    return due.length < limit;
  }

  #putBackLooked(): void {
    this.#buckets.moveAll(LOOKED, this.#slotUnderWay());
  }

  /** Bucket of the narrowest slot behind the cursor: what is due by the end of the tick under way. */
  #slotUnderWay(): number {
    return slotOf(this.#cursor + 1, 0) & (SLOTS - 1);
  }

  /**
   * No armed deadline is earlier than this; undefined if none is armed. It may be early where an id was re-armed or cancelled,
   * and is exact otherwise. A poll at this instant, rounded up to a tick, fires the id or makes the bound later (unless limited).
   */
  earliestDeadline(): Millis | undefined {
    if (this.#size === 0) return undefined;
    const earliest = this.earliestAhead() ?? Infinity;
    return Math.min(earliest, this.#buckets.bound(DUE), this.#buckets.bound(ARRIVALS));
  }

  /**
   * As `earliestDeadline`, of those that no poll has found due: the next that takes a later instant to fire. Ids that a bounded poll
   * has not come to yet are among them.
   */
  earliestAhead(): Millis | undefined {
    let earliest = this.#buckets.bound(LOOKED);
    for (let level = 0; level < LEVELS; level += 1) {
      if (this.#buckets.isLevelEmpty(level)) continue;
      const index = this.#buckets.firstOccupied(level, slotOf(this.#cursor, level) & (SLOTS - 1));
      earliest = Math.min(earliest, this.#buckets.bound(level * SLOTS + index));
    }
    return earliest === Infinity ? undefined : earliest;
  }

  /** Each armed id, with the bound by which it is waited for: no later than its deadline, or the wheel is wrong. For checks. */
  *armed(): Generator<readonly [id: number, bound: Millis], void> {
    for (let bucket = 0; bucket < LEVEL_BUCKETS + EXTRA_BUCKETS; bucket += 1)
      for (let id = this.#buckets.first(bucket); id >= 0; id = this.#buckets.next(id))
        yield [id, this.#buckets.bound(bucket)];
  }

  /**
   * Lists violations of the invariants, in words; no id from `idsEnd` on was ever armed. O(`idsEnd`), changes nothing. For
   * checks.
   */
  inspect(idsEnd?: number): string[] {
    return wheelFaults(
      {
        tickMs: this.#tickMs,
        deadlineOf: this.#deadlineOf,
        buckets: this.#buckets,
        bucketsEnd: LEVEL_BUCKETS + EXTRA_BUCKETS,
        due: DUE,
        looked: LOOKED,
        size: this.#size,
        now: this.#now,
        cursor: this.#cursor,
        lookedAt: this.#lookedAt,
        isStopped: this.#stopped,
      },
      idsEnd,
    );
  }

  /** Disarms every id. The time stays where it is. */
  clear(): void {
    this.#buckets.clear();
    this.#size = 0;
  }

  /** Fires out of DUE. Reads its end again each time: a callback may have cancelled, armed, or made the arrays grow. */
  #drain(end: 'first' | 'last', limit: number, movedMax: number, onDue: (id: number) => void): number {
    let fired = 0;
    while (fired < limit) {
      const id = this.#buckets[end](DUE);
      if (id < 0) break;
      const deadline = this.#deadlineOf(id);
      if (deadline > this.#now) {
        if (this.#moved >= movedMax) break;
        this.#move(id, deadline);
        continue;
      }
      this.#buckets.take(id);
      this.#size -= 1;
      fired += 1;
      onDue(id);
    }
    return fired;
  }

  /** Moves the cursor to where the next occupied slot starts, and returns its bucket; to the target if none starts by then. */
  #advance(target: number): number {
    let start = Infinity;
    let bucket = NO_BUCKET;
    for (let level = 0; level < LEVELS; level += 1) {
      if (this.#buckets.isLevelEmpty(level)) continue;
      const at = slotOf(this.#cursor, level);
      const index = this.#buckets.firstOccupied(level, at & (SLOTS - 1));
      const candidate = slotStart(at + slotsAhead(at, index), level);
      if (candidate >= start) continue;
      start = candidate;
      bucket = level * SLOTS + index;
    }
    this.#cursor = Math.min(start, target);
    return start <= target ? bucket : NO_BUCKET;
  }

  /**
   * Empties a slot the cursor stands at: from level 0 into DUE, from others each id to where its present deadline belongs.
   * False if the bound on moves was met first.
   */
  #empty(bucket: number, movedMax: number): boolean {
    if (bucket < SLOTS) {
      this.#buckets.moveAll(bucket, DUE);
      return true;
    }
    for (let id = this.#buckets.first(bucket); id >= 0; id = this.#buckets.first(bucket)) {
      if (this.#moved >= movedMax) return false;
      this.#move(id, this.#deadlineOf(id));
    }
    return true;
  }

  #move(id: number, deadline: number): void {
    if (deadline > this.#now) {
      this.#moveOn(id, deadline);
      return;
    }
    this.#moved += 1;
    this.#buckets.take(id);
    this.#buckets.put(id, DUE, deadline);
  }

  #moveOn(id: number, deadline: number): void {
    this.#moved += 1;
    this.#buckets.take(id);
    this.#put(id, deadline);
  }

  /**
   * For a deadline after the cursor's tick: one after `now` is, since its tick is then beyond the target of the poll (WH5), and so
   * is all that a poll without backlog has left.
   */
  #put(id: number, deadline: number): void {
    const tick = tickAtOrAfter(deadline, this.#tickMs);
    if (tick <= this.#cursor) refuseTick(tick, this.#cursor);
    this.#buckets.put(id, bucketFor(tick, this.#cursor), deadline);
  }
}

function isId(id: number): boolean {
  return (id | 0) === id && id >= 0 && id <= ID_MAX;
}

// Apart from the callers, which are hot: the facts would be allocated on every call.
function refuse(id: number, deadline: number): never {
  assert(false, 'an id is an integer from 0 to ID_MAX, a deadline a safe integer', { id, deadline });
}

function refusePoll(now: number, before: number, limit: number): never {
  assert(false, 'now is a safe integer that never goes back, limit at least 0', { now, before, limit });
}

function refuseOrder(last: number, first: number): never {
  assert(false, 'WH8: what has come due last has its share of a poll', { last, first });
}

function refuseTick(tick: number, cursor: number): never {
  assert(false, 'a tick at the cursor would be put into the slot being emptied', { tick, cursor });
}
