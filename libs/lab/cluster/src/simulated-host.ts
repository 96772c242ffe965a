// One process on one machine: the code that runs in it, and when it stops.
//
//   running ⇄ paused        pause(), resume(): SIGSTOP and SIGCONT, a long GC pause, a suspended machine
//      └──────┴──▶ dead     kill(): for good; a restart is a new host
//
// Owns: the process's timers and pending deliveries.
// Does not own: requests under way (Network), its disk.
//
// Invariants
//   SH1  A dead process runs nothing: no timer, no delivery; its promises are never settled. Code that was running when
//        it died continues to its next await, without visible effect.
//   SH2  A paused process runs nothing either; whatever came due or was delivered meanwhile runs on resume, in that order.
import type { Cancel, Clock, DurationMs, Millis } from '@flatline/base';
import type { HostClock } from './host-clock.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Direction in which the process is cut off from the cluster: messages that way are lost. */
export type Cut = 'none' | 'toBroker' | 'fromBroker' | 'both';

export class SimulatedHost implements Clock {
  readonly name: string;
  readonly machine: HostClock;
  readonly #time: VirtualTime;
  readonly #trace: Trace;
  readonly #deathListeners = new Set<() => void>();
  #state: 'running' | 'paused' | 'dead' = 'running';
  #held: (() => void)[] = [];
  #cut: Cut = 'none';

  constructor(name: string, machine: HostClock, time: VirtualTime, trace: Trace) {
    this.name = name;
    this.machine = machine;
    this.#time = time;
    this.#trace = trace;
  }

  get alive(): boolean {
    return this.#state !== 'dead';
  }

  get paused(): boolean {
    return this.#state === 'paused';
  }

  get cut(): Cut {
    return this.#cut;
  }

  wallMs(): Millis {
    return this.machine.wallMs();
  }

  monotonicMs(): DurationMs {
    return this.machine.monotonicMs();
  }

  after(delayMs: DurationMs, callback: () => void): Cancel {
    if (!this.alive) return () => undefined;
    let cancelled = false;
    const cancelTimer = this.#time.after(Math.max(0, delayMs), () => {
      this.run(() => {
        if (!cancelled) callback();
      });
    });
    return () => {
      // A timer that came due during a pause is no longer in the queue, but among the deferred callbacks: hence the flag.
      cancelled = true;
      cancelTimer();
    };
  }

  /** Runs `callback` in this process: now, on resume, or never. The network delivers through it. */
  run(callback: () => void): void {
    if (this.#state === 'running') callback();
    else if (this.#state === 'paused') this.#held.push(callback);
  }

  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#held = [];
    this.#trace.note(`${this.name} dies`);
    for (const listener of this.#deathListeners) listener();
    this.#deathListeners.clear();
  }

  /** `suspended`: the machine sleeps, and with it its monotonic clock. */
  pause(suspended = false): void {
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    if (suspended) this.machine.suspend();
    this.#trace.note(`${this.name} pauses`);
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.machine.wake();
    this.#trace.note(`${this.name} resumes`);
    const held = this.#held;
    this.#held = [];
    // One event each, so that promises make the same progress in between as without the pause.
    for (const callback of held) {
      this.#time.after(0, () => {
        this.run(callback);
      });
    }
  }

  /** Cuts this process off from the cluster, or reconnects it. */
  cutOff(cut: Cut): void {
    this.#cut = cut;
    this.#trace.note(`${this.name} cut ${cut}`);
  }

  /** For things that outlive the process and must learn of its death: locks on a disk. */
  onDeath(listener: () => void): void {
    this.#deathListeners.add(listener);
  }
}
