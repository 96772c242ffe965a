// Outputs of any kind for a group of consumers, over connections of their own.
import type { Clock, DurationMs, Retriable } from '@flatline/base';
import {
  type ConnectionEvent,
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaMembership,
  type KafkaOptions,
  openCluster,
} from '@flatline/kafka';
import type { LogAdmin, LogReader } from '@flatline/ports';
import type { SessionState } from '@flatline/ports/formats';
import type { SchemaRegistry } from '@flatline/records';
import { type Given, type GroupMembership, GroupOutputs } from './group-outputs.ts';
import { handleEach, type Retries } from './handled-outputs.ts';
import { type OutputKind, outputKinds, type RecordsByKind, type SummaryView } from './output-kinds.ts';
import { openLetters } from './output-letters.ts';
import type { RawOutput, ReceiptRecord, UnreadableRecord } from './output-record.ts';
import { WaitingSummaries } from './waiting-summaries.ts';
import { ConnectionTroubles, goesOnAt, RegistryTroubles, type Trouble, UnreadableTroubles, warn } from './trouble.ts';

export interface OutputsOptions {
  /** The output topic of a pipeline, or of schedules one of its targets. */
  readonly topic: string;
  /** Consumers of one group share the partitions, and go on where the group stands. */
  readonly group: string;
  /** Where a group begins that stands nowhere yet. Default `beginning`. */
  readonly from?: 'beginning' | 'end';
  /** How the topic is written. Default `auto`: told apart by the first byte. Runs are given as they were sent, whatever it says. */
  readonly format?: 'auto' | 'json' | 'avro';
  /** How long a handled output may wait for its position to be committed. In milliseconds; default 1 000. */
  readonly commitIntervalMs?: DurationMs;
  /** Ends the iteration; the output that was given last counts as handled then. Default: none. */
  readonly signal?: AbortSignal;
  /**
   * Told of records that are none of the kind's outputs, or whose schema the registry has not known for ten minutes; they are
   * passed over. Default: `onTrouble` is told of some, and an unknown schema ends the reading.
   */
  readonly onUnreadable?: (record: UnreadableRecord) => void;
  /** Told of what is in the way and does not end it. Default: a warning of the process (`process.emitWarning`). */
  readonly onTrouble?: (trouble: Trouble) => void;
}

export interface SessionsOutputsOptions extends OutputsOptions {
  /**
   * Which records of sessions are given, by their `state`, in the order of the topic. `OPENED` and `UPDATED` come only where the
   * pipeline's `emit` says so. Default: `['CLOSED']`.
   */
  readonly states?: readonly SessionState[];
  /**
   * Which summaries of a session that has closed are given, where it may be revised (`revisionWindowMs`): the `first`, `all`, each
   * with a `revision` one higher, or the last one once it is `final`. Final ones wait in memory for their tombstones, up to 256 MiB,
   * and the group's position with them: after a crash all that was final since the oldest is given again. Default: `all`.
   */
  readonly view?: SummaryView;
}

export interface RunsOptions extends OutputsOptions {
  /** Told of receipts, which are no runs. Default: none. */
  readonly onReceipt?: (record: ReceiptRecord) => void;
}

/** Options of a reading of any kind: the kind's own mean nothing to another. */
export type KindOptions = RunsOptions & SessionsOutputsOptions;

/** Name of an output. */
export interface Named {
  /**
   * The same output is given again after a crash or a rebalance, under the same id: of a session `<incarnation>/<revision>`, while
   * it lives `<incarnation>/<state>/<offset of its last record>`, of a batch `<windowId>/<reason>/<part>`, of a run `<schedule>/<number>`, of a lease its place on the topic, `<partition>-<offset>`.
   */
  readonly id: string;
  /** The record's key, and the same as text: what is no UTF-8 shows as U+FFFD. */
  readonly key: Uint8Array;
  readonly keyText: string;
}

/** A committed output, by the kind of its pipeline. */
export type OutputOf<Kind extends keyof RecordsByKind> = RecordsByKind[Kind] & Named;

/** A session that has closed, or is in one of the `states` asked for, once the transaction that says so was committed. */
export type CompletedSession = OutputOf<'session'>;
/** Outcome of a lease, or of a request for one. */
export type LeaseOutput = OutputOf<'lease'>;
/** A window of items that has fired, or a part of it. */
export type Batch = OutputOf<'debounce'>;
/** A message whose time has come. */
export type Run = OutputOf<'schedule'>;

/** Options for the handling of outputs. */
export interface Handling<Output> {
  /** Called for one output after another, and again where it throws or rejects. */
  readonly handler: (output: Output) => unknown;
  /** Default: 5 attempts, with pauses from 100 milliseconds to 10 000. */
  readonly retries?: Retries;
  /**
   * A topic for outputs that no attempt has managed: the record as it was, with one more header, `flatline-error`, of at most
   * 1 024 bytes. It may be read as the output topic is, which it must not be. Default: none, and the handler's last error ends the
   * handling.
   */
  readonly deadLetterTopic?: string;
}

export interface Surroundings {
  readonly kafka: KafkaOptions;
  readonly registry: SchemaRegistry | undefined;
}

type Kind = keyof RecordsByKind;

const COMMIT_INTERVAL_MS: DurationMs = 1_000;
const text = new TextDecoder('utf-8', { ignoreBOM: true });

export function outputs<K extends Kind>(
  kind: K,
  options: KindOptions,
  surroundings: Surroundings,
): AsyncGenerator<OutputOf<K>, void> {
  return given(kind, options, surroundings, ({ output }) => output);
}

