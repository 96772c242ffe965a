// Freezes couriers where it hurts most, in half of the worlds: while an attempt is under way, in the middle of a commit, or for the
// brokers alone, by a connection that is cut one way. Others take over, attempt and commit, and then the frozen one goes on.
//
// It draws from a source of its own: the other half are the worlds that their seeds were before.
//
// Owns: who is frozen by it, and until when.
// Does not own: the processes (DeliveryWorld).
import type { DurationMs, Random } from '@flatline/base';
import type { Cut, SimulatedHost, Simulation } from '@flatline/cluster';
import type { TransactionalWriter } from '@flatline/ports';

const FROZEN_WORLDS = 0.5;
/** Shares: of the steps of a storm, of attempts, of commits. */
const CUTS_OFF = 0.006;
const FREEZES_ATTEMPT = 0.02;
const FREEZES_COMMIT = 0.02;
/** After it has begun. */
const SOON_MS: DurationMs = 20;
/** A suspended machine's monotonic clock stands still, too. */
const SUSPENDED = 0.3;
/** Beyond the group's session timeout. */
const LEAST_MS: DurationMs = 4_000;
const MORE_MS = 21_000;
const CUT_MS = 12_000;
const CUTS: readonly Cut[] = ['toBroker', 'fromBroker', 'both'];

export class Freezer {
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #isAtWork: boolean;
  #isOver = false;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#random = simulation.random('freezes of couriers');
    this.#isAtWork = this.#random.chance(FROZEN_WORLDS);
  }

  /** Cuts one of these off, now and then. */
  act(up: readonly SimulatedHost[]): void {
    if (!this.#isAtWork || !this.#random.chance(CUTS_OFF)) return;
    const host = up[this.#random.below(Math.max(1, up.length))];
    if (host === undefined || host.cut !== 'none') return;
    host.cutOff(CUTS[this.#random.below(CUTS.length)]!);
    this.#simulation.faults.count('courierCutOff');
    this.#simulation.time.after(this.#random.below(CUT_MS), () => {
      host.cutOff('none');
    });
  }

  /** An attempt begins in that process. */
  attempting(host: SimulatedHost): void {
    this.#freezeSoon(host, FREEZES_ATTEMPT, 'frozenAttempting');
  }

  /** A writer of that process, which may be frozen while a commit is on its way: it learns of it once others have written since. */
  watched(writer: TransactionalWriter, host: SimulatedHost): TransactionalWriter {
    return {
      timeoutMs: writer.timeoutMs,
      commit: (transaction, answerMs) => {
        const committed = writer.commit(transaction, answerMs);
        this.#freezeSoon(host, FREEZES_COMMIT, 'frozenCommitting');
        return committed;
      },
      close: () => writer.close(),
    };
  }

  /** Freezes no more. */
  heal(up: Iterable<SimulatedHost>): void {
    this.#isOver = true;
    for (const host of up) if (host.cut !== 'none') host.cutOff('none');
  }

  #freezeSoon(host: SimulatedHost, chance: number, how: string): void {
    if (!this.#isAtWork || this.#isOver || !this.#random.chance(chance)) return;
    this.#simulation.time.after(this.#random.below(SOON_MS), () => {
      this.#freeze(host, how);
    });
  }

  #freeze(host: SimulatedHost, how: string): void {
    if (this.#isOver || !host.alive || host.paused) return;
    const { faults, time } = this.#simulation;
    host.pause(this.#random.chance(SUSPENDED));
    faults.count(how);
    time.after(LEAST_MS + this.#random.below(MORE_MS), () => {
      host.resume();
    });
  }
}
