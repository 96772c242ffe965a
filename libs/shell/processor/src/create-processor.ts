// The processor inside an application: made from what a configuration file would say, started and stopped by its host.
import { type Clock, messageOf, type Millis } from '@flatline/base';
import { type ConfigurationInput, type FlatlineConfig, type Reducer, resolveConfiguration } from '@flatline/config';
import type { DebounceReducer } from '@flatline/kinds/debounce';
import { systemClock } from '@flatline/system';
import type { EntryAnswer } from './directory/entry-answer.ts';
import type { RunningProcessor } from './processor.ts';

/** Where the processor's log goes; `console` is one. */
export interface ProcessorLog {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

export interface CreateProcessorOptions {
  /** Default: `console`. */
  readonly log?: ProcessorLog;
  /** Variables that replace settings and hold secrets, as the command takes them from its process. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Folder to which relative paths of the configuration are relative. Default: the working directory. */
  readonly folder?: string;
  /**
   * Reducers of pipelines with `reducer: 'custom'`, by name: what `defineReducer` returns, or for windows a function. Synchronous;
   * where one throws, the record is a dead letter. Default: none.
   */
  readonly reducers?: Readonly<Record<string, DebounceReducer | Reducer>>;
}

export type ProcessorState = 'created' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed';

export interface PartitionReport {
  readonly pipeline: string;
  readonly partition: number;
  /** `running` is what it should be. */
  readonly state: 'created' | 'restoring' | 'running' | 'recovering' | 'draining' | 'stopped' | 'closed';
  /** Reason to wait or to have stopped; undefined if all is well. */
  readonly detail: string | undefined;
  /** The partition's clock, by the log: milliseconds since the epoch. */
  readonly clock: Millis;
  readonly liveSessions: number;
  /** Records behind the end of the input. */
  readonly lag: number | undefined;
}

export interface ProcessorReport {
  readonly state: ProcessorState;
  /** Why it failed. */
  readonly failure: string | undefined;
  /** Every partition assigned to this process runs. */
  readonly isReady: boolean;
  /** `http://host:port` of health, metrics and API; undefined before the start. */
  readonly httpAddress: string | undefined;
  readonly partitions: readonly PartitionReport[];
}

/** One processor: it is started once and stopped once. */
export interface EmbeddedProcessor {
  /** Resolves once it has joined its group. Rejects where it cannot begin: nothing is left running then. */
  start(): Promise<void>;
  /** Commits, flushes, leaves the group, closes. Idempotent; signals are the host's to handle. */
  stop(): Promise<void>;
  /** Resolves after `stop`; rejects with what ended the processor by itself. */
  readonly finished: Promise<void>;
  report(): ProcessorReport;
  /**
   * Returns the states of keys, in their order: from this process's own, else by asking the instance that has the partition. What is
   * answered was committed. Rejects where the processor does not run, or there is no such pipeline.
   */
  lookup(
    pipeline: string,
    keys: readonly (string | Uint8Array)[],
    options?: LookupOptions,
  ): Promise<readonly EntryAnswer[]>;
}

export interface LookupOptions {
  /** `now`: as of all that was acknowledged before the call. Default: as of what has been read. */
  readonly proof?: 'now';
}

/** @throws Error with everything that is wrong with the configuration. Nothing is connected to before `start`. */
export function createProcessor(config: ConfigurationInput, options: CreateProcessorOptions = {}): EmbeddedProcessor {
  const { log = console, environment = {}, folder = process.cwd(), reducers = {} } = options;
  return new Embedded(resolvedFor(config, { environment, folder, reducers, clock: systemClock }), log);
}

interface ResolvedFor extends Required<Pick<CreateProcessorOptions, 'environment' | 'folder' | 'reducers'>> {
  readonly clock: Clock;
}

function resolvedFor(
  config: ConfigurationInput,
  { environment, folder, reducers, clock }: ResolvedFor,
): FlatlineConfig {
  return resolveConfiguration(config, {
    source: 'createProcessor',
    folder,
    environment,
    reducers,
    now: clock.wallMs(),
  });
}

class Embedded implements EmbeddedProcessor {
  readonly #config: FlatlineConfig;
  readonly #log: ProcessorLog;
  readonly finished: Promise<void>;
  #finish: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #running: RunningProcessor | undefined;
  #state: ProcessorState = 'created';
  #failure: string | undefined;

  constructor(config: FlatlineConfig, log: ProcessorLog) {
    this.#config = config;
    this.#log = log;
    this.finished = new Promise((resolve, reject) => {
      this.#finish = { resolve, reject };
    });
    // Where the end is not waited for, the log tells of it.
    this.finished.catch(() => undefined);
  }

  start(): Promise<void> {
    if (this.#stopping !== undefined) return Promise.reject(new Error('this processor was stopped: create another'));
    this.#starting ??= this.#start();
    return this.#starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  report(): ProcessorReport {
    const running = this.#running;
    return {
      state: this.#state,
      failure: this.#failure,
      isReady: this.#state === 'running' && running?.isReady === true,
      httpAddress: running?.httpAddress,
      partitions: (running?.snapshot().tasks ?? []).map(
        ({ pipeline, partition, state, detail, clock, liveEntries, lag }) => ({
          pipeline,
          partition,
          state,
          detail,
          clock,
          liveSessions: liveEntries,
          lag,
        }),
      ),
    };
  }

  async lookup(
    pipeline: string,
    keys: readonly (string | Uint8Array)[],
    { proof }: LookupOptions = {},
  ): Promise<readonly EntryAnswer[]> {
    const running = this.#running;
    if (running === undefined || this.#state !== 'running')
      throw new Error(`the processor is ${this.#state}: keys are looked up while it runs`);
    const bytes = keys.map((key) => (typeof key === 'string' ? Buffer.from(key, 'utf8') : key));
    const answers = await running.ask({ pipeline, keys: bytes, isNow: proof === 'now' });
    if (answers === undefined) throw new Error(`there is no pipeline ${pipeline}`);
    if (typeof answers === 'string') throw new Error(answers);
    return answers;
  }

  async #start(): Promise<void> {
    this.#state = 'starting';
    try {
      // Not before: a configuration that imports its types from here should not load a processor.
      const { startProcessor } = await import('./processor.ts');
      this.#running = await startProcessor(this.#config, { log: this.#log, checksTopics: true });
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#state = 'running';
    this.#running.finished.then(
      () => this.#finish?.resolve(),
      (error: unknown) => {
        this.#fail(error);
      },
    );
  }

  async #stop(): Promise<void> {
    // A failed start has said so, and left nothing behind.
    await this.#starting?.catch(() => undefined);
    if (this.#state === 'failed') return;
    this.#state = 'stopping';
    await this.#running?.stop();
    this.#state = 'stopped';
    this.#finish?.resolve();
  }

  #fail(error: unknown): void {
    this.#state = 'failed';
    this.#failure = messageOf(error);
    this.#finish?.reject(error);
  }
}
