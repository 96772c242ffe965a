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
import type { RecordHeader } from '@flatline/ports';
import { hostname } from 'node:os';
import process from 'node:process';
import { type Leases, type LeasesOptions, openLeases } from './open-leases.ts';
import { type OutputsOptions, recordedOutputs, type Surroundings } from './open-outputs.ts';
import { endsOf } from './open-summary-consumer.ts';
import { FOR_EVER_MS } from './open-senders.ts';
import { SentSchedules } from './sent-schedules.ts';
import { SettledTasks } from './settled-tasks.ts';
import { outcomeRecord, type TaskOutcome } from './task-outcome.ts';
import type { TaskRetries } from './task-rules.ts';
import { workOff } from './task-worker.ts';
import type { Task, Work } from './task.ts';

export interface TasksOptions extends Pick<OutputsOptions, 'group' | 'from' | 'format' | 'signal' | 'onTrouble'> {
  /** The output topic of a schedule pipeline, or one of its targets: its runs are the tasks. Default: none, and there are `batches`. */
  readonly runs?: string;
  /** The output topic of a debounce pipeline: its batches are the tasks. Default: none, and there are `runs`. */
  readonly batches?: string;
  /** Called for one task after another. What it returns is recorded as JSON; what it throws is a failed attempt. */
  readonly handler: (task: Task) => unknown;
  /** The longest that an attempt may take: it has failed then, whatever its handler does. In milliseconds; default: no limit. */
  readonly timeoutMs?: DurationMs;
  /**
   * Leases, opened or to be opened, of which each task is worked on under that of its id, by one worker at a time. Default: none, and
   * a worker that stands still may not know that another has gone on.
   */
  readonly leases?: Leases | LeasesOptions;
  /** Default: 5 attempts, from 10 seconds to an hour apart, by the worker itself. */
  readonly retries?: TaskRetries;
  /** The topic of outcomes, made where it is not there. Default `<runs>.results`. */
  readonly results?: string;
  /** Name of this worker in outcomes. Default: host and process id. */
  readonly worker?: string;
}

/** Headers of what is tried again, by which it is the same task. */
const ID_HEADER = 'task-id';
const ATTEMPT_HEADER = 'task-attempt';
const DUE_HEADER = 'task-due-at';
const OWN: readonly string[] = [ID_HEADER, ATTEMPT_HEADER, DUE_HEADER];
const text = new TextDecoder();

/** Until `signal` or `ending`. @throws Misconfigured, Retriable, PartitionStopped as readers and senders do */
export async function workOffTasks(
  options: TasksOptions,
  { kafka, registry }: Surroundings,
  ending: AbortSignal,
): Promise<void> {
  const { handler, timeoutMs, retries, worker = `${hostname()}-${process.pid}` } = options;
  const { clock } = kafka;
  const topic = (options.runs ?? options.batches)!;
  const results = options.results ?? `${topic}.results`;
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
    const settled = opened(new KafkaLogReader(kafka), (each) => each.close());
    const isSettled = settledBy(results, await endsOf(kafka, results), settled, { clock, connection });
    const named = { clock, connection, deliveryTimeoutMs: FOR_EVER_MS, lingerMs: 0 };
    const outcomes = opened(await AcknowledgedWriter.open({ ...named, topic: results }), (each) => each.close());
    const later =
      retries?.schedules === undefined
        ? undefined
        : opened(
            new SentSchedules({
              clock,
              topic: retries.schedules,
              writer: await AcknowledgedWriter.open({ ...named, topic: retries.schedules }),
            }),
            (each) => each.close(),
          );
    const leases =
      options.leases === undefined || 'acquire' in options.leases
        ? options.leases
        : opened(await openLeases(options.leases, { kafka, clock, connection, registry }), (each) => each.close());
    await workOff(worksOf(options, { kafka, registry }, signal), {
      clock,
      handler,
      timeoutMs,
      retries,
      leases,
      isSettled,
      signal,
      name: worker,
      record: async (outcome: TaskOutcome) => {
        await outcomes.write(outcomeRecord(outcome));
      },
      later: later && ((work, afterMs) => tryLater(later, work, afterMs, topic)),
    });
  } finally {
    // Each outcome was recorded before: nothing is lost with what cannot be closed any more.
    for (const close of closing) await close().catch(() => undefined);
  }
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

type Ends = Awaited<ReturnType<typeof endsOf>>;

function settledBy(
  results: string,
  ends: Ends,
  reader: KafkaLogReader,
  parts: Parts,
): (id: string) => Promise<boolean> {
  const admin = new KafkaLogAdmin(parts);
  const tasks = new SettledTasks({
    reader,
    topic: results,
    starts: new Map(ends.map(({ partition, end }) => [partition, end])),
    endOf: async (partition) => (await admin.ends({ topic: results, partition })).lastStableOffset,
  });
  return (id) => tasks.isSettled(id);
}

async function* worksOf(
  options: TasksOptions,
  surroundings: Surroundings,
  signal: AbortSignal,
): AsyncGenerator<Work, void> {
  const { runs, batches, group, from, format, onTrouble } = options;
  const reading = {
    group,
    signal,
    ...(from && { from }),
    ...(format && { format }),
    ...(onTrouble && { onTrouble }),
  };
  if (batches !== undefined) {
    for await (const { output, raw } of recordedOutputs('debounce', { ...reading, topic: batches }, surroundings)) {
      const { id, key, keyText, batch } = output;
      const value = raw.value ?? new Uint8Array(0);
      yield { id, key, keyText, value, headers: [], dueAt: undefined, attempt: 1, batch };
    }
    return;
  }
  for await (const { output } of recordedOutputs('schedule', { ...reading, topic: runs! }, surroundings)) {
    const { id, key, keyText, run } = output;
    const said = new Map(run.headers.map(({ name, value }) => [name, value === null ? '' : text.decode(value)]));
    const dueAt = wholeIn(said.get(DUE_HEADER)) ?? run.dueAt;
    const headers = run.headers.filter(({ name }) => !OWN.includes(name));
    const named = { id: said.get(ID_HEADER) ?? id, attempt: wholeIn(said.get(ATTEMPT_HEADER)) ?? 1 };
    yield { ...named, key, keyText, value: run.value, headers, dueAt, batch: undefined };
  }
}

/** undefined: it is no whole number from 1 on. */
function wholeIn(said: string | undefined): number | undefined {
  const value = Number(said ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** Under an id of the attempt's own: what was asked for twice, after a crash, comes once. */
async function tryLater(schedules: SentSchedules, work: Work, afterMs: DurationMs, target: string): Promise<void> {
  const { id, key, value, headers, attempt, dueAt } = work;
  const own = { [ID_HEADER]: id, [ATTEMPT_HEADER]: String(attempt), [DUE_HEADER]: String(dueAt ?? 0) };
  await schedules.add(key, value, {
    delay: afterMs,
    id: `${id}/${attempt}`,
    target,
    headers: new Map<string, string | Uint8Array>([...headers.map(headerOf), ...Object.entries(own)]),
  });
}

function headerOf({ name, value }: RecordHeader): [string, Uint8Array] {
  return [name, value ?? new Uint8Array(0)];
}
