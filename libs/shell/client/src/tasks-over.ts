// Workers of due tasks over ports: where their work comes from, what is known of it, and how it is tried again.
import type { Clock, DurationMs } from '@flatline/base';
import type { AcknowledgedWriter } from '@flatline/kafka';
import type { LogAdmin, LogReader } from '@flatline/ports';
import { hostname } from 'node:os';
import process from 'node:process';
import { durationMs } from './check-times.ts';
import { FinishedTasks } from './finished-tasks.ts';
import type { Given } from './group-outputs.ts';
import type { Leases } from './open-leases.ts';
import type { OutputOf, OutputsOptions } from './open-outputs.ts';
import type { SentSchedules } from './sent-schedules.ts';
import { outcomeRecord, type TaskOutcome } from './task-outcome.ts';
import { longestPauseMs } from './task-rules.ts';
import { workOff } from './task-worker.ts';
import { leaseIdOf, retryHeaders, retryIdOf, workOfBatch, workOfRun } from './task-works.ts';
import type { Work } from './task.ts';
import { resultsOf, type TasksOptions, topicOf } from './tasks-options.ts';
import { warn } from './trouble.ts';

/**
 * Results are read from this long before a worker begins, and the longest pause between two attempts: a position is committed within
 * seconds of the outcome, and a successor begins within a minute of that; an attempt that a worker had asked for before it died comes
 * after its pause, when another has long ended the task.
 */
const RESULTS_BACK_MS: DurationMs = 60_000;
/** Offsets of each partition that are read in any case: a worker's clock may be ahead of the records' by minutes. */
const RESULTS_BACK_MIN = 10_000;

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

/** Until `signal`. The ports stay open. @throws Misconfigured, Retriable, PartitionStopped as readers and senders do */
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