/** The same, each with its record as it lies on the topic. */
export function recordedOutputs<K extends Kind>(
  kind: K,
  options: KindOptions,
  surroundings: Surroundings,
): AsyncGenerator<Given<OutputOf<K>>, void> {
  return given(kind, options, surroundings, whole);
}

export async function handleOutputs<K extends Kind>(
  kind: K,
  options: KindOptions & Handling<OutputOf<K>>,
  surroundings: Surroundings,
): Promise<void> {
  const { handler, retries, deadLetterTopic, signal } = options;
  const { clock } = surroundings.kafka;
  const letters = deadLetterTopic === undefined ? undefined : await openLetters(deadLetterTopic, surroundings.kafka);
  try {
    await handleEach(recordedOutputs(kind, options, surroundings), {
      clock,
      handler: ({ output }) => handler(output),
      retries,
      deadLetter: letters && (({ raw }, why) => letters.write(raw, why)),
      signal,
    });
  } finally {
    await letters?.close();
  }
}

const whole = <T>(given: T): T => given;

/** `pick`: what of them is given. */
function given<K extends Kind, Picked>(
  name: K,
  options: KindOptions,
  surroundings: Surroundings,
  pick: (given: Given<OutputOf<K>>) => Picked,
): AsyncGenerator<Picked, void> {
  return outputsOver(name, options, () => openOutputPorts(options, surroundings), pick);
}

/** Ports by which a member of a group reads outputs. */
export interface OutputPorts {
  readonly clock: Clock;
  readonly reader: LogReader;
  readonly admin: Pick<LogAdmin, 'ends' | 'committedOffset'>;
  readonly membership: GroupMembership;
  readonly registry: SchemaRegistry | undefined;
  /** Called once the iteration is over. */
  close(): Promise<void>;
}

function openOutputPorts(
  { topic, group, onTrouble = warn }: OutputsOptions,
  { kafka: connecting, registry }: Surroundings,
): OutputPorts {
  const { clock } = connecting;
  const troubles = new ConnectionTroubles();
  const onConnection = (event: ConnectionEvent): void => {
    const trouble = troubles.hear(event, clock.monotonicMs());
    if (trouble !== undefined) onTrouble(trouble);
  };
  const kafka = { ...connecting, onConnection };
  const connection = openCluster(kafka);
  const reader = new KafkaLogReader(kafka);
  const membership = new KafkaMembership({
    clock,
    connection: openCluster(kafka),
    group,
    topics: [topic],
    name: kafka.clientId,
    localCheckpoints: () => Promise.resolve([]),
  });
  return {
    clock,
    reader,
    admin: new KafkaLogAdmin({ clock, connection }),
    membership,
    registry,
    close: async () => {
      connection.close();
      await reader.close();
    },
  };
}

/** `open` is called once the iteration begins. A generator around this one would cost as much as a record. */
export async function* outputsOver<K extends Kind, Picked>(
  name: K,
  options: KindOptions,
  open: () => OutputPorts,
  pick: (given: Given<OutputOf<K>>) => Picked,
): AsyncGenerator<Picked, void> {
  const { topic, group, format = 'auto', commitIntervalMs = COMMIT_INTERVAL_MS, onTrouble = warn } = options;
  const ports = open();
  const { clock, reader, admin, membership, registry } = ports;
  const startOf = async (partition: number): Promise<number> => {
    const { logStartOffset, lastStableOffset } = await admin.ends({ topic, partition });
    const committed = await admin.committedOffset(group, { topic, partition });
    const ends = { logStartOffset, lastStableOffset, committed: committed?.offset };
    const { offset, gap } = goesOnAt({ topic, group, partition, from: options.from ?? 'beginning', ...ends });
    if (gap !== undefined) onTrouble(gap);
    return offset;
  };
  const logStartOf = async (partition: number): Promise<number> =>
    (await admin.ends({ topic, partition })).logStartOffset;
  const unread = new UnreadableTroubles();
  const onPassedOver = (record: UnreadableRecord): void => {
    const trouble = unread.hear(topic, record, clock.monotonicMs());
    if (trouble !== undefined) onTrouble(trouble);
  };
  const away = new RegistryTroubles();
  const onDelayed = ({ message }: Retriable): void => {
    const trouble = away.hear(message, clock.monotonicMs());
    if (trouble !== undefined) onTrouble(trouble);
  };
  const { signal, onUnreadable, onReceipt } = options;
  const telling = { onUnreadable, onPassedOver, onReceipt, onDelayed };
  const kind: OutputKind<RecordsByKind[K]> = outputKinds({ format, registry, clock }, options)[name];
  const waiting = options.view === 'final' ? new WaitingSummaries<Given<RecordsByKind[K]>>(topic) : undefined;
  const parts = {
    clock,
    topic,
    reader,
    kind,
    membership,
    waiting,
    startOf,
    logStartOf,
    commitIntervalMs,
    signal,
    ...telling,
  };
  try {
    for await (const { output, raw } of new GroupOutputs(parts).iterate())
      yield pick({ output: { ...output, ...nameOf(kind.idOf(output), raw) }, raw });
  } finally {
    await ports.close();
  }
}

function nameOf(id: string, { key }: RawOutput): Named {
  // No output is without one.
  const bytes = key ?? new Uint8Array(0);
  return { id, key: bytes, keyText: text.decode(bytes) };
}
