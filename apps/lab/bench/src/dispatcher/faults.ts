// What happens to a pair of instances while users are served: to their processes, or to a gateway.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { type AssignedPartition, Instance } from '../processor/instance.ts';
import type { Application } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';

export type Fault = 'restarted' | 'frozen' | 'killed' | 'rolling restart' | 'gateway lost';

/** Longer than the group waits for a member, so that what wakes up has been replaced. */
const FROZEN_MS: DurationMs = 15_000;
const LOOK_MS: DurationMs = 50;
const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];

export class Pair {
  readonly #application: Application;
  readonly #standbys: number;
  readonly #running: Record<Name, Instance>;
  readonly #started: Instance[] = [];

  constructor(application: Application, standbys: number) {
    this.#application = application;
    this.#standbys = standbys;
    this.#running = { a: this.#start('a'), b: this.#start('b') };
  }

  addresses(): Promise<readonly string[]> {
    return Promise.all(NAMES.map((name) => this.#running[name].address()));
  }

  /** Waits until each runs its part, and follows the other's if they stand by; so many users live, and all of them are committed. */
  async untilShared(users: number): Promise<void> {
    const { partitions } = this.#application;
    for (;;) {
      const all = await Promise.all(NAMES.map((name) => this.#running[name].assigned()));
      const owned = all.map((each) => each.filter(isRunning));
      const live = owned.flat().reduce((sum, { liveEntries }) => sum + liveEntries, 0);
      const isShared = owned.every((each) => Math.abs(2 * each.length - partitions) <= 1);
      const isWhole = owned.flat().every(({ position, committedPosition }) => position === committedPosition);
      const following = all
        .flat()
        .filter(({ role, state, lag }) => role === 'standby' && state === 'following' && lag === 0);
      if (isShared && isWhole && live >= users && following.length >= this.#standbys * partitions) return;
      await delay(LOOK_MS);
    }
  }

  /** Ends once what is left of the pair runs everything. */
  async suffer(fault: Exclude<Fault, 'gateway lost'>): Promise<void> {
    switch (fault) {
      case 'killed':
        await this.#running.a.kill();
        await this.#untilAllRun(['b']);
        return;
      case 'restarted':
        await this.#restart('a');
        return;
      case 'rolling restart':
        for (const name of NAMES) await this.#restart(name);
        return;
      case 'frozen':
        process.kill(this.#running.a.pid!, 'SIGSTOP');
        await delay(FROZEN_MS);
        await this.#untilAllRun(['b']);
        process.kill(this.#running.a.pid!, 'SIGCONT');
        await this.#untilAllRun(NAMES);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#started.map((instance) => instance.kill()));
  }

  async #restart(name: Name): Promise<void> {
    await this.#running[name].stop();
    this.#running[name] = this.#start(name);
    await this.#untilAllRun(NAMES);
  }

  async #untilAllRun(names: readonly Name[]): Promise<void> {
    for (;;) {
      const all = await Promise.all(names.map((name) => this.#running[name].assigned()));
      if (all.flat().filter(isRunning).length === this.#application.partitions) return;
      await delay(LOOK_MS);
    }
  }

  #start(instance: Name): Instance {
    const stateDir = `${this.#application.stateDir}/${instance}`;
    const task = { ...this.#application, stateDir, instance, standbys: this.#standbys };
    const started = new Instance({ ...task, timeoutMs: NEVER_MS, isKeyed: true });
    this.#started.push(started);
    return started;
  }
}

function isRunning({ role, state }: AssignedPartition): boolean {
  return role === 'owner' && state === 'running';
}
