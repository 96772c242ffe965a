// The wheel against a map that is searched whole, over random commands. Nothing is shared with the wheel's arithmetic.
//
// A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { KeptDeadlines } from './kept-deadlines.fixture.ts';
import { POLL_MOVES_MIN, POLL_MOVES_PER_FIRE, type TimingWheelOptions } from './timing-wheel.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;
const LEVELS_DOWN = 7;

interface Armed {
  readonly deadline: number;
  /** The latest instant an unlimited poll may leave it armed before; -Infinity if it was due when armed: the very next poll. */
  readonly fireBy: number;
}

/** Actions of callbacks, in turn: nothing, arm an id relative to the poll's now, or cancel one. */
type Reaction =
  | { readonly kind: 'none' }
  | { readonly kind: 'arm'; readonly id: number; readonly delay: number }
  | { readonly kind: 'armSelf'; readonly delay: number }
  | { readonly kind: 'cancel'; readonly id: number };

type Command =
  | { readonly kind: 'schedule'; readonly id: number; readonly delay: number }
  | { readonly kind: 'rearm'; readonly id: number; readonly by: number }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'clear' }
  | {
      readonly kind: 'burst';
      readonly from: number;
      readonly count: number;
      readonly delay: number;
      readonly spread: number;
    }
  | { readonly kind: 'poll'; readonly jump: number; readonly limit: number; readonly reactions: readonly Reaction[] }
  | { readonly kind: 'pollEarliest'; readonly limit: number };

type Setting = Required<Omit<TimingWheelOptions, 'deadlineOf'>>;

/** Cheaper than expect, of which a run would make millions. */
function hold(condition: boolean, rule: string, facts: unknown): void {
  if (!condition) throw new Error(`${rule}: ${JSON.stringify(facts)}`);
}

/** The wheel and the model, side by side. */
class Twin {
  readonly wheel: KeptDeadlines;
  readonly armed = new Map<number, Armed>();
  readonly ids: number;
  readonly tickMs: number;
  now: number;

  constructor(ids: number, options: Setting) {
    this.wheel = new KeptDeadlines(options);
    this.ids = ids;
    this.tickMs = options.tickMs;
    this.now = options.startAt;
  }

  roundUp(instant: number): number {
    const rest = ((instant % this.tickMs) + this.tickMs) % this.tickMs;
    return rest === 0 ? instant : instant + (this.tickMs - rest);
  }

