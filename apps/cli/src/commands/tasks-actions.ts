// Looks at what workers have recorded of tasks.
import { count } from '@flatline/base';
import { outcomeIn, type Standing, standingAfter, type TaskOutcome, type TaskState } from '@flatline/client/parts';
import type { FlatlineConfig } from '@flatline/config';
import { KafkaLogScan } from '@flatline/kafka';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore } from '../failure.ts';
import { pipelineNamed, pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { tableOf } from '../terminal/table.ts';
import { requireTopic } from '../topics/require-topic.ts';

interface TaskFlags extends ConfigurationFlags {
  readonly results?: string;
  readonly pipeline?: string;
  readonly json?: boolean;
}

export interface ListFlags extends TaskFlags {
  readonly state?: TaskState;
  readonly key?: string;
  readonly limit: number;
}

export interface GetFlags extends TaskFlags {
  readonly id: string;
}

/** Tasks that are held at a time: of more the oldest are only counted, the first time that they come. */
const HELD_MAX = 1_000_000;

export async function runList(flags: ListFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { state, key, limit } = flags;
  const last = new Map<string, Standing<TaskOutcome>>();
  for await (const outcome of outcomes(flags, shell)) {
    const former = last.get(outcome.id);
    const standing = standingAfter(former, outcome);
    if (standing === former) continue;
    last.delete(outcome.id);
    last.set(outcome.id, standing);
    if (last.size > HELD_MAX) last.delete(last.keys().next().value!);
  }
  const counted: Record<TaskState, number> = { DONE: 0, FAILED: 0, POISON: 0 };
  const standing = [...last.values()].map(({ outcome }) => outcome);
  for (const each of standing) counted[each.state] += 1;
  const asked = standing
    .filter((each) => (state ?? each.state) === each.state && (key ?? each.key) === each.key)
    .toSorted((a, b) => a.finishedAt - b.finishedAt);
  const table = tableOf<TaskOutcome>(
    [
      { name: 'finished (UTC)', width: 19, text: ({ finishedAt }) => time(finishedAt) },
      { name: 'state', width: 6, text: ({ state: of }) => of },
      { name: 'attempt', width: 7, text: ({ attempt }) => String(attempt) },
      { name: 'took', width: 9, text: ({ tookMs }) => `${tookMs} ms` },
      { name: 'id', width: 24, least: 12, text: ({ id }) => printable(id) },
      { name: 'key', width: 24, least: 8, text: ({ key: of }) => printable(of) },
      { name: 'outcome', width: 40, least: 12, spare: 1, text: (each) => printable(saidOf(each)) },
    ],
    console.width,
  );
  console.heading(table.heading);
  for (const each of limit === 0 ? [] : asked.slice(-limit))
    console.result({ kind: 'task', ...each }, table.line(each));
  const { DONE: done, FAILED: failed, POISON: poison } = counted;
  console.result(
    { kind: 'summary', done, failed, poison, limit },
    console.colors.dim(`${count(done)} done, ${count(failed)} tried again, ${count(poison)} poison`),
  );
  return ExitCode.ok;
}

export async function runGet(flags: GetFlags, console: Console, shell: Shell): Promise<ExitCode> {
  let standing: Standing<TaskOutcome> | undefined;
  for await (const outcome of outcomes(flags, shell))
    if (outcome.id === flags.id) standing = standingAfter(standing, outcome);
  if (standing === undefined) {
    console.note(`nothing is recorded of ${flags.id}: it is not due, waits, is worked on, or there is none`);
    return ExitCode.failedCheck;
  }
  const { outcome: found } = standing;
  const rows = Object.entries(found).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name.padEnd(14)}${printable(name.endsWith('At') ? time(value as number) : text)}`;
  });
  console.result({ kind: 'task', ...found }, rows.join('\n'));
  return ExitCode.ok;
}

/** In the order of each partition, as of when it is asked. */
async function* outcomes(flags: TaskFlags, shell: Shell): AsyncGenerator<TaskOutcome> {
  const { clock, stop } = shell;
  const config = await configurationOf(shell, flags, ['kafka']);
  const topic = flags.results ?? resultsOf(config, flags.pipeline);
  const connection = await connect(kafkaOf(config, clock), stop);
  try {
    const { partitions } = await requireTopic(connection, clock, topic);
    const scan = new KafkaLogScan({ clock, connection });
    for (let partition = 0; partition < partitions; partition += 1) {
      const { logStartOffset, lastStableOffset } = await scan.bounds({ topic, partition });
      for (let position = logStartOffset; position < lastStableOffset;) {
        if (stop.signal.aborted) throw interruptedBefore('the topic was read');
        const { cursor, nextOffset } = await scan.read({ topic, partition }, position);
        while (cursor.next()) {
          const { bytes, valueStart, valueLength } = cursor;
          const outcome = valueLength < 0 ? undefined : outcomeIn(bytes.subarray(valueStart, valueStart + valueLength));
          if (outcome !== undefined) yield outcome;
        }
        position = nextOffset;
      }
    }
  } finally {
    connection.close();
  }
}

function resultsOf(config: FlatlineConfig, name: string | undefined): string {
  const pipeline = name === undefined ? pipelineOfKind(config, 'schedule', undefined) : pipelineNamed(config, name);
  return `${pipeline.output.topic}.results`;
}

function saidOf({ state, result, error }: TaskOutcome): string {
  return state === 'DONE' ? JSON.stringify(result ?? null) : (error ?? '');
}

function time(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(0, 19).replace('T', ' ') : String(at);
}
