// A fleet of sessions as a sequence of actions in virtual time: pure, so that a seed determines all of it.
//
// Every session alive has a lane, and lanes take turns: tick k belongs to lane k mod lanes and lies at k × spacing. A
// session therefore beats once per round, the fleet beats at an even rate, and the next action is found without a heap.
//
// Owns: the live sessions, heartbeats held back.
// Does not own: real time, sending, the ledger.
//
// Invariants
//   FT1  The actions of a session are in an order, and at times, that depend on the plan alone.
//   FT2  The first and the last heartbeat of a session are neither lost nor held back: so the session exists, and its
//        missing heartbeats can be told from the sequences that came.
//   FT3  Exactly one action of a session is `final`, and it is the last.
import { type DurationMs, type Random, seededRandom } from '@flatline/base';
import { type FleetEnd, type FleetPlan, type FleetSchedule, scheduleOf } from './fleet-plan.ts';

interface FleetStep {
  /** Time of the action since the fleet began. */
  readonly atMs: DurationMs;
  /** From 0, in order of their start. */
  readonly session: number;
  readonly sessionId: string;
  /** True if it is the session's last. */
  readonly final: boolean;
}

export interface FleetBeat extends FleetStep {
  readonly kind: 'beat';
  readonly sequence: number;
  /** When the session made it: earlier than `atMs` if it was held back. */
  readonly occurredAtMs: DurationMs;
  readonly repeated: boolean;
  /** True if it is sent after a later one. */
  readonly heldBack: boolean;
}

export interface FleetLoss extends FleetStep {
  readonly kind: 'lost';
  readonly sequence: number;
}

export interface FleetEnding extends FleetStep {
  readonly kind: 'end';
  readonly by: Exclude<FleetEnd, 'silence'>;
  readonly sequence: number;
}

export type FleetAction = FleetBeat | FleetLoss | FleetEnding;

interface LiveSession {
  readonly index: number;
  readonly id: string;
  readonly beats: number;
  readonly end: FleetEnd;
  sequence: number;
  held: { readonly sequence: number; readonly occurredAtMs: DurationMs } | undefined;
}

export class Fleet {
  readonly schedule: FleetSchedule;
  readonly #plan: FleetPlan;
  readonly #random: Random;
  readonly #lanes: (LiveSession | undefined)[] = [];
  #due: FleetAction[] = [];
  #tick = 0;
  #started = 0;
  #alive = 0;

  constructor(plan: FleetPlan) {
    this.#plan = plan;
    this.schedule = scheduleOf(plan);
    this.#random = seededRandom(plan.seed);
  }

  /** Sessions begun so far. */
  get started(): number {
    return this.#started;
  }

  get alive(): number {
    return this.#alive;
  }

  /** The next action; undefined once every session has ended. */
  next(): FleetAction | undefined {
    while (this.#due.length === 0) {
      if (this.#alive === 0 && !this.#mayStart()) return undefined;
      this.#takeTurn();
    }
    return this.#due.shift();
  }

  #mayStart(): boolean {
    return this.#started < this.#plan.sessions;
  }

  #takeTurn(): void {
    const lane = this.#tick % this.schedule.lanes;
    const atMs = Math.floor(this.#tick * this.schedule.spacingMs);
    this.#tick += 1;
    const session = this.#lanes[lane] ?? this.#start();
    if (session === undefined) return;
    this.#lanes[lane] = session;
    this.#act(session, atMs);
    if (this.#due.at(-1)?.final !== true) return;
    this.#lanes[lane] = undefined;
    this.#alive -= 1;
  }

  #start(): LiveSession | undefined {
    if (!this.#mayStart()) return undefined;
    const { beatsMean, ends, seed } = this.#plan;
    const index = this.#started;
    this.#started += 1;
    this.#alive += 1;
    return {
      index,
      id: `s${seed.toString(36)}-${index}`,
      beats: 1 + this.#random.below(2 * beatsMean - 1),
      end: ends[this.#random.below(ends.length)]!,
      sequence: 0,
      held: undefined,
    };
  }

  #act(session: LiveSession, atMs: DurationMs): void {
    const sequence = session.sequence;
    session.sequence += 1;
    const step = { atMs, session: session.index, sessionId: session.id };
    if (sequence === session.beats) {
      this.#due.push({ kind: 'end', ...step, by: session.end === 'null' ? 'null' : 'event', sequence, final: true });
      return;
    }
    const final = session.end === 'silence' && sequence === session.beats - 1;
    const fate = this.#fate(session, sequence);
    if (fate === 'lost') this.#due.push({ kind: 'lost', ...step, sequence, final: false });
    else if (fate === 'held') session.held = { sequence, occurredAtMs: atMs };
    else {
      const held = session.held;
      session.held = undefined;
      this.#send({ ...step, sequence, occurredAtMs: atMs, heldBack: false, final: final && held === undefined });
      if (held !== undefined) this.#send({ ...step, ...held, heldBack: true, final });
    }
  }

  /** While one is held back the next is always sent, so that `heldBack` means out of order. */
  #fate(session: LiveSession, sequence: number): 'sent' | 'lost' | 'held' {
    const draw = this.#random.next();
    if (sequence === 0 || sequence === session.beats - 1 || session.held !== undefined) return 'sent';
    if (draw < this.#plan.lose) return 'lost';
    return draw < this.#plan.lose + this.#plan.reorder ? 'held' : 'sent';
  }

  #send(beat: Omit<FleetBeat, 'kind' | 'repeated'>): void {
    const repeat = this.#random.chance(this.#plan.duplicates);
    this.#due.push({ kind: 'beat', ...beat, repeated: false, final: beat.final && !repeat });
    if (repeat) this.#due.push({ kind: 'beat', ...beat, repeated: true });
  }
}