  schedule(id: number, wanted: number): void {
    const deadline = Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, wanted));
    this.wheel.schedule(id, deadline);
    this.armed.set(id, { deadline, fireBy: deadline <= this.now ? -Infinity : this.roundUp(deadline) });
  }

  cancel(id: number): void {
    this.wheel.cancel(id);
    this.armed.delete(id);
  }

  /** Polls, holds every fire against the model, and then what was left unfired. */
  poll(now: number, limit: number, reactions: readonly Reaction[]): void {
    this.now = now;
    const seen = new Set<number>();
    const armedPast = new Set<number>();
    const movedBefore = this.wheel.moved;
    const fired = this.wheel.poll(now, limit, (id) => {
      hold((this.armed.get(id)?.deadline ?? Infinity) <= now, 'only armed ids fire, and none early', id);
      hold(!seen.has(id), 'an id fires once per poll', id);
      this.armed.delete(id);
      armedPast.delete(id);
      this.#react(reactions[seen.size % Math.max(1, reactions.length)], id, armedPast);
      seen.add(id);
    });
    hold(fired === seen.size && fired <= limit, 'fires at most the limit and says how many', fired);
    const moved = this.wheel.moved - movedBefore;
    const movesMax = POLL_MOVES_MIN + POLL_MOVES_PER_FIRE * limit;
    hold(moved <= movesMax, 'moves no more than its bound', moved);
    const through = fired < limit && moved < movesMax;
    const overdue = [...this.armed].filter(([id, { fireBy }]) => fireBy <= now && !armedPast.has(id)).length;
    if (through) hold(overdue === 0, 'a poll that met no bound leaves nothing due', overdue);
    const armedPastStill = [...armedPast].filter((id) => (this.armed.get(id)?.deadline ?? Infinity) <= now).length;
    if (overdue + armedPastStill > 0) hold(this.wheel.hasBacklog, 'what is left due is a backlog', overdue);
    // Re-armed for later by a callback, an id is not due but still in line to be looked at: a backlog may be claimed.
    const maybeInLine = reactions.some((reaction) => 'delay' in reaction);
    if (through && !maybeInLine) hold(!this.wheel.hasBacklog, 'a poll that met no bound leaves no backlog', moved);
  }

  /** True if something is armed in a tick that ends: the last one of all is cut short, and polls leave it (W2). */
  isLeftToPolls(): boolean {
    for (const { fireBy } of this.armed.values()) if (fireBy <= Number.MAX_SAFE_INTEGER) return true;
    return false;
  }

  /** The instant at which the bound on the earliest deadline says that something is to be done. */
  nextPoll(): number {
    return Math.min(
      Number.MAX_SAFE_INTEGER,
      Math.max(this.now, this.roundUp(this.wheel.earliestDeadline() ?? this.now)),
    );
  }

  check(): void {
    hold(this.wheel.size === this.armed.size, 'size', this.wheel.size);
    for (let id = 0; id < this.ids; id += 1) {
      const deadline = this.armed.get(id)?.deadline ?? NaN;
      hold(Object.is(this.wheel.deadlineOf(id), deadline), 'the deadline is the one last given', [id, deadline]);
      hold(this.wheel.isArmed(id) === this.armed.has(id), 'armed', id);
    }
    const faults = this.wheel.inspect(this.ids);
    hold(faults.length === 0, 'its invariants hold', faults.slice(0, 3));
    const bounds = new Map(this.wheel.armed());
    hold(bounds.size === this.armed.size, 'each armed id is waited for once', bounds.size);
    for (const [id, bound] of bounds)
      hold(bound <= (this.armed.get(id)?.deadline ?? -Infinity), 'nothing is waited for too late', [id, bound]);
    const bound = this.wheel.earliestDeadline();
    hold((bound === undefined) === (this.armed.size === 0), 'a bound while something is armed', bound);
    let earliest = Infinity;
    for (const { deadline } of this.armed.values()) earliest = Math.min(earliest, deadline);
    hold((bound ?? -Infinity) <= earliest, 'the bound is never later than the earliest deadline', [bound, earliest]);
  }

  /** Polls on from bound to bound until nothing is armed: the bounds must lead to every deadline in few steps. */
  drain(): void {
    // An id is met at most once per two levels on its way down, and once where it fires.
    let left = (LEVELS_DOWN + 1) * this.armed.size;
    while (this.armed.size > 0 && this.nextPoll() < Number.MAX_SAFE_INTEGER - this.tickMs) {
      hold(left > 0, 'the bound gets somewhere', [...this.armed]);
      this.poll(this.nextPoll(), 3, []);
      this.check();
      left -= 1;
    }
  }

  #react(reaction: Reaction | undefined, fired: number, armedPast: Set<number>): void {
    if (reaction === undefined || reaction.kind === 'none') return;
    const id = reaction.kind === 'armSelf' ? fired : reaction.id;
    armedPast.delete(id);
    if (reaction.kind === 'cancel') {
      this.cancel(id);
      return;
    }
    this.schedule(id, this.now + reaction.delay);
    if (this.armed.get(id)!.deadline <= this.now) armedPast.add(id);
  }
}

function run(twin: Twin, command: Command): void {
  switch (command.kind) {
    case 'schedule':
      twin.schedule(command.id, twin.now + command.delay);
      return;
    case 'rearm':
      twin.schedule(command.id, (twin.armed.get(command.id)?.deadline ?? twin.now) + command.by);
      return;
    case 'cancel':
      twin.cancel(command.id);
      return;
    case 'clear':
      twin.wheel.clear();
      twin.armed.clear();
      return;
    case 'burst':
      for (let at = 0; at < command.count; at += 1) {
        const id = (command.from + at) % twin.ids;
        twin.schedule(id, twin.now + command.delay + Math.floor((command.spread * at) / command.count));
      }
      return;
    case 'poll':
      twin.poll(Math.min(Number.MAX_SAFE_INTEGER, twin.now + command.jump), command.limit, command.reactions);
      return;
    case 'pollEarliest':
      twin.poll(twin.nextPoll(), command.limit, []);
  }
}

