// A processor in a process of its own, as the benchmarks of populations see it.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { bindToExit } from '../exit-bound.ts';
import { profiling } from '../measured-process.ts';
import type { PopulationAnswer, PopulationQuestion, PopulationTask } from './population-task.ts';

export class Population {
  readonly #child: ChildProcess;
  readonly #exit: Promise<never>;

  constructor(task: PopulationTask) {
    mkdirSync(task.stateDir, { recursive: true });
    const script = import.meta.filename.replace(/population(\.\w+)$/, 'population-process$1');
    const execArgv = [...process.execArgv, '--expose-gc', ...profiling('flatline')];
    this.#child = bindToExit(fork(script, [JSON.stringify(task)], { execArgv }));
    this.#exit = once(this.#child, 'exit').then(([code, signal]: unknown[]) => {
      throw new Error(`the processor of ${task.application} ended with ${String(signal ?? code)}`);
    });
    this.#exit.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Answers once so many events are applied since it started, and all that is applied is committed. @throws Error where it ends
   * @param warmUpEvents of them, those that come first and are not measured
   */
  applied(events: number, warmUpEvents = 0): Promise<PopulationAnswer> {
    return this.#ask({ kind: 'applied', events, warmUpEvents });
  }

  /** Answers after so long, whatever happens meanwhile. */
  watch(forMs: DurationMs): Promise<PopulationAnswer> {
    return this.#ask({ kind: 'watch', forMs });
  }

  look(): Promise<PopulationAnswer> {
    return this.#ask({ kind: 'look' });
  }

  /** Leaves in good order. */
  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    await this.#ask({ kind: 'stop' });
    await exit;
  }

  /** With SIGKILL; nothing where it has ended. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  async #ask(question: PopulationQuestion): Promise<PopulationAnswer> {
    const answer = once(this.#child, 'message');
    this.#child.send(question);
    const [message] = (await Promise.race([answer, this.#exit])) as [PopulationAnswer];
    return message;
  }
}
