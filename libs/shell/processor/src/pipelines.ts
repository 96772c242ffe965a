// The pipelines of this process, each with an end of its own (P1).
//
// Owns: which of them have stopped, and why; the end of each.
// Does not own: when the process ends (Processor).
//
// Invariants
//   PI1  A pipeline is ended once, by whoever comes first: its own failure, or the end of the process.
import type { PipelineConfig } from '@flatline/config';
import type { PipelineInstance } from '@flatline/runtime';
import type { PipelineAdapters } from './pipeline-adapters.ts';

export interface Pipeline {
  readonly config: Pick<PipelineConfig, 'name'>;
  readonly adapters: Pick<PipelineAdapters, 'close'>;
  readonly instance: Pick<PipelineInstance, 'stop' | 'abort' | 'isReady'>;
}

export class Pipelines<Each extends Pipeline = Pipeline> {
  readonly #count: number;
  readonly #all: Each[] = [];
  readonly #failures = new Map<string, Error>();
  readonly #ends = new Map<string, Promise<void>>();

  /** `count`: how many there will be. */
  constructor(count: number) {
    this.#count = count;
  }

  get all(): readonly Each[] {
    return this.#all;
  }

  /** All of them. */
  get areReady(): boolean {
    return this.#isEach(({ instance }) => instance.isReady);
  }

  /** Does not wait for pipelines that have stopped. */
  get haveBegun(): boolean {
    return this.#isEach(({ config, instance }) => instance.isReady || this.#failures.has(config.name));
  }

  add(pipeline: Each): void {
    this.#all.push(pipeline);
  }

  /** Error that stopped it; undefined if none did. */
  failureOf(name: string): Error | undefined {
    return this.#failures.get(name);
  }

  /** Notes that it cannot go on. False if that was known. */
  fail(name: string, error: Error): boolean {
    if (this.#failures.has(name)) return false;
    this.#failures.set(name, error);
    return true;
  }

  /** True if none is left that could go on. */
  get haveAllFailed(): boolean {
    return this.#isEach(({ config }) => this.#failures.has(config.name));
  }

  #isEach(is: (pipeline: Each) => boolean): boolean {
    return this.#all.length === this.#count && this.#all.every(is);
  }

  /** `abort`: without commits. */
  end({ config, adapters, instance }: Each, how: 'stop' | 'abort'): Promise<void> {
    const known = this.#ends.get(config.name);
    const ended = known ?? instance[how]().then(() => adapters.close());
    this.#ends.set(config.name, ended);
    return ended;
  }

  /** Rejects with the first that could not be ended, once all others have. */
  async endAll(how: 'stop' | 'abort'): Promise<void> {
    const ends = await Promise.allSettled(this.#all.map((pipeline) => this.end(pipeline, how)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}