const within = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const kind = <K extends string>(kind: K): fc.Arbitrary<K> => fc.constant(kind);
/** From -1 s to years, dense where the levels change hands (256 and 4096 ticks of 1 or 10 ms). */
const delay = fc.oneof(
  fc.integer({ min: -SECOND, max: 0 }),
  within(40),
  fc.integer({ min: 240, max: 270 }),
  fc.integer({ min: 2540, max: 2580 }),
  fc.integer({ min: 4080, max: 4110 }),
  fc.integer({ min: 40_900, max: 41_010 }),
  within(60 * SECOND),
  within(12 * HOUR),
  within(300 * YEAR),
);
const jump = fc.oneof(within(1), within(30), within(3000), within(60 * SECOND), within(12 * HOUR), within(20 * YEAR));
const limit = fc.oneof(fc.constantFrom(0, 1, 2, 3, 5), fc.constant(Infinity), fc.constant(Infinity));
const setting = fc.record({
  startAt: fc.oneof(
    fc.constantFrom(0, -1, 1_760_000_000_000, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - YEAR),
    fc.integer({ min: -100_000, max: 100_000 }),
    fc.maxSafeInteger(),
  ),
  tickMs: fc.constantFrom(10, 10, 1, 7, 1000),
  initialCapacity: fc.constantFrom(0, 48, 1000),
});

function reactionOn(ids: number): fc.Arbitrary<Reaction> {
  const id = fc.nat(ids - 1);
  return fc.oneof(
    fc.record({ kind: kind('none') }),
    fc.record({ kind: kind('arm'), id, delay }),
    fc.record({ kind: kind('armSelf'), delay }),
    fc.record({ kind: kind('cancel'), id }),
  );
}

/** Commands on ids 0 to `ids` - 1; `bursts` is how often a run of them is armed at once. */
function commandOn(ids: number, bursts: number): fc.Arbitrary<Command> {
  const id = fc.nat(ids - 1);
  const reactions = fc.array(reactionOn(ids), { maxLength: 4 });
  const burst = fc.record({ kind: kind('burst'), from: id, count: within(ids), delay, spread: jump });
  return fc.oneof(
    { weight: 30, arbitrary: fc.record({ kind: kind('schedule'), id, delay }) },
    { weight: 15, arbitrary: fc.record({ kind: kind('rearm'), id, by: delay }) },
    { weight: 10, arbitrary: fc.record({ kind: kind('cancel'), id }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('clear') }) },
    { weight: bursts, arbitrary: burst },
    { weight: 30, arbitrary: fc.record({ kind: kind('poll'), jump, limit, reactions }) },
    { weight: 10, arbitrary: fc.record({ kind: kind('pollEarliest'), limit }) },
  );
}

/** A world of `ids` ids that goes through a sequence of commands in agreement. */
function agree(ids: number, options: Setting, commands: readonly Command[]): Twin {
  const twin = new Twin(ids, options);
  for (const command of commands) {
    run(twin, command);
    twin.check();
  }
  return twin;
}

describe('the wheel and a map', () => {
  test('[W1] [W2] [W3] [W4] [W5] agree over any sequence of commands, and to the end from bound to bound', () => {
    const commands = fc.array(commandOn(48, 3), { minLength: 100, maxLength: 200 });
    const property = fc.property(setting, commands, (options, commands) => {
      agree(48, options, commands).drain();
    });
    fc.assert(property, { numRuns: 400 });
  });

  test('[W1] [W2] [W3] [W4] [W5] agree where polls stop at their bound on moves', () => {
    const ids = 2 * POLL_MOVES_MIN;
    const commands = fc.array(commandOn(ids, 40), { minLength: 20, maxLength: 40 });
    const property = fc.property(setting, commands, (options, commands) => {
      const twin = agree(ids, options, commands);
      for (let left = ids; twin.isLeftToPolls(); left -= 1) {
        hold(left > 0, 'polling at the end of time gets somewhere', twin.armed.size);
        twin.poll(Number.MAX_SAFE_INTEGER, 1000, []);
      }
    });
    fc.assert(property, { numRuns: 40 });
  });
});
