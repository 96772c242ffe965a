import { type Millis } from '@flatline/base';
import { TimingWheel } from '@flatline/timing-wheel';
import { type Contender, type TimerQueue } from './timer-queue.ts';

const CAPACITY_FIRST = 1024;
const GROWTH = 1.5;

/** The wheel with an owner that keeps a deadline per id: 8 bytes here, 8 in the wheel. */
class WheelQueue implements TimerQueue {
  readonly #wheel: TimingWheel;
  #deadlines: Float64Array;
  #now: Millis;

  constructor(startAt: Millis, initialCapacity = CAPACITY_FIRST) {
    this.#wheel = new TimingWheel({ startAt, initialCapacity, deadlineOf: (id) => this.#deadlines[id]! });
    this.#deadlines = new Float64Array(initialCapacity);
    this.#now = startAt;
  }

  get size(): number {
    return this.#wheel.size;
  }

  schedule(id: number, deadline: Millis): void {
    if (id >= this.#deadlines.length) this.#grow(id + 1);
    const before = this.#deadlines[id]!;
    this.#deadlines[id] = deadline;
    // A deadline of 0 is none: those measured are of this century.
    if (before === 0 || deadline < before || deadline <= this.#now) this.#wheel.schedule(id);
  }

  cancel(id: number): void {
    this.#wheel.cancel(id);
    this.#deadlines[id] = 0;
  }

  poll(now: Millis, onDue: (id: number) => void): number {
    this.#now = now;
    return this.#wheel.poll(now, Infinity, (id) => {
      this.#deadlines[id] = 0;
      onDue(id);
    });
  }

  #grow(needed: number): void {
    const larger = new Float64Array(Math.max(needed, Math.ceil(this.#deadlines.length * GROWTH)));
    larger.set(this.#deadlines);
    this.#deadlines = larger;
  }
}

const common = { timersMax: Infinity, resolutionMs: 10 };

export const timingWheel: Contender = {
  ...common,
  name: 'timing wheel',
  note: 'room made beforehand, as on restore; a fire includes moving the timer down the levels',
  create: (startAt, timers) => new WheelQueue(startAt, timers),
};

export const growingWheel: Contender = {
  ...common,
  name: 'timing wheel, growing',
  note: 'starts with room for 1024; inserting includes all the growing',
  create: (startAt) => new WheelQueue(startAt),
};
