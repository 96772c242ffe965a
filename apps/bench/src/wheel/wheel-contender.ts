import { type Millis } from '@flatline/base';
import { TimingWheel } from '@flatline/timing-wheel';
import { type Contender, type TimerQueue } from './timer-queue.ts';

class WheelQueue implements TimerQueue {
  readonly #wheel: TimingWheel;

  constructor(startAt: Millis, initialCapacity?: number) {
    this.#wheel = new TimingWheel(initialCapacity === undefined ? { startAt } : { startAt, initialCapacity });
  }

  get size(): number {
    return this.#wheel.size;
  }

  schedule(id: number, deadline: Millis): void {
    this.#wheel.schedule(id, deadline);
  }

  cancel(id: number): void {
    this.#wheel.cancel(id);
  }

  poll(now: Millis, onDue: (id: number) => void): number {
    return this.#wheel.poll(now, Infinity, onDue);
  }
}

const common = { timersMax: Infinity, resolutionMs: 10 };

export const wheel: Contender = {
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
