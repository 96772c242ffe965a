import { TimingWheel, type TimingWheelOptions } from './timing-wheel.ts';

/** A wheel with an owner that keeps deadlines in a map, and calls the wheel only where it must. */
export class KeptDeadlines {
  readonly #deadlines = new Map<number, number>();
  readonly #wheel: TimingWheel;
  #now: number;

  constructor(options: Omit<TimingWheelOptions, 'deadlineOf'>) {
    this.#wheel = new TimingWheel({ ...options, deadlineOf: (id) => this.deadlineOf(id) });
    this.#now = options.startAt;
  }

  get size(): number {
    return this.#wheel.size;
  }
  get moved(): number {
    return this.#wheel.moved;
  }
  get hasBacklog(): boolean {
    return this.#wheel.hasBacklog;
  }

  isArmed(id: number): boolean {
    return this.#wheel.isArmed(id);
  }

  deadlineOf(id: number): number {
    return this.#deadlines.get(id) ?? NaN;
  }

  /** Later is left for the wheel to find out, but for a deadline that is past already: that is due at once (W5). */
  schedule(id: number, deadline: number): void {
    const armed = this.deadlineOf(id);
    this.#deadlines.set(id, deadline);
    if (!(deadline >= armed && deadline > this.#now)) this.#wheel.schedule(id);
  }

  cancel(id: number): void {
    this.#wheel.cancel(id);
    this.#deadlines.delete(id);
  }

  poll(now: number, limit: number, onDue: (id: number) => void): number {
    this.#now = Math.max(this.#now, now);
    return this.#wheel.poll(now, limit, (id) => {
      this.#deadlines.delete(id);
      onDue(id);
    });
  }

  fireWithinTick(limit: number, onDue: (id: number) => void): boolean {
    return this.#wheel.fireWithinTick(limit, (id) => {
      this.#deadlines.delete(id);
      onDue(id);
    });
  }

  earliestDeadline(): number | undefined {
    return this.#wheel.earliestDeadline();
  }

  earliestAhead(): number | undefined {
    return this.#wheel.earliestAhead();
  }

  armed(): ReturnType<TimingWheel['armed']> {
    return this.#wheel.armed();
  }

  inspect(idsEnd: number): string[] {
    return this.#wheel.inspect(idsEnd);
  }

  clear(): void {
    this.#wheel.clear();
    this.#deadlines.clear();
  }
}
