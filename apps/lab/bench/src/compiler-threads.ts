// The CPU time that a process on HotSpot has taken to compile itself, by the names of its compilers' threads.
//
// Owns: what each of them was last seen with. One that has ended is no longer told of, but what it took was taken.
import type { DurationMs } from '@flatline/base';
import { statTimes, type ThreadSource } from './process-stat.ts';

/** `C2 CompilerThread0`, of which the kernel keeps 15 characters. */
const COMPILER = /^(C1|C2|JVMCI) Compiler/;

export class CompilerThreads {
  readonly #source: ThreadSource;
  /** A thread keeps its name: the many others are read once. */
  readonly #isCompiler = new Map<string, boolean>();
  readonly #cpuMs = new Map<string, DurationMs>();

  constructor(source: ThreadSource) {
    this.#source = source;
  }

  /** So far, as far as it was asked before a thread ended; undefined if none was ever seen. */
  nowMs(): DurationMs | undefined {
    for (const thread of this.#source.threads()) if (this.#isCompiler.get(thread) !== false) this.#see(thread);
    return this.#cpuMs.size === 0 ? undefined : [...this.#cpuMs.values()].reduce((sum, each) => sum + each);
  }

  #see(thread: string): void {
    const stat = this.#source.stat(thread);
    if (stat === undefined) return; // it has just ended
    const { name, cpuMs } = statTimes(stat);
    const isCompiler = COMPILER.test(name);
    this.#isCompiler.set(thread, isCompiler);
    if (isCompiler) this.#cpuMs.set(thread, cpuMs);
  }
}
