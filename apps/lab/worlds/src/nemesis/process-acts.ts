// Faults of processes and of the clocks of their machines.
import type { Cut } from '@flatline/cluster';
import type { Victims } from './victims.ts';

/** A machine that joins in the middle of the storm. */
const LATECOMER = 'z';
const HOUR_MS = 3_600_000;

export class ProcessActs {
  readonly #victims: Victims;

  constructor(victims: Victims) {
    this.#victims = victims;
  }

  kill(): boolean {
    return this.#victims.killed() !== undefined;
  }

  killAll(): boolean {
    for (const { host } of this.#victims.cluster.up) host.kill();
    return true;
  }

  /** Shorter or longer than the group's session timeout; the longer ones make zombies. */
  pause(): boolean {
    const process = this.#victims.process();
    if (process === undefined || process.host.paused) return false;
    const { random } = this.#victims;
    process.host.pause(random.chance(0.3));
    this.#victims.later(random.chance(0.5) ? 3_000 : 25_000, () => {
      process.host.resume();
    });
    return true;
  }

  /** Pauses a process that is restoring a task: others take over, commit and truncate before it goes on. */
  pauseRestoring(): boolean {
    const process = this.#victims.cluster.up.find(
      ({ host, instance }) => !host.paused && instance.status().some(({ state }) => state === 'restoring'),
    );
    process?.host.pause();
    this.#victims.later(30_000, () => {
      process?.host.resume();
    });
    return process !== undefined;
  }

  leave(): boolean {
    const process = this.#victims.process();
    if (process === undefined || process.leaving !== undefined) return false;
    void this.#victims.cluster.leave(process);
    return true;
  }

  join(): boolean {
    if (this.#victims.cluster.processes.has(LATECOMER)) return false;
    this.#victims.launch(LATECOMER);
    return true;
  }

  /** Power failure: stores that were not closed cleanly may lack pages. */
  reboot(): boolean {
    const process = this.#victims.killed();
    if (process !== undefined) this.#victims.simulation.disk(process.name).reboot();
    return process !== undefined;
  }

  cutOff(): boolean {
    const process = this.#victims.process();
    if (process === undefined || process.host.cut !== 'none') return false;
    const cuts: readonly Cut[] = ['toBroker', 'fromBroker', 'both'];
    process.host.cutOff(cuts[this.#victims.random.below(3)]!);
    this.#victims.later(15_000, () => {
      process.host.cutOff('none');
    });
    return true;
  }

  clockStep(): boolean {
    const process = this.#victims.processOfAnyTime();
    process?.host.machine.step(this.#victims.random.chance(0.5) ? HOUR_MS : -HOUR_MS);
    return process !== undefined;
  }

  clockFreeze(): boolean {
    const process = this.#victims.processOfAnyTime();
    process?.host.machine.freeze();
    return process !== undefined;
  }

  clockDrift(): boolean {
    const process = this.#victims.processOfAnyTime();
    process?.host.machine.setRate(this.#victims.random.chance(0.5) ? 1.2 : 0.8);
    return process !== undefined;
  }
}
