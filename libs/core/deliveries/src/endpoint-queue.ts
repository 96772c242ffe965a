// Deliveries of one partition to one endpoint: which is attempted when (N2–N4).
//
//               room, breaker closed                gate open
//   an output ───────────────────────▶ ready ──────────────────▶ flying ──▶ delivered, or given up
//       │  ▲                                                        │
//       │  └─── it comes due: away ◀───────────── it failed ────────┘
//       ├────── no room, or breaker open ──▶ away
//       └────── another of its key is here ──▶ behind ──▶ ready, or woken, once that is gone
//
// A delivery that is away is an entry of the engine, which gives it back when it is due; it is remembered here only where keys are told
// apart. Everything that is decided is said by `write` and is true once that is committed.
//
// Owns: the bodies of what is under way, the breaker.
// Does not own: names and lines (DeliveryLines), what is ready (ReadyDeliveries), entries and timers (the engine), the attempts
//   (shell), the gate.
//
// Invariants
//   EQ1  Of a key at most one delivery is ready, flying or away, where keys are told apart: its first. The others are behind it.
//   EQ2  An attempt begins only while the breaker is closed, or as the one probe of a breaker whose time is over; one that is
//        disabled gives up what comes.
//   EQ3  Bodies in memory are bounded by READY_BYTES_MAX, BEHIND_BYTES_MAX and those under way; names, where keys are told apart, by
//        NAMED_MAX, or by how many it began with.
//
// Checked
//   inspect    EQ1, EQ3: its bodies as RDY1 and DLN2
//   not        EQ2: the attempts of the past are not kept; the model test watches them
import { assert, type DurationMs, type Millis, type Random } from '@flatline/base';
import { afterFailure, afterGone, afterSuccess, believable, type Breaker, CLOSED } from './breaker.ts';
import type { Delivery, DeliveryMark, GivenUp, Outcome, Phase, Write } from './delivery.ts';
import { DeliveryLines, type Here } from './delivery-lines.ts';
import type { Gate } from './gate.ts';
import { waitAfter } from './ladder.ts';
import { BEHIND_MS, HOLD_LEFT_MS, HOLD_MS, NAMED_MAX, PARKED_GAP_MAX_MS, PARKED_LEAST_MS } from './limits.ts';
import { ReadyDeliveries } from './ready-deliveries.ts';

export interface EndpointRules {
  readonly name: string;
  /** `key`: one key's outputs are delivered one after the other, in their order. */
  readonly order: 'none' | 'key';
  /** The newest of a key takes the place of one that waits. */
  readonly supersede: boolean;
  readonly timeoutMs: number;
}

export interface QueueParts {
  readonly rules: EndpointRules;
  readonly gate: Gate;
  readonly random: Random;
  readonly write: (write: Write) => void;
}

/** A delivery as it was kept by whoever had the partition before. */
export interface KeptDelivery {
  readonly mark: DeliveryMark;
  readonly phase: Phase;
  /** Needed of what is `held`. */
  readonly delivery?: Delivery | undefined;
  /** When it comes out by itself. Default: it may be out, and on its way here. */
  readonly dueAt?: Millis | undefined;
}

/** The engine's clock may be ahead by so much: what is due within it may be on its way here. */
const OUT_MS: DurationMs = 1_000;

export interface QueueCounters {
  delivered: number;
  attemptsFailed: number;
  parked: number;
  superseded: number;
  givenUp: number;
}

export class EndpointQueue {
  readonly counters: QueueCounters = { delivered: 0, attemptsFailed: 0, parked: 0, superseded: 0, givenUp: 0 };
  readonly #rules: EndpointRules;
  readonly #gate: Gate;
  readonly #random: Random;
  readonly #write: (write: Write) => void;
  readonly #lines: DeliveryLines;
  readonly #ready = new ReadyDeliveries();
  #flying = 0;
  /** Taken since `next` was asked last, and ready. */
  #newcomers = 0;
  #isRenewing = false;
  #breaker: Breaker = CLOSED;
  #parkedUntil: Millis = 0;
  /** By the clock that has said so. */
  #parkedAt: Millis = 0;
  #namedMax = NAMED_MAX;
  #endedAt: Millis | undefined;
  #gapMs = 1;

  constructor({ rules, gate, random, write }: QueueParts) {
    this.#rules = rules;
    this.#lines = new DeliveryLines(this.#tellsKeys);
    this.#gate = gate;
    this.#random = random;
    this.#write = write;
  }

