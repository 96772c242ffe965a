// One endpoint's queue with an engine and an endpoint around it, in virtual time: what is kept comes back when it is due, what is under way
// ends as the endpoint pleases, and the owner may be killed between any two steps.
import { type Millis, type Random, seededRandom } from '@flatline/base';
import type { Breaker } from './breaker.ts';
import type { Delivery, Outcome, Phase, Write } from './delivery.ts';
import { EndpointQueue, type EndpointRules, type KeptDelivery } from './endpoint-queue.ts';
import { Gate, type GateLimits } from './gate.ts';

/** N2 */
export const ATTEMPTS_MAX = 10;

export interface WorldOptions extends Partial<EndpointRules>, Partial<GateLimits> {
  readonly seed?: number;
  /** The endpoint's answer, and how long it takes. */
  readonly answer: (
    delivery: Delivery,
    now: Millis,
    random: Random,
  ) => { readonly outcome: Outcome; readonly ms: number };
}

interface Kept {
  readonly delivery: Delivery;
  readonly phase: Phase;
  readonly dueAt: Millis;
}

interface UnderWay {
  readonly delivery: Delivery;
  readonly outcome: Outcome;
  readonly endsAt: Millis;
}

export interface Begun {
  readonly at: Millis;
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
}

/** An attempt that failed, as an outcome. */
export function failure(at: Millis, more: Partial<Extract<Outcome, { kind: 'failed' }>> = {}): Outcome {
  return { kind: 'failed', attempt: { at, ms: 1, status: 500 }, ...more };
}

export const DELIVERED: Outcome = { kind: 'delivered' };

export class QueueWorld {
  readonly random: Random;
  readonly begun: Begun[] = [];
  readonly delivered: string[] = [];
  readonly givenUp: { readonly id: string; readonly why: string; readonly attempts: number }[] = [];
  /** Attempts under way when an owner was killed. */
  readonly interrupted: string[] = [];
  readonly kept = new Map<string, Kept>();
  now: Millis = 0;
  breaker: Breaker | undefined;
  queue: EndpointQueue;
  readonly #options: WorldOptions;
  #writes: Write[] = [];
  #underWay: UnderWay[] = [];
  /** Come out, and not taken yet. */
  #due: Delivery[] = [];
  #offset = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.random = seededRandom(options.seed ?? 1);
    this.queue = this.#open();
  }

  /** An output of a key. */
  say(key: string): string {
    this.#offset += 1;
    const id = `d${this.#offset}`;
    const body = new Uint8Array(1 + this.random.below(64));
    this.queue.take(
      { endpoint: 'sink', id, key, order: this.#offset, type: 'session.closed', body, attempts: [] },
      this.now,
    );
    this.#settle();
    return id;
  }

  /** Lets happen what is due at `until` and before, in order. */
  runTo(until: Millis): void {
    for (let next = this.#nextAt(); next <= until; next = this.#nextAt()) {
      this.now = Math.max(this.now, next);
      this.step();
    }
    this.now = Math.max(this.now, until);
    this.step();
  }

  step(): void {
    const over = this.#underWay.filter(({ endsAt }) => endsAt <= this.now);
    this.#underWay = this.#underWay.filter(({ endsAt }) => endsAt > this.now);
    for (const { delivery, outcome } of over) {
      if (outcome.kind === 'delivered') this.delivered.push(delivery.id);
      this.queue.ended(delivery, outcome, this.now);
    }
    for (const [id, { delivery, dueAt }] of this.kept)
      if (dueAt <= this.now) {
        this.kept.delete(id);
        this.#due.push(delivery);
      }
    for (const delivery of this.#due.splice(0)) this.queue.take(delivery, this.now);
    this.#settle();
  }

  /** The owner is gone with all that it had in memory; another one begins with what is committed. */
  kill(): void {
    this.interrupted.push(...this.#underWay.map(({ delivery }) => delivery.id));
    this.#underWay = [];
    this.#writes = [];
    this.queue = this.#open();
    this.#settle();
  }

  get isQuiet(): boolean {
    return this.#underWay.length === 0 && this.kept.size === 0 && this.#due.length === 0;
  }

  #open(): EndpointQueue {
    const { order = 'none', supersede = false, timeoutMs = 15_000 } = this.#options;
    const { maxInFlight = 4, maxPerSecond } = this.#options;
    const queue = new EndpointQueue({
      rules: { name: 'sink', order, supersede, timeoutMs },
      gate: new Gate({ maxInFlight, maxPerSecond }),
      random: this.random,
      write: (write) => {
        this.#writes.push(write);
      },
    });
    const kept = [...this.kept.values()].map(({ delivery, phase, dueAt }): KeptDelivery => {
      const { endpoint, id, key, order: place } = delivery;
      const mark = { endpoint, id, key, order: place };
      return { mark, phase, dueAt, delivery: phase === 'held' ? delivery : undefined };
    });
    const due = this.#due.map(({ endpoint, id, key, order: place }): KeptDelivery => ({
      mark: { endpoint, id, key, order: place },
      phase: 'waiting',
    }));
    queue.restore([...kept, ...due], this.breaker, this.now);
    return queue;
  }

  /** One commit, then the attempts that it decided on. */
  #settle(): void {
    const begun = this.queue.next(this.now);
    for (const write of this.#writes.splice(0)) this.#apply(write);
    for (const delivery of begun) {
      this.begun.push({ at: this.now, id: delivery.id, key: delivery.key, attempt: delivery.attempts.length + 1 });
      const { outcome, ms } = this.#options.answer(delivery, this.now, this.random);
      this.#underWay.push({ delivery, outcome, endsAt: this.now + ms });
    }
  }

  #apply(write: Write): void {
    switch (write.kind) {
      case 'keep':
        this.kept.set(write.delivery.id, write);
        return;
      case 'drop':
        this.kept.delete(write.name.id);
        return;
      case 'wake': {
        const found = this.kept.get(write.name.id);
        this.kept.delete(write.name.id);
        if (found !== undefined) this.#due.push(found.delivery);
        return;
      }
      case 'giveUp':
        this.kept.delete(write.delivery.id);
        this.givenUp.push({ id: write.delivery.id, why: write.why, attempts: write.delivery.attempts.length });
        return;
      case 'breaker':
        this.breaker = write.breaker;
    }
  }

  #nextAt(): Millis {
    const own = this.queue.nextAt(this.now);
    return Math.min(
      this.#due.length > 0 ? this.now : Infinity,
      own === undefined ? Infinity : Math.max(own, this.now + 1),
      ...this.#underWay.map(({ endsAt }) => endsAt),
      ...[...this.kept.values()].map(({ dueAt }) => dueAt),
    );
  }
}
