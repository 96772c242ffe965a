// The calls that read outputs for a group, one for each kind, with a handler or without.
import { checkCall, checkFunction } from './known-options.ts';
import {
  type Batch,
  type CompletedSession,
  handleOutputs,
  type Handling,
  type KindOptions,
  type LeaseOutput,
  type OutputOf,
  outputs,
  type OutputsOptions,
  type Run,
  type RunsOptions,
  type SessionsOutputsOptions,
  type Surroundings,
} from './open-outputs.ts';
import type { RecordsByKind } from './output-kinds.ts';

type Kind = keyof RecordsByKind;

/**
 * Committed outputs, shared by a group of consumers: committed after they were handled, which an output is when the next one is
 * asked for, or `signal` ends the loop. Leaving the loop otherwise gives the last one again, to whoever goes on. One output of
 * each partition is under way at a time. What reads by a `handler` calls it again where it fails, and resolves once `signal` or
 * the client's `close` has ended it. The iteration throws, and the promise rejects, where the topic does not exist or holds
 * something else.
 */
export interface OutputReaders {
  /** Outputs of a pipeline of any kind. */
  outputs<K extends Kind>(options: KindOptions & { readonly kind: K }): AsyncIterableIterator<OutputOf<K>>;
  handleOutputs<K extends Kind>(options: KindOptions & { readonly kind: K } & Handling<OutputOf<K>>): Promise<void>;
  /** Sessions that have closed, or are in one of the `states` asked for: the kind `session`. */
  summaries(options: SessionsOutputsOptions): AsyncIterableIterator<CompletedSession>;
  handleSummaries(options: SessionsOutputsOptions & Handling<CompletedSession>): Promise<void>;
  /** `handleSummaries` by a short name. */
  onClosed(options: ClosedOptions, handler: (session: CompletedSession) => unknown): Promise<void>;
  /** The same as `summaries`. */
  completedSessions(options: OutputsOptions): AsyncIterableIterator<CompletedSession>;
  handleCompletedSessions(options: OutputsOptions & Handling<CompletedSession>): Promise<void>;
  /** Outcomes of leases and of requests for them: the kind `lease`. */
  leaseEvents(options: OutputsOptions): AsyncIterableIterator<LeaseOutput>;
  handleLeaseEvents(options: OutputsOptions & Handling<LeaseOutput>): Promise<void>;
  /** Windows that have fired: the kind `debounce`. */
  batches(options: OutputsOptions): AsyncIterableIterator<Batch>;
  handleBatches(options: OutputsOptions & Handling<Batch>): Promise<void>;
  /** Messages whose time has come: the kind `schedule`, its output or a topic of its `targets`. */
  runs(options: RunsOptions): AsyncIterableIterator<Run>;
  handleRuns(options: RunsOptions & Handling<Run>): Promise<void>;
}

/** Parts of the client that a reading needs while it lasts. */
export interface ReadingClient {
  readonly surroundings: Surroundings;
  /** Aborted when the client closes. */
  readonly ending: AbortSignal;
  /** @throws Error where the client is closed. */
  checkOpen(): void;
  /** Marks the client in use until the returned function is called. */
  begin(): () => void;
}

/** As `handleSummaries` takes them, but for the handler. */
export type ClosedOptions = OutputsOptions & Omit<Handling<CompletedSession>, 'handler'>;

type Call = Exclude<keyof OutputReaders, 'outputs' | 'handleOutputs' | 'onClosed'>;

export function outputReaders(client: ReadingClient): OutputReaders {
  const read =
    <K extends Kind>(kind: K, call: Call) =>
    (options: KindOptions): AsyncIterableIterator<OutputOf<K>> =>
      iterate(client, kind, checked(client, call, options));
  const handle =
    <K extends Kind>(kind: K, call: Call) =>
    async (options: KindOptions & Handling<OutputOf<K>>): Promise<void> => {
      await handleAll(client, kind, checkedHandling(client, call, options));
    };
  return {
    outputs: (options) => iterate(client, checked(client, 'outputs', options).kind, options),
    handleOutputs: async (options) => {
      await handleAll(client, checkedHandling(client, 'handleOutputs', options).kind, options);
    },
    summaries: read('session', 'summaries'),
    handleSummaries: handle('session', 'handleSummaries'),
    onClosed: async (options, handler) => {
      checkFunction('onClosed', 'the handler', handler);
      await handleAll(client, 'session', { ...checked(client, 'onClosed', options), handler });
    },
    completedSessions: read('session', 'completedSessions'),
    handleCompletedSessions: handle('session', 'handleCompletedSessions'),
    leaseEvents: read('lease', 'leaseEvents'),
    handleLeaseEvents: handle('lease', 'handleLeaseEvents'),
    batches: read('debounce', 'batches'),
    handleBatches: handle('debounce', 'handleBatches'),
    runs: read('schedule', 'runs'),
    handleRuns: handle('schedule', 'handleRuns'),
  };
}

/** @throws TypeError, or Error where the client is closed. */
function checked<Options>(client: ReadingClient, call: keyof OutputReaders, options: Options): Options {
  client.checkOpen();
  // Without a group `summaries` takes other options.
  if (call === 'summaries') checkCall('summariesOfGroup', options, call);
  else checkCall(call, options);
  return options;
}

/** @throws as `checked` does. */
function checkedHandling<Options extends { readonly topic: string; readonly deadLetterTopic?: string }>(
  client: ReadingClient,
  call: keyof OutputReaders,
  options: Options,
): Options {
  const { topic, deadLetterTopic } = checked(client, call, options);
  if (deadLetterTopic === topic)
    throw new TypeError(
      `${call}: deadLetterTopic is "${topic}", the topic that is read: give another, or what fails is read again for ever`,
    );
  return options;
}

async function* iterate<K extends Kind>(
  client: ReadingClient,
  kind: K,
  options: KindOptions,
): AsyncGenerator<OutputOf<K>, void> {
  const done = client.begin();
  try {
    yield* outputs(kind, endedBy(client, options), client.surroundings);
  } finally {
    done();
  }
}

async function handleAll<K extends Kind>(
  client: ReadingClient,
  kind: K,
  options: KindOptions & Handling<OutputOf<K>>,
): Promise<void> {
  const done = client.begin();
  try {
    await handleOutputs(kind, endedBy(client, options), client.surroundings);
  } finally {
    done();
  }
}

function endedBy<Options extends OutputsOptions>({ ending }: ReadingClient, options: Options): Options {
  const { signal } = options;
  return { ...options, signal: AbortSignal.any([ending, ...(signal === undefined ? [] : [signal])]) };
}
