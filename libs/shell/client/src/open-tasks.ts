// Workers of due tasks over connections of their own: where work comes from, and where outcomes go.
import { type Clock, type DurationMs, Misconfigured } from '@flatline/base';
import {
  AcknowledgedWriter,
  type KafkaConnection,
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaTopicAdmin,
  openCluster,
} from '@flatline/kafka';
import type { LogAdmin, LogReader } from '@flatline/ports';
import { hostname } from 'node:os';
import process from 'node:process';
import { type Duration, durationMs } from './check-times.ts';
import { type Leases, type LeasesOptions, openLeases } from './open-leases.ts';
import type { Given } from './group-outputs.ts';
import { type OutputOf, type OutputsOptions, recordedOutputs, type Surroundings } from './open-outputs.ts';
import { endsOf } from './open-summary-consumer.ts';
import { FOR_EVER_MS } from './open-senders.ts';
import { SentSchedules } from './sent-schedules.ts';
import { FinishedTasks } from './finished-tasks.ts';
import { outcomeRecord, type TaskOutcome } from './task-outcome.ts';
import { longestPauseMs, type TaskRetries } from './task-rules.ts';
import { workOff } from './task-worker.ts';
import { leaseIdOf, retryHeaders, retryIdOf, workOfBatch, workOfRun } from './task-works.ts';
import { warn } from './trouble.ts';
import type { Task, Work } from './task.ts';

export interface TasksOptions extends Pick<OutputsOptions, 'group' | 'from' | 'format' | 'signal' | 'onTrouble'> {
  /** The output topic of a schedule pipeline, or one of its targets: its runs are the tasks. Default: none, and there are `batches`. */
  readonly runs?: string;
  /** The output topic of a debounce pipeline: its batches are the tasks. Default: none, and there are `runs`. */
  readonly batches?: string;
  /** Called for one task after another. What it returns is recorded as JSON; what it throws is a failed attempt. */
  readonly handler: (task: Task) => unknown;
  /** The longest that an attempt may take: it has failed then, whatever its handler does. '30s', or milliseconds; default: no limit. */
  readonly timeoutMs?: Duration;
  /**
   * Leases, opened or to be opened, of which each task is worked on under that of `<topic>/<id>`, by one worker at a time. Their
   * pipeline's `onConflict` is `queue` or `reject`. Default: none, and a worker that stands still may not know that another has gone on.
   */
  readonly leases?: Leases | LeasesOptions;
  /** Default: 5 attempts, from 10 seconds to an hour apart, by the worker itself. */
  readonly retries?: TaskRetries;
  /** The topic of outcomes, made where it is not there. Default `<runs>.results`. */
  readonly results?: string;
  /** Name of this worker in outcomes. Default: host and process id. */
  readonly worker?: string;
}

/**
 * Results are read from this long before a worker begins, and the longest pause between two attempts: a position is committed within
 * seconds of the outcome, and a successor begins within a minute of that; an attempt that a worker had asked for before it died comes
 * after its pause, when another has long ended the task.
 */
const RESULTS_BACK_MS: DurationMs = 60_000;
/** Offsets of each partition that are read in any case: a worker's clock may be ahead of the records' by minutes. */
const RESULTS_BACK_MIN = 10_000;

/** Until `signal` or `ending`. @throws Misconfigured, Retriable, PartitionStopped as readers and senders do */
export async function workOffTasks(
  options: TasksOptions,
  { kafka, registry }: Surroundings,
  ending: AbortSignal,
): Promise<void> {
  const { clock } = kafka;
  const topic = topicOf(options);
  const results = resultsOf(options);
  const signal = AbortSignal.any([ending, ...(options.signal === undefined ? [] : [options.signal])]);
  const closing: (() => Promise<void>)[] = [];
  const opened = <T>(value: T, close: (value: T) => Promise<void>): T => {
    closing.unshift(() => close(value));
    return value;
  };
  try {
    const connection = opened(openCluster(kafka), (each) => {
      each.close();
      return Promise.resolve();
    });
    await makeResults(results, topic, { clock, connection });
    const reader = opened(new KafkaLogReader(kafka), (each) => each.close());
    const ends = await endsOf(kafka, results);
    const open = (of: string): Promise<AcknowledgedWriter> =>
      AcknowledgedWriter.open({ clock, connection, deliveryTimeoutMs: FOR_EVER_MS, lingerMs: 0, topic: of });
    const outcomes = opened(await open(results), (each) => each.close());
    const schedules = options.retries?.schedules;
    const later =
      schedules === undefined
        ? undefined
        : opened(new SentSchedules({ clock, topic: schedules, writer: await open(schedules) }), (each) => each.close());
    const leases =
      options.leases === undefined || 'acquire' in options.leases
        ? options.leases
        : opened(await openLeases(options.leases, { kafka, clock, connection, registry }), (each) => each.close());
    await workOver(options, {
      clock,
      outputs: (kind, reading) => recordedOutputs(kind, reading, { kafka, registry }),
      reader,
      admin: new KafkaLogAdmin({ clock, connection }),
      ends,
      outcomes,
      later,
      leases,
      signal,
    });
  } finally {
    // Every outcome is recorded by then: nothing is lost if closing fails.
    for (const close of closing) await close().catch(() => undefined);
  }
}

