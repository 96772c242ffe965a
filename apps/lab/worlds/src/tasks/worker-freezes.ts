// Freezes workers, cuts them off from the brokers, or ends them, at any time and where it hurts most: as an attempt begins, between
// knowing that the lease is held and the write, and while an outcome is on its way to its log. Blocks those whose handler does.
//
// Owns: who is frozen or cut off by it, and until when.
// Does not own: the processes (TaskWorld).
import type { DurationMs, Random } from '@flatline/base';
import type { Cut, SimulatedHost, Simulation } from '@flatline/cluster';

/** Shares: of the steps of a storm, for each; of attempts; of writes; of outcomes. */
const AT_ANY_TIME = 0.005;
const BEGUN = 0.3;
const ABOUT_TO_ACT = 0.012;
const RECORDING = 0.3;
/** After it has begun. */
const SOON_MS: DurationMs = 1_500;
const AT_ONCE_MS: DurationMs = 3;
const SUSPENDED = 0.5;
/** Most are longer than a lease. */
const LEAST_MS: DurationMs = 500;
const MORE_MS: DurationMs = 9_000;
/** A worker that is cut off as it records comes back when another has the task, mostly. */
const RECORDING_LEAST_MS: DurationMs = 4_000;
/** Longer than any lease, shorter than the longer of the times after which the group lets a worker go. */
const BLOCKED_MS: DurationMs = 4_500;
const CUTS: readonly Cut[] = ['toBroker', 'fromBroker', 'both'];

export class WorkerFreezes {
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #suspends: boolean;
  #isOver = false;

  constructor(simulation: Simulation, suspends: boolean) {
    this.#simulation = simulation;
    this.#random = simulation.random('freezes of workers');
    this.#suspends = suspends;
  }

  /** One step of the storm. */
  act(up: readonly SimulatedHost[]): void {
    const victim = up[this.#random.below(Math.max(1, up.length))];
    if (victim === undefined) return;
    if (this.#random.chance(AT_ANY_TIME)) this.#freeze(victim, 'workerFrozen');
    if (this.#random.chance(AT_ANY_TIME)) this.#cutOff(victim, 'workerCutOff');
    if (this.#random.chance(AT_ANY_TIME / 2)) this.#kill(victim, 'workerKilled');
  }

  /** An attempt begins in that process. */
  begun(host: SimulatedHost): void {
    if (!this.#random.chance(BEGUN)) return;
    const act = this.#random.below(3);
    this.#later(SOON_MS, () => {
      if (act === 0) this.#freeze(host, 'workerFrozenWorking');
      else if (act === 1) this.#cutOff(host, 'workerCutOffWorking');
      else this.#kill(host, 'workerKilledWorking');
    });
  }

  /** It knows that its lease is held, and will write. */
  aboutToAct(host: SimulatedHost): void {
    if (!this.#random.chance(ABOUT_TO_ACT)) return;
    this.#later(AT_ONCE_MS, () => {
      this.#freeze(host, 'workerFrozenActing');
    });
  }

  /** An outcome is given to be recorded. */
  recording(host: SimulatedHost): void {
    if (!this.#random.chance(RECORDING)) return;
    const act = this.#random.below(3);
    if (act === 1) this.#cutOff(host, 'workerCutOffRecording', RECORDING_LEAST_MS);
    else
      this.#later(AT_ONCE_MS, () => {
        if (act === 0) this.#freeze(host, 'workerFrozenRecording');
        else this.#kill(host, 'workerKilledRecording');
      });
  }

  /** A handler keeps its process from doing anything else. */
  blocks(host: SimulatedHost): void {
    if (this.#isOver || host.paused) return;
    host.pause();
    this.#simulation.faults.count('workerBlocked');
    this.#simulation.time.after(BLOCKED_MS, () => {
      host.resume();
    });
  }

  /** Does no more, and lets all go on. */
  heal(up: Iterable<SimulatedHost>): void {
    this.#isOver = true;
    for (const host of up) {
      host.resume();
      if (host.cut !== 'none') host.cutOff('none');
    }
  }

  #later(withinMs: DurationMs, act: () => void): void {
    this.#simulation.time.after(this.#random.below(withinMs), () => {
      if (!this.#isOver) act();
    });
  }

  #freeze(host: SimulatedHost, how: string): void {
    if (this.#isOver || !host.alive || host.paused) return;
    const { faults, time } = this.#simulation;
    const isSuspended = this.#suspends && this.#random.chance(SUSPENDED);
    if (isSuspended) faults.count('workerSuspended');
    host.pause(isSuspended);
    faults.count(how);
    time.after(LEAST_MS + this.#random.below(MORE_MS), () => {
      host.resume();
    });
  }

  #cutOff(host: SimulatedHost, how: string, leastMs = LEAST_MS): void {
    if (this.#isOver || !host.alive || host.cut !== 'none') return;
    const { faults, time } = this.#simulation;
    host.cutOff(CUTS[this.#random.below(CUTS.length)]!);
    faults.count(how);
    time.after(leastMs + this.#random.below(MORE_MS), () => {
      host.cutOff('none');
    });
  }

  #kill(host: SimulatedHost, how: string): void {
    if (this.#isOver || !host.alive) return;
    host.kill();
    this.#simulation.faults.count(how);
  }
}
