// Writes outputs into PostgreSQL until it is stopped, and says now and then how far it has come.
import { count, counted, type DurationMs } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { creation, KIND_TABLES, runSink, type SinkProgress, tableNameIn } from '@flatline/sink';
import { hostname } from 'node:os';
import process from 'node:process';
import { clusterOf, connect } from '../cluster.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineNamed } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';

export interface SinkFlags extends ConfigurationFlags {
  readonly database?: string;
  readonly table?: string;
  readonly create?: boolean;
  readonly printDdl?: boolean;
  readonly pipeline?: string;
  readonly topic?: string;
  readonly group?: string;
  readonly batchBytes?: number;
  readonly follow: boolean;
  readonly json?: boolean;
}

const SAY_EVERY_MS: DurationMs = 10_000;

export async function runSinkCommand(flags: SinkFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { kafka, registry, config } = await clusterOf(shell, flags, ['kafka', 'schemaRegistry']);
  if (config === undefined) throw usageFailure('which outputs? Give --config with the configuration file');
  const { clock, stop, env } = shell;
  const pipeline = pipelineNamed(config, flags.pipeline);
  const name = tableNameIn(flags.table ?? tableOf(pipeline), flags.table === undefined ? 'the pipeline' : '--table');
  if (flags.printDdl === true) {
    const ddl = creation(name, KIND_TABLES[pipeline.kind]);
    console.result({ ddl }, ddl);
    return ExitCode.ok;
  }
  checkDatabase(flags, env);
  const topic = flags.topic ?? pipeline.output.topic;
  const { sessionTimeoutMs, heartbeatIntervalMs } = config.kafka;
  (await connect(kafka, stop)).close();
  const startedAtMs = clock.monotonicMs();
  let saidAtMs = startedAtMs;
  const where = `table ${name.schema}.${name.table}`;
  console.note(`Writing ${KIND_TABLES[pipeline.kind].rows} of topic ${topic} into ${where}; Ctrl-C ends.`);
  const progress = await runSink({
    kafka,
    registry,
    kind: pipeline.kind,
    format: pipeline.output.format,
    topic,
    group: flags.group ?? groupOf(config, pipeline, name.table),
    membership: { sessionTimeoutMs, heartbeatIntervalMs },
    database: flags.database,
    name,
    create: flags.create === true,
    writer: `${hostname()}:${process.pid}`,
    bytesMax: flags.batchBytes,
    untilEnd: !flags.follow,
    signal: stop.signal,
    onNote: (note) => {
      console.note(note);
    },
    onProgress: (at) => {
      const now = clock.monotonicMs();
      if (now - saidAtMs < SAY_EVERY_MS) return;
      saidAtMs = now;
      say(console, at, now - startedAtMs);
    },
  });
  say(console, progress, clock.monotonicMs() - startedAtMs);
  return ExitCode.ok;
}

function say(console: Console, at: SinkProgress, elapsedMs: DurationMs): void {
  const { records, rows, repeated, unreadable } = at;
  const seconds = Math.max(1, elapsedMs) / 1_000;
  const parts = [
    `${counted(rows, 'row')} written (${count(Math.round(rows / seconds))}/s)`,
    `${counted(records, 'record')} read`,
    ...(repeated === 0 ? [] : [`${count(repeated)} there already`]),
    ...(unreadable === 0 ? [] : [`${count(unreadable)} passed over`]),
  ];
  console.result({ ...at, elapsedMs: Math.round(elapsedMs) }, parts.join(', '));
}

/** As a name of a table takes it: a pipeline's has the same letters, and hyphens and dots. */
function tableOf({ name }: PipelineConfig): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
}

function groupOf({ application }: FlatlineConfig, { name }: PipelineConfig, table: string): string {
  return `${application}.${name}.sink.${table}`;
}

/** libpq's variables, any of which says that a database is meant. */
function checkDatabase({ database }: SinkFlags, env: Shell['env']): void {
  const isNamed = ['PGHOST', 'PGDATABASE', 'PGUSER'].some((name) => (env[name] ?? '') !== '');
  if (database === undefined && !isNamed)
    throw usageFailure(
      'which database? Give --database postgresql://user@host:5432/name, or set PGHOST and PGDATABASE',
    );
  if (database !== undefined && !/^(postgres(ql)?|socket):/i.test(database))
    throw usageFailure(
      '--database: it must begin with postgresql://, for example postgresql://flatline@127.0.0.1:5432/shop',
    );
}