/** Ports by which a worker works. */
export interface TaskPorts {
  readonly clock: Clock;
  /** Committed outputs of a topic, for a group. */
  readonly outputs: <K extends 'schedule' | 'debounce'>(
    kind: K,
    options: OutputsOptions,
  ) => AsyncIterable<Given<OutputOf<K>>>;
  /** Reads the topic of results. */
  readonly reader: LogReader;
  readonly admin: Pick<LogAdmin, 'ends' | 'offsetAt'>;
  /** Where the topic of results ends now, by partition. */
  readonly ends: readonly { readonly partition: number; readonly end: number }[];
  /** Writes to it. */
  readonly outcomes: Pick<AcknowledgedWriter, 'write'>;
  /** To the topic that `retries.schedules` names; undefined: it names none. */
  readonly later: SentSchedules | undefined;
  readonly leases: Pick<Leases, 'acquire'> | undefined;
  /** Ends the worker. */
  readonly signal: AbortSignal;
}

/** The same over ports, which stay open. */
export async function workOver(options: TasksOptions, ports: TaskPorts): Promise<void> {
  const { handler, timeoutMs, retries, onTrouble = warn, worker = `${hostname()}-${process.pid}` } = options;
  const { clock, outcomes, later, leases, signal } = ports;
  const topic = topicOf(options);
  const known = await knownBy(resultsOf(options), RESULTS_BACK_MS + longestPauseMs(retries), ports);
  await workOff(worksOf(options, ports), {
    clock,
    handler,
    timeoutMs: durationMs(timeoutMs),
    retries,
    leases,
    leaseIdOf: (id) => leaseIdOf(topic, id),
    known,
    onTrouble,
    signal,
    name: worker,
    record: async (outcome: TaskOutcome) => {
      await outcomes.write(outcomeRecord(outcome));
    },
    later: later && ((work, afterMs) => tryLater(later, work, afterMs, topic)),
  });
}

/** One of the two is there. */
function topicOf({ runs, batches }: TasksOptions): string {
  return (runs ?? batches)!;
}

function resultsOf(options: TasksOptions): string {
  return options.results ?? `${topicOf(options)}.results`;
}

interface Parts {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
}

/** A task's last outcome is what its id stands for. @throws Misconfigured where it may not be made */
async function makeResults(results: string, topic: string, parts: Parts): Promise<void> {
  const admin = new KafkaTopicAdmin(parts);
  const [found, ofWork] = await admin.describeTopics([results, topic]);
  if (found?.kind === 'present') return;
  if (ofWork?.kind !== 'present')
    throw new Misconfigured(
      `topic ${topic} does not exist: create it with npx flatline topics create, or correct its name`,
    );
  const settings = { 'cleanup.policy': 'compact' };
  // −1: as many as the brokers make by default (KIP-464).
  await admin.createTopics([{ topic: results, partitions: ofWork.partitions, replicationFactor: -1, settings }]);
}

async function knownBy(
  results: string,
  backMs: DurationMs,
  { clock, reader, admin, ends }: Pick<TaskPorts, 'clock' | 'reader' | 'admin' | 'ends'>,
): Promise<FinishedTasks['known']> {
  const since = clock.wallMs() - backMs;
  const starts = await Promise.all(
    ends.map(async ({ partition, end }) => {
      const place = { topic: results, partition };
      const [start = end, { logStartOffset }] = await Promise.all([admin.offsetAt(place, since), admin.ends(place)]);
      return [partition, Math.max(logStartOffset, Math.min(start, end - RESULTS_BACK_MIN))] as const;
    }),
  );
  const tasks = new FinishedTasks({
    reader,
    topic: results,
    starts: new Map(starts),
    endOf: async (partition) => (await admin.ends({ topic: results, partition })).lastStableOffset,
  });
  return (id, attempt) => tasks.known(id, attempt);
}

async function* worksOf(
  { runs, batches, group, from, format, onTrouble }: TasksOptions,
  { outputs, signal }: Pick<TaskPorts, 'outputs' | 'signal'>,
): AsyncGenerator<Work, void> {
  const reading = {
    group,
    signal,
    ...(from && { from }),
    ...(format && { format }),
    ...(onTrouble && { onTrouble }),
  };
  if (batches !== undefined)
    for await (const { output, raw } of outputs('debounce', { ...reading, topic: batches }))
      yield workOfBatch(output, raw);
  else
    for await (const { output, raw } of outputs('schedule', { ...reading, topic: runs! }))
      yield workOfRun(runs!, output, raw);
}

async function tryLater(schedules: SentSchedules, work: Work, afterMs: DurationMs, target: string): Promise<void> {
  const { key, value } = work;
  const record = { key, value, headers: retryHeaders(work) };
  await schedules.addRecord(record, { delay: afterMs, id: retryIdOf(target, work), target });
}
