// All subscribers lose their connections at once, and come back within a second, while something becomes of each of their keys: how
// long until the last is let in, what was lost, and what heartbeats feel of it.
import type { DurationMs } from '@flatline/base';
import { AcknowledgedWriter } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { startBeats } from '../beats.ts';
import { withApplication } from '../frame/application.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { Hearing } from './hearing.ts';
import type { PushGround } from './push-ground.ts';
import { PIPELINE } from '../tasks/application.ts';

/** Heartbeats a second of sessions that no subscriber hears. */
const BEATS = 20_000;
const BEATING = 100_000;
const SEED = 5;
const COME_BACK_WITHIN_MS: DurationMs = 1_000;
/** At the rate of a processor 10 000 are let in within that. */
const WATCHED_MS: DurationMs = 30_000;
const WARM_UP_MS: DurationMs = 10_000;
/** Requests that are under way before their answers: more of them wait in the processor's backlog. */
const CONNECTING_MAX = 500;
/** The last outputs are heard within that, or not at all. */
const PATIENCE_MS: DurationMs = 30_000;
const LOOK_MS: DurationMs = 20;

export interface Returned {
  readonly subscribers: number;
  /** From the cut until the last is let in. */
  readonly letInMs: DurationMs;
  /** Told when to come, or not connected. */
  readonly refused: number;
  /** Outputs that a subscriber should have heard and has not, and those that he has heard twice. */
  readonly lost: number;
  readonly doubled: number;
  /** Heartbeats a second before the cut, and from it on for the same time. */
  readonly beatsBefore: number;
  readonly beatsMeanwhile: number;
}

/** @throws Error if the processor fails, or ends a subscription */
export async function measureReturning(ground: PushGround): Promise<Returned> {
  const { sessions: subscribers, brokers, connection, onProgress } = ground;
  return withApplication(ground, async (application) => {
    onProgress(`${subscribers.toLocaleString('en')} subscribers that come back at once`);
    const settings = { emit: ['opened', 'closed'] };
    const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, isKeyed: true, settings });
    const { topic } = application;
    const beats = startBeats({ brokers, topic, seed: SEED, sessions: BEATING, isKeyed: true, eventsPerSecond: BEATS });
    const writer = await AcknowledgedWriter.open({ clock: systemClock, connection, topic });
    const crowd = new Crowd(await instance.address(), subscribers);
    try {
      await Promise.race([crowd.letIn(0), crowd.ended]);
      await crowd.toldWhereToGoOn();
      await delay(WARM_UP_MS);
      const before = await instance.watch(WATCHED_MS);
      const watched = instance.watch(WATCHED_MS);
      watched.catch(() => undefined);
      const cutAtMs = performance.now();
      crowd.cut();
      const written = crowd.keys.map((key) => writer.write({ key: Buffer.from(key), value: Buffer.alloc(0) }));
      const refused = await Promise.race([crowd.letIn(COME_BACK_WITHIN_MS), crowd.ended]);
      const letInMs = performance.now() - cutAtMs;
      await Promise.all(written);
      const meanwhile = await watched;
      await Promise.race([crowd.heardAll(), crowd.ended]);
      const perSecond = ({ heartbeats, elapsedMs }: typeof before): number => (1_000 * heartbeats) / elapsedMs;
      // The keys' own records are among them.
      const beatsMeanwhile = perSecond({ ...meanwhile, heartbeats: meanwhile.heartbeats - subscribers });
      return { subscribers, letInMs, refused, ...crowd.judge(), beatsBefore: perSecond(before), beatsMeanwhile };
    } finally {
      crowd.cut();
      await writer.close();
      await beats.stop();
      await instance.kill();
    }
  });
}

/** Each hears a key of its own. */
class Crowd {
  readonly keys: readonly string[];
  /** Rejects with the first that ends by itself. */
  readonly ended: Promise<never>;
  readonly #heard: Uint8Array;
  readonly #all: readonly Hearing[];

  constructor(address: string, count: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.ended = promise;
    this.keys = Array.from({ length: count }, (_, number) => `subscriber-${number}`);
    this.#heard = new Uint8Array(count);
    this.#all = this.keys.map((key, number) => {
      const url = `${address}/api/v1/events/${PIPELINE}?key=${key}`;
      const onOutput = (): void => {
        this.#heard[number]! += 1;
      };
      return new Hearing({ url, onOutput, onEnd: reject });
    });
  }

  cut(): void {
    for (const each of this.#all) each.cut();
  }

  /** Each comes at its time within `withinMs`, and again when it is told to, or had no connection. Returns how often that was. */
  async letIn(withinMs: DurationMs): Promise<number> {
    const from = performance.now();
    let [next, refused] = [0, 0];
    const take = async (): Promise<void> => {
      while (next < this.#all.length) {
        const number = next++;
        const dueMs = (withinMs * number) / this.#all.length - (performance.now() - from);
        if (dueMs > 0) await delay(dueMs);
        for (let waitS = await this.#all[number]!.open(); waitS > 0; waitS = await this.#all[number]!.open()) {
          refused += 1;
          await delay(1_000 * waitS);
        }
      }
    };
    await Promise.all(Array.from({ length: withinMs === 0 ? CONNECTING_MAX : this.#all.length }, take));
    return refused;
  }

  /** Once each has its snapshot. @throws Error if that takes too long */
  async toldWhereToGoOn(): Promise<void> {
    const from = performance.now();
    while (!this.#all.every(({ hasCursor }) => hasCursor)) {
      if (performance.now() - from > PATIENCE_MS) throw new Error(`some have no snapshot after ${PATIENCE_MS} ms`);
      await delay(LOOK_MS);
    }
  }

  /** Once each has heard of his key, or it has been waited for long enough. */
  async heardAll(): Promise<void> {
    const from = performance.now();
    while (this.#heard.includes(0) && performance.now() - from < PATIENCE_MS) await delay(LOOK_MS);
  }

  judge(): Pick<Returned, 'lost' | 'doubled'> {
    const lost = this.#heard.filter((count) => count === 0).length;
    return { lost, doubled: this.#heard.filter((count) => count > 1).length };
  }
}
