// Handlers of a world's workers: quick and long ones, some that fail, hang, do not hear that they are to stop, or block their process.
//
// Each writes to something that compares tokens as long as it is told that its lease is held. Between that and the write it may be
// frozen: then the write comes with an old token, and is refused.
//
// Owns: what an attempt does, and what is noted of it.
// Does not own: the process (TaskWorker), who freezes it (WorkerFreezes).
import type { DurationMs, Millis, Random } from '@flatline/base';
import type { SimulatedHost, Simulation } from '@flatline/cluster';
import type { BegunAttempt, TaskLedger } from './ledger.ts';
import type { TokenGate } from './token-gate.ts';
import type { WorkerFreezes } from './worker-freezes.ts';

/** The part of a task that is looked at here. */
interface GivenTask {
  readonly id: string;
  readonly attempt: number;
  readonly value: Uint8Array;
  readonly token: number | undefined;
  readonly isHeld: boolean;
  readonly signal: AbortSignal;
}

export type Fate = 'quick' | 'long' | 'flaky' | 'bad' | 'hangs' | 'deaf' | 'blocks';
export const FATES: readonly Fate[] = [
  'quick',
  'quick',
  'quick',
  'long',
  'long',
  'flaky',
  'flaky',
  'bad',
  'hangs',
  'deaf',
  'blocks',
];

/** Longest times; a long one outlives several leases. */
const LENGTHS: Readonly<Record<Fate, DurationMs>> = {
  quick: 400,
  long: 7_000,
  flaky: 800,
  bad: 300,
  hangs: 60_000,
  deaf: 6_000,
  blocks: 400,
};
const LOOK_MS: DurationMs = 250;
/** From being told that it is held to the write. */
const ACT_MS: DurationMs = 4;
/** On its way, a write may be as late as this. */
const LATE_MS: DurationMs = 6_000;
/** After a standstill timers come in order of their making: what is due has come by then. */
const SETTLES_MS: DurationMs = 20;
/** Longer than any lease: a worker asks for results under one that it got, or renewed last, no earlier than this before. */
export const LEASE_MS: DurationMs = 5_000;
const text = new TextDecoder();

export interface HandlerParts {
  readonly simulation: Simulation;
  readonly host: SimulatedHost;
  readonly random: Random;
  readonly ledger: TaskLedger;
  readonly gate: TokenGate;
  readonly freezes: WorkerFreezes;
  readonly timeoutMs: DurationMs | undefined;
  /** When the worker asked last where the results end. */
  readonly askedAt: () => Millis;
}

export class Handler {
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /** True time, in fractions of a millisecond. */
  get #now(): number {
    const { simulation } = this.#parts;
    return simulation.trueMs() + (simulation.time.nowMicros % 1_000) / 1_000;
  }

  readonly handle = async (task: GivenTask): Promise<string> => {
    const { host, ledger, freezes } = this.#parts;
    const begun = this.#begin(task);
    ledger.begun.push(begun);
    freezes.begun(host);
    task.signal.addEventListener('abort', () => {
      begun.toldAt ??= this.#now;
    });
    try {
      await this.#work(task, begun);
      begun.result = `${task.id}/${task.attempt}`;
      return begun.result;
    } finally {
      begun.endedAt = this.#now;
      begun.sleptMs = this.#sleptSince(begun.at);
    }
  };

  #begin({ id, attempt, token }: GivenTask): BegunAttempt {
    const { host, askedAt } = this.#parts;
    const of = { id, attempt, token, worker: host.name, at: this.#now, askedAt: askedAt() };
    const held = { firstHeldAt: undefined, lastHeldAt: undefined, suspendedMs: 0, sleptMs: 0 };
    return { ...of, ...held, toldAt: undefined, endedAt: undefined, result: undefined };
  }

  async #work(task: GivenTask, begun: BegunAttempt): Promise<void> {
    const { host, random } = this.#parts;
    const fate = this.#fateOf(task);
    if (fate === 'blocks') this.#parts.freezes.blocks(host);
    const beganMs = host.monotonicMs();
    const untilMs = beganMs + random.below(LENGTHS[fate]);
    while (host.monotonicMs() < untilMs) {
      if (task.isHeld) await this.#act(task, begun);
      await this.#checkTold(task, beganMs);
      if (task.signal.aborted && fate !== 'deaf' && fate !== 'hangs') throw new Error('told to stop');
      await this.#pause(1 + random.below(LOOK_MS));
    }
    if (fate === 'bad' || (fate === 'flaky' && random.chance(0.5))) throw new Error('it did not work');
  }

  /** Only where there is a limit does one that hangs come to an end. */
  #fateOf({ value, attempt }: GivenTask): Fate {
    const { fate } = JSON.parse(text.decode(value)) as { readonly fate: Fate };
    if (fate === 'hangs' && (attempt > 1 || this.#parts.timeoutMs === undefined)) return 'quick';
    return fate;
  }

  async #act({ id, token }: GivenTask, begun: BegunAttempt): Promise<void> {
    const { host, random, simulation, gate, freezes } = this.#parts;
    begun.firstHeldAt ??= this.#now;
    begun.lastHeldAt = this.#now;
    begun.suspendedMs = this.#sleptSince(begun.askedAt - LEASE_MS);
    freezes.aboutToAct(host);
    await this.#pause(random.below(ACT_MS));
    const underWayMs = random.below(random.chance(0.05) ? LATE_MS : 5);
    simulation.time.after(underWayMs, () => {
      gate.write(id, token);
    });
  }

  /** T2, T3: whoever holds its lease no more, or is beyond its limit, is told. */
  async #checkTold(task: GivenTask, beganMs: DurationMs): Promise<void> {
    const { host, timeoutMs = Infinity, ledger } = this.#parts;
    const isBeyond = (): boolean => host.monotonicMs() - beganMs > timeoutMs;
    if (task.signal.aborted || (task.isHeld && !isBeyond())) return;
    const why = isBeyond() ? `[T3] beyond ${timeoutMs} ms` : '[T2] without its lease';
    await this.#pause(SETTLES_MS);
    const isTold = (): boolean => task.signal.aborted;
    if (!isTold()) ledger.breaches.push(`${why}, ${host.name} is not told: ${task.id} by ${task.token}`);
  }

  #sleptSince(at: number): DurationMs {
    const { simulation, host } = this.#parts;
    const { nowMs } = simulation.time;
    return simulation.suspendedMsBetween(host.name, nowMs - Math.ceil(simulation.trueMs() - at), nowMs);
  }

  #pause(ms: DurationMs): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.host.after(ms, resolve);
    });
  }
}
