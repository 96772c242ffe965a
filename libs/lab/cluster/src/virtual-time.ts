// Virtual time: the one queue of all future events, in every process and broker of a simulation.
//
// Owns: the present instant, the order of events.
// Does not own: whose events they are (SimulatedHost), their chances (FaultPlan).
//
// Invariants
//   VT1  Time moves only inside runFor, runUntil and complete, and only to the instant of the next event or of the end asked for.
//   VT2  Events of one instant run in the order in which they were scheduled.
//   VT3  Between two events every promise that can make progress has made it: one turn of the event loop empties the
//        microtask queue however long its chains are. Code under test must therefore wait on its Clock or on a port,
//        never on setImmediate, timers or I/O of Node.
//   VT4  At most one of these is under way.
import { setImmediate } from 'node:timers';
import { assert, type Cancel, type DurationMs } from '@flatline/base';

/** Whole microseconds: network delays finer than the millisecond of the ports give the interleavings their variety. */
export type Micros = number & { readonly __flavour?: 'micros' };

const MICROS_PER_MS = 1000;
/** More events than this at one instant mean that something re-arms itself endlessly. */
const EVENTS_PER_INSTANT_MAX = 100_000;

interface Event {
  readonly at: Micros;
  readonly order: number;
  run: (() => void) | undefined;
}

const loopTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

export class VirtualTime {
  readonly #heap: Event[] = [];
  #now: Micros = 0;
  #order = 0;
  #eventsOfInstant = 0;
  #running = false;

  get nowMicros(): Micros {
    return this.#now;
  }

  /** Whole milliseconds since the simulation began. */
  get nowMs(): DurationMs {
    return Math.floor(this.#now / MICROS_PER_MS);
  }

  /** Runs `callback` once, `delayMs` from now; fractions of a millisecond count, down to the microsecond. */
  after(delayMs: number, callback: () => void): Cancel {
    assert(delayMs >= 0, 'a delay is not negative', { delayMs });
    const event: Event = { at: this.#now + Math.round(delayMs * MICROS_PER_MS), order: this.#order++, run: callback };
    push(this.#heap, event);
    return () => {
      event.run = undefined;
    };
  }

  /** Lets promises make progress without moving time: for tests that have acted on the code under test directly. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await loopTurn();
  }

  async runFor(durationMs: DurationMs): Promise<void> {
    await this.#run(durationMs, () => false);
  }

  /** Runs until `predicate`, asked after every event, holds; false if it does not within `maxMs`. */
  async runUntil(predicate: () => boolean, maxMs: DurationMs): Promise<boolean> {
    await this.#run(maxMs, predicate);
    return predicate();
  }

  /** Runs until `promise` is settled, and returns its outcome. @throws AssertionError if it is not within `maxMs`. */
  async complete<T>(promise: Promise<T>, maxMs: DurationMs = 60_000): Promise<T> {
    let settled = false;
    const note = (): void => {
      settled = true;
    };
    promise.then(note, note);
    const done = await this.runUntil(() => settled, maxMs);
    assert(done, 'the promise did not settle in virtual time', { maxMs });
    return promise;
  }

  async #run(durationMs: DurationMs, done: () => boolean): Promise<void> {
    assert(!this.#running, 'one run at a time (VT4)');
    this.#running = true;
    try {
      const end = this.#now + Math.round(durationMs * MICROS_PER_MS);
      await loopTurn();
      while (!done()) {
        const event = this.#nextUntil(end);
        if (event === undefined) {
          this.#moveTo(end);
          return;
        }
        this.#moveTo(event.at);
        event.run?.();
        await loopTurn();
      }
    } finally {
      this.#running = false;
    }
  }

  #nextUntil(end: Micros): Event | undefined {
    for (;;) {
      const first = this.#heap[0];
      if (first === undefined || first.at > end) return undefined;
      pop(this.#heap);
      if (first.run !== undefined) return first;
    }
  }

  #moveTo(instant: Micros): void {
    this.#eventsOfInstant = instant === this.#now ? this.#eventsOfInstant + 1 : 0;
    assert(
      this.#eventsOfInstant < EVENTS_PER_INSTANT_MAX,
      'time stands still: something re-arms itself without delay',
      {
        nowMicros: instant,
      },
    );
    this.#now = instant;
  }
}

const earlier = (a: Event, b: Event): boolean => (a.at === b.at ? a.order < b.order : a.at < b.at);

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!earlier(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child += 1;
    if (!earlier(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