  get breaker(): Breaker {
    return this.#breaker;
  }

  /** Attempts under way, and deliveries to be attempted. */
  get waiting(): { readonly flying: number; readonly ready: number; readonly named: number } {
    return { flying: this.#flying, ready: this.#ready.length, named: this.#lines.size };
  }

  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** True if the next delivery would not be parked for lack of room. */
  get hasRoomToWait(): boolean {
    return this.#ready.hasRoom;
  }

  /** An output that comes now can, while all is well, be attempted at once. */
  hasRoom(now: Millis): boolean {
    if (!this.hasRoomToWait) return false;
    return this.#breaker.kind !== 'closed' || this.#newcomers < this.#gate.room(now);
  }

  /** When there may be room without anything else happening; undefined: something has to happen. */
  roomAt(): Millis | undefined {
    return this.hasRoomToWait ? this.#gate.freeAt() : undefined;
  }

  /** Begins with what was kept, before anything else is called. What was held is attempted again. */
  restore(kept: readonly KeptDelivery[], breaker: Breaker | undefined, now: Millis): void {
    this.#breaker = breaker ?? CLOSED;
    const byOrder = [...kept].sort((a, b) => a.mark.order - b.mark.order);
    if (this.#tellsKeys) {
      for (const { mark, dueAt = now } of byOrder)
        this.#lines.add(mark, this.#lines.lineOf(mark).length === 0 ? 'away' : 'behind').dueAt = dueAt;
      this.#namedMax = Math.max(NAMED_MAX, this.#lines.size);
    }
    const bodies = new Map(byOrder.map(({ mark, delivery }) => [mark.id, delivery]));
    for (const { mark, phase } of byOrder) {
      const here = this.#lines.named(mark.id);
      const isHead = here === undefined || this.#lines.lineOf(mark)[0] === here;
      const delivery = bodies.get(mark.id);
      if (phase === 'held' && isHead && delivery !== undefined) this.take(delivery, now);
      // Whoever was before it is gone, and its body is not at hand.
      else if (phase !== 'waiting' && isHead) this.#wake(mark, here, now);
    }
  }

  /** An output is to be delivered, or a delivery is due again. */
  take(taken: Delivery, now: Millis): void {
    // Whoever knows its endpoint has it: it is stranded no more.
    const delivery = taken.strandedAt === undefined ? taken : { ...taken, strandedAt: undefined };
    const here = this.#lines.named(delivery.id);
    if (here === undefined) {
      this.#takeNew(delivery, now);
      return;
    }
    if (here.place === 'away') {
      here.delivery = delivery;
      this.#admit(here, delivery, now);
    } else if (here.place === 'behind') this.#keep(here, delivery, 'behind', now + BEHIND_MS);
    // It took longer than it may be held: it comes again for whoever follows, not for us.
    else this.#keep(here, here.delivery ?? delivery, 'held', now + HOLD_MS);
  }

  /** Deliveries to be attempted now; each is told of by `ended` afterwards. */
  next(now: Millis): readonly Delivery[] {
    const begun: Delivery[] = [];
    this.#newcomers = 0;
    this.#renew(now);
    for (let here = this.#ready.first; here !== undefined; here = this.#ready.first) {
      const breaker = this.#breakerAt(now);
      if (breaker.kind === 'disabled' || (breaker.kind === 'open' && now < breaker.until)) {
        this.#turnAway(now);
        break;
      }
      // One probe, and all that began before it are over.
      if (breaker.kind === 'open' && this.#flying > 0) break;
      if (this.#isRenewing || !this.#gate.enter(now)) break;
      const delivery = here.delivery!;
      this.#ready.remove(here);
      here.place = 'flying';
      this.#flying += 1;
      begun.push(delivery);
    }
    return begun;
  }

  /** True if holds were renewed when `next` was asked last: nothing begins until that is committed, and it is asked again. */
  get isRenewing(): boolean {
    return this.#isRenewing;
  }

  /** When `next` may have more to give without anything else happening; undefined: something has to happen. */
  nextAt(now: Millis): Millis | undefined {
    if (this.#ready.length === 0) return undefined;
    const breaker = this.#breakerAt(now);
    if (breaker.kind === 'open' && now < breaker.until) return breaker.until;
    if (breaker.kind === 'open' && this.#flying > 0) return undefined;
    return this.#gate.freeAt();
  }

  ended({ id }: { readonly id: string }, outcome: Outcome, now: Millis): void {
    const here = this.#lines.named(id);
    assert(here?.place === 'flying', 'what has ended was under way', { id });
    this.#flying -= 1;
    this.#gate.leave();
    if (outcome.kind === 'delivered') {
      this.#measure(now);
      this.counters.delivered += 1;
      this.#be(afterSuccess(this.#breaker));
      this.#parkedUntil = 0;
      this.#write({ kind: 'drop', name: nameOf(here.mark) });
      this.#leave(here, now);
      return;
    }
    this.counters.attemptsFailed += 1;
    const { attempt, retryAfterMs, gone = false } = outcome;
    this.#be(gone ? afterGone(this.#breaker, now) : afterFailure(this.#breaker, now, this.#random.next()));
    const delivery = { ...here.delivery!, attempts: [...here.delivery!.attempts, attempt] };
    const waitMs = waitAfter(delivery.attempts.length, this.#random.next(), retryAfterMs);
    if (this.#breaker.kind === 'disabled') this.#giveUp(here, delivery, gone ? 'gone' : 'disabled', now);
    else if (waitMs === undefined) this.#giveUp(here, delivery, 'attempts', now);
    else this.#sendAway(here, delivery, now + waitMs);
  }

  /** An operator says that the endpoint is well again, or may be tried. */
  enable(now: Millis): void {
    this.#be(CLOSED);
    this.#parkedUntil = now;
    this.#parkedAt = now;
  }

  /** Nothing is told of what is under way any more: whoever follows begins with what is kept. */
  abandon(): void {
    for (; this.#flying > 0; this.#flying -= 1) this.#gate.leave();
  }

  /** Invariants that do not hold, in words. */
  inspect(): readonly string[] {
    const named = this.#tellsKeys && this.#lines.size > this.#namedMax;
    const tooMany = named ? [`EQ3: ${this.#lines.size} are named, and at most ${this.#namedMax} may be`] : [];
    return [...tooMany, ...this.#lines.inspect(), ...this.#ready.inspect()];
  }

  /** Moves the holds on: a delivery that came out while it is attempted would be attempted again. */
  #renew(now: Millis): void {
    this.#isRenewing = false;
    for (const here of this.#ready.all) {
      if (here.dueAt - now >= this.#rules.timeoutMs + HOLD_LEFT_MS) continue;
      this.#keep(here, here.delivery!, 'held', now + HOLD_MS);
      this.#isRenewing = true;
    }
  }

  get #tellsKeys(): boolean {
    return this.#rules.order === 'key' || this.#rules.supersede;
  }

  #takeNew(delivery: Delivery, now: Millis): void {
    if (this.#breaker.kind === 'disabled') {
      this.#count('disabled', delivery);
      return;
    }
    if (this.#tellsKeys && this.#lines.size >= NAMED_MAX) {
      this.#count('too-many-waiting', delivery);
      return;
    }
    if (this.#rules.supersede && !this.#supersedes(delivery, now)) return;
    const here = this.#lines.add(markOf(delivery), 'away');
    if (this.#tellsKeys && this.#lines.lineOf(delivery)[0] !== here) this.#wait(here, delivery, now);
    else {
      here.delivery = delivery;
      this.#admit(here, delivery, now);
      if (here.place === 'ready') this.#newcomers += 1;
    }
  }

  /** Takes what waits before it out of its line. False: it is older than that. */
  #supersedes(delivery: Delivery, now: Millis): boolean {
    const last = this.#lines.lineOf(delivery).at(-1);
    if (last === undefined) return true;
    const { mark, place } = last;
    if (mark.order > delivery.order) {
      this.counters.superseded += 1;
      this.#write({ kind: 'drop', name: nameOf(delivery) });
      return false;
    }
    // It may be out already, and on its way here: it goes first, as what is under way does.
    if (place === 'flying' || (place === 'away' && last.dueAt <= now + OUT_MS)) return true;
    this.counters.superseded += 1;
    if (place === 'ready') this.#ready.remove(last);
    this.#write({ kind: 'drop', name: nameOf(mark) });
    this.#lines.remove(last);
    return true;
  }

  #wait(here: Here, delivery: Delivery, now: Millis): void {
    this.#lines.wait(here, delivery);
    this.#keep(here, delivery, 'behind', now + BEHIND_MS);
  }

  /** It is the first of its key, or keys do not matter. */
  #admit(here: Here, delivery: Delivery, now: Millis): void {
    const breaker = this.#breakerAt(now);
    if (breaker.kind === 'disabled') this.#giveUp(here, delivery, 'disabled', now);
    else if (breaker.kind === 'open' && now < breaker.until) this.#park(here, delivery, now);
    else if (!this.#ready.hasRoom) this.#park(here, delivery, now);
    else {
      this.#ready.push(here, delivery);
      this.#keep(here, delivery, 'held', now + HOLD_MS);
    }
  }

  /** It burns no attempt, and comes back when there may be room. */
  #park(here: Here, delivery: Delivery, now: Millis): void {
    this.counters.parked += 1;
    const breaker = this.#breakerAt(now);
    const opensAt = breaker.kind === 'open' ? breaker.until : 0;
    // The clock was put back: those that come after each other go on doing so by the clock as it is.
    if (now < this.#parkedAt) this.#parkedUntil -= this.#parkedAt - now;
    this.#parkedAt = now;
    const at = Math.ceil(Math.max(now + PARKED_LEAST_MS, opensAt, this.#parkedUntil));
    this.#parkedUntil = at + this.#gapMs;
    this.#sendAway(here, delivery, at);
  }

  #sendAway(here: Here, delivery: Delivery, dueAt: Millis): void {
    this.#keep(here, delivery, 'waiting', dueAt);
    this.#lines.sendAway(here);
  }

  /** Nothing of what is ready may begin. */
  #turnAway(now: Millis): void {
    for (const here of this.#ready.takeAll()) {
      const delivery = here.delivery!;
      if (this.#breaker.kind === 'disabled') this.#giveUp(here, delivery, 'disabled', now);
      else this.#park(here, delivery, now);
    }
  }

  #giveUp(here: Here, delivery: Delivery, why: GivenUp, now: Millis): void {
    this.#count(why, delivery);
    this.#leave(here, now);
  }

  #count(why: GivenUp, delivery: Delivery): void {
    this.counters.givenUp += 1;
    this.#write({ kind: 'giveUp', delivery, why });
  }

  #leave(here: Here, now: Millis): void {
    let first = this.#lines.remove(here);
    // A line that is given up may be too long for each to call the next.
    while (first?.place === 'behind' && first.delivery !== undefined && this.#breaker.kind === 'disabled') {
      this.#count('disabled', first.delivery);
      first = this.#lines.remove(first);
    }
    if (first?.place === 'behind') this.#moveUp(first, now);
  }

  #moveUp(here: Here, now: Millis): void {
    const delivery = this.#lines.moveUp(here);
    if (delivery === undefined) {
      this.#wake(here.mark, here, now);
      return;
    }
    this.#admit(here, delivery, now);
  }

  /** It comes out at once. */
  #wake(mark: DeliveryMark, here: Here | undefined, now: Millis): void {
    if (here !== undefined) here.dueAt = now;
    this.#write({ kind: 'wake', name: nameOf(mark) });
  }

  #keep(here: Here, delivery: Delivery, phase: Phase, dueAt: Millis): void {
    here.dueAt = dueAt;
    this.#write({ kind: 'keep', delivery, phase, dueAt });
  }

  /** Entries left by a clock that was ahead would hold everything up. */
  #breakerAt(now: Millis): Breaker {
    this.#breaker = believable(this.#breaker, now);
    return this.#breaker;
  }

  #be(breaker: Breaker): void {
    const before = this.#breaker;
    this.#breaker = breaker;
    // How many have failed in a row is not worth a record: whoever follows counts again.
    const isSame =
      before.kind === 'closed' && breaker.kind === 'closed' && before.failingSince === breaker.failingSince;
    if (before !== breaker && !isSame) this.#write({ kind: 'breaker', endpoint: this.#rules.name, breaker });
  }

  /** The pace at which deliveries succeed, by which what found no room comes back. */
  #measure(now: Millis): void {
    if (this.#endedAt !== undefined) {
      const gapMs = Math.min(PARKED_GAP_MAX_MS, Math.max(0, now - this.#endedAt));
      this.#gapMs += (gapMs - this.#gapMs) / 16;
    }
    this.#endedAt = now;
  }
}

function nameOf({ endpoint, id }: DeliveryMark): { readonly endpoint: string; readonly id: string } {
  return { endpoint, id };
}

function markOf({ endpoint, id, key, order }: Delivery): DeliveryMark {
  return { endpoint, id, key, order };
}
