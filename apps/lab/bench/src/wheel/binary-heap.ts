import { type Millis } from '@flatline/base';
import { type Contender, type TimerQueue } from './timer-queue.ts';

/**
 * A binary heap that knows where each id is, so that it can re-arm and cancel in place: the best case for a heap. Typed arrays,
 * 16 bytes per timer, room made beforehand.
 */
class BinaryHeap implements TimerQueue {
  readonly #deadlines: Float64Array;
  readonly #ids: Int32Array;
  /** By id: its place in the heap, plus one; 0 if it is not in it. */
  readonly #places: Int32Array;
  #size = 0;

  constructor(capacity: number) {
    this.#deadlines = new Float64Array(capacity);
    this.#ids = new Int32Array(capacity);
    this.#places = new Int32Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  schedule(id: number, deadline: Millis): void {
    const armed = this.#places[id]! - 1;
    const later = armed >= 0 && deadline > this.#deadlines[id]!;
    this.#deadlines[id] = deadline;
    if (armed < 0) {
      this.#size += 1;
      this.#rise(this.#size - 1, id);
    } else if (later) this.#sink(armed, id);
    else this.#rise(armed, id);
  }

  cancel(id: number): void {
    const place = this.#places[id]! - 1;
    if (place < 0) return;
    this.#places[id] = 0;
    this.#size -= 1;
    const last = this.#ids[this.#size]!;
    if (last === id) return;
    this.#rise(place, last);
    this.#sink(this.#places[last]! - 1, last);
  }

  poll(now: Millis, onDue: (id: number) => void): number {
    let fired = 0;
    while (this.#size > 0) {
      const id = this.#ids[0]!;
      if (this.#deadlines[id]! > now) break;
      this.cancel(id);
      fired += 1;
      onDue(id);
    }
    return fired;
  }

  #rise(from: number, id: number): void {
    const deadline = this.#deadlines[id]!;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#ids[parent]!;
      if (this.#deadlines[above]! <= deadline) break;
      this.#set(place, above);
      place = parent;
    }
    this.#set(place, id);
  }

  #sink(from: number, id: number): void {
    const deadline = this.#deadlines[id]!;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#at(child + 1) < this.#at(child)) child += 1;
      if (this.#at(child) >= deadline) break;
      this.#set(place, this.#ids[child]!);
      place = child;
    }
    this.#set(place, id);
  }

  #at(place: number): number {
    return this.#deadlines[this.#ids[place]!]!;
  }

  #set(place: number, id: number): void {
    this.#ids[place] = id;
    this.#places[id] = place + 1;
  }
}

export const binaryHeap: Contender = {
  name: 'binary heap',
  note: 'typed arrays, indexed by id, room made beforehand',
  timersMax: Infinity,
  resolutionMs: 0,
  create: (_startAt, timers) => new BinaryHeap(timers),
};
