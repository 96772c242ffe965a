// Faults of a pair of instances while users are served: of their processes, or of a gateway.
import type { DurationMs } from '@flatline/base';
import { freePorts } from '@flatline/dev-broker';
import { setTimeout as delay } from 'node:timers/promises';
import { type AssignedPartition, Instance } from '../processor/instance.ts';
import type { Application } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';

export const FAULTS = ['restarted', 'frozen', 'killed', 'rolling restart', 'gateway lost'] as const;
export type Fault = (typeof FAULTS)[number];

/** Longer than the group waits for a member, so that what wakes up has been replaced. */
const FROZEN_MS: DurationMs = 15_000;
const LOOK_MS: DurationMs = 50;
const PATIENCE_MS: DurationMs = 600_000;
const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];

export interface Shared {
  /** All partitions together. */
  readonly changelogBytes: number;
  /** The slowest partition, from its assignment until it ran. */
  readonly restoreMs: DurationMs;
}

export class Pair {
  readonly #application: Application;
  readonly #standbys: number;
  /** An instance that starts again answers where it did: that is the address by which it is known. */
  readonly #ports: Readonly<Record<Name, number>>;
  readonly #running: Record<Name, Instance>;
  readonly #started: Instance[] = [];

  private constructor(application: Application, standbys: number, ports: Readonly<Record<Name, number>>) {
    this.#application = application;
    this.#standbys = standbys;
    this.#ports = ports;
    this.#running = { a: this.#start('a'), b: this.#start('b') };
  }

  static async start(application: Application, standbys: number): Promise<Pair> {
    const [a, b] = await freePorts(NAMES.length);
    return new Pair(application, standbys, { a: a!, b: b! });
  }

  addresses(): Promise<readonly string[]> {
    return Promise.all(NAMES.map((name) => this.#running[name].address()));
  }

  /** Anonymous memory of both processes, garbage collected. */
  async memoryBytes(): Promise<number> {
    const all = await Promise.all(NAMES.map((name) => this.#running[name].look()));
    return all.reduce((sum, { memory }) => sum + memory.anonymousBytes, 0);
  }

  /** Waits until each runs its part, and follows the other's if they stand by; so many users live, and all of them are committed. */
  async untilShared(users: number): Promise<Shared> {
    const all = await this.#until(NAMES, (assigned) => {
      const owned = assigned.filter(isRunning);
      const live = owned.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
      const isWhole = owned.every(({ position, committedPosition }) => position === committedPosition);
      const following = assigned.filter(
        ({ role, state, lag }) => role === 'standby' && state === 'following' && lag === 0,
      );
      return isWhole && live >= users && following.length >= this.#standbys * this.#application.partitions;
    });
    const owned = all.filter(isRunning);
    return {
      changelogBytes: owned.reduce((sum, { changelogBytes = 0 }) => sum + changelogBytes, 0),
      restoreMs: longestRestore(owned),
    };
  }

  /** Ends once what is left of the pair runs everything. Returns how long the slowest partition then took to be restored. */
  async suffer(fault: Exclude<Fault, 'gateway lost'>): Promise<DurationMs> {
    switch (fault) {
      case 'killed':
        await this.#running.a.kill();
        return this.#restored(['b']);
      case 'restarted':
        return this.#restart('a');
      case 'rolling restart':
        return Math.max(await this.#restart('a'), await this.#restart('b'));
      case 'frozen': {
        process.kill(this.#running.a.pid!, 'SIGSTOP');
        await delay(FROZEN_MS);
        const byTheOther = await this.#restored(['b']);
        process.kill(this.#running.a.pid!, 'SIGCONT');
        return Math.max(byTheOther, await this.#restored(NAMES));
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#started.map((instance) => instance.kill()));
  }

  async #restart(name: Name): Promise<DurationMs> {
    await this.#running[name].stop();
    this.#running[name] = this.#start(name);
    return this.#restored(NAMES);
  }

  async #restored(names: readonly Name[]): Promise<DurationMs> {
    return longestRestore(await this.#until(names, () => true));
  }

  /** Waits until each of those runs its part, and all is as wanted. @throws Error if that takes too long */
  async #until(
    names: readonly Name[],
    wanted: (assigned: readonly AssignedPartition[]) => boolean,
  ): Promise<readonly AssignedPartition[]> {
    const { partitions } = this.#application;
    const from = performance.now();
    while (performance.now() - from < PATIENCE_MS) {
      const each = await Promise.all(names.map((name) => this.#running[name].assigned()));
      const owned = each.map((assigned) => assigned.filter(isRunning).length);
      const isShared =
        owned.reduce((sum, count) => sum + count, 0) === partitions &&
        owned.every((count) => count >= Math.floor(partitions / names.length));
      if (isShared && wanted(each.flat())) return each.flat();
      await delay(LOOK_MS);
    }
    throw new Error(`${names.join(' and ')} do not run all partitions after ${PATIENCE_MS} ms`);
  }

  #start(instance: Name): Instance {
    const stateDir = `${this.#application.stateDir}/${instance}`;
    const task = {
      ...this.#application,
      stateDir,
      instance,
      standbys: this.#standbys,
      httpPort: this.#ports[instance],
    };
    const started = new Instance({ ...task, timeoutMs: NEVER_MS, isKeyed: true });
    this.#started.push(started);
    return started;
  }
}

function longestRestore(assigned: readonly AssignedPartition[]): DurationMs {
  return assigned.filter(isRunning).reduce((most, { restoreMs = 0 }) => Math.max(most, restoreMs), 0);
}

function isRunning({ role, state }: AssignedPartition): boolean {
  return role === 'owner' && state === 'running';
}
