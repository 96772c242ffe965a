// Takes one look at the processor for all who watch, while there are any.
//
// Owns: when the next look is taken, and which other instances are followed.
// Does not own: what is shown (facts.ts), who is told of what (Board).
//
//   without a watcher ──▶ look ──▶ tell each ──▶ wait ──▶ look …     until the last one has gone
//
// Invariants
//   WT1  Without a watcher nothing is looked at, no other instance is asked, and no timer runs.
//   WT2  Looks follow each other by EVERY_MS, and take at most LOOK_SHARE of the time, or are PAUSE_MAX_MS apart.
//   WT3  Instances that watch this one are told of what is here alone: none goes through two of them.
import { type Cancel, type Clock, type DurationMs } from '@flatline/base';
import { Board, type RoomySink } from './board.ts';
import { factsOf } from './facts.ts';
import { Growth } from './growth.ts';
import { type Endpoints, Peers, type PeersParts } from './peers.ts';
import type { Shown } from './shown.ts';

export const EVERY_MS: DurationMs = 500;
/** A look at thousands of partitions takes long enough to be felt by heartbeats: then it is taken less often. */
const LOOK_SHARE = 0.02;
/** A look may wait for a silent worker: the facts of others wait no longer for that. */
const PAUSE_MAX_MS: DurationMs = 5_000;
const WATCHERS_MAX = 100;

export interface WatchesParts {
  readonly instance: string;
  look(): Promise<Shown>;
  /** Where other instances reach this one. */
  readonly endpoint: () => string;
  readonly open: PeersParts['open'];
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
}

/** `all`: a page. `own`: another instance. */
export type Scope = 'all' | 'own';

export class Watches {
  readonly #parts: WatchesParts;
  readonly #boards: Readonly<Record<Scope, Board>> = { all: new Board(), own: new Board() };
  readonly #peers: Peers;
  #growth = new Growth();
  #cancel: Cancel | undefined;
  #isLooking = false;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
    this.#peers = new Peers(parts);
  }

  get isFull(): boolean {
    return this.#size >= WATCHERS_MAX;
  }

  /** Tells it until it is removed. */
  add(sink: RoomySink, scope: Scope): void {
    this.#boards[scope].add(sink);
    if (this.#cancel === undefined && !this.#isLooking) void this.#look();
  }

  remove(sink: RoomySink): void {
    for (const board of Object.values(this.#boards)) board.remove(sink);
    if (this.#size === 0) this.#rest();
  }

  close(): void {
    for (const board of Object.values(this.#boards)) board.end();
    this.#rest();
  }

  get #size(): number {
    return this.#boards.all.size + this.#boards.own.size;
  }

  /** WT1. Counters of before are no beginning for whoever comes next. */
  #rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    for (const board of Object.values(this.#boards)) board.forget();
    this.#growth = new Growth();
    this.#peers.follow(new Map());
  }

  /** Never rejects: a look that fails is followed by the next. */
  async #look(): Promise<void> {
    const { clock } = this.#parts;
    this.#isLooking = true;
    const beganAtMs = clock.monotonicMs();
    try {
      const looked = await this.#parts.look();
      if (this.#size > 0) this.#tell(looked);
    } catch {
      // The fact shown stays, and its time with it: the page says how old it is.
    }
    this.#isLooking = false;
    if (this.#size === 0) return;
    const tookMs = clock.monotonicMs() - beganAtMs;
    this.#cancel = clock.after(Math.min(PAUSE_MAX_MS, Math.max(EVERY_MS, tookMs / LOOK_SHARE)), () => {
      this.#cancel = undefined;
      void this.#look();
    });
  }

  #tell(looked: Shown): void {
    const { instance, endpoint } = this.#parts;
    const own = factsOf(looked, instance, this.#growth);
    this.#growth.turn();
    this.#boards.own.tell(own);
    this.#peers.follow(this.#boards.all.size === 0 ? new Map() : othersIn(looked, endpoint()));
    this.#boards.all.tell(this.#peers.joined(own));
  }
}

/** Other instances than those that are here, as their groups tell. */
function othersIn({ processes }: Shown, endpoint: string): Endpoints {
  const here = new Set(processes.map(({ instance }) => instance));
  const all = processes.flatMap(({ pipelines }) =>
    pipelines.flatMap(({ group, instances }) => instances.map((each) => ({ ...each, group }))),
  );
  const others = all.filter((each) => !here.has(each.name) && each.endpoint !== '' && each.endpoint !== endpoint);
  return new Map(others.map((each) => [each.endpoint, each.group]));
}
