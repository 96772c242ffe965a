import { type Clock, count, counted, Fatal, type Millis } from '@flatline/base';
import {
  type AdminOptions,
  BatchProducer,
  type KafkaConnection,
  KafkaLogAdmin,
  KafkaProofWriter,
  type TopicDescription,
} from '@flatline/kafka';
import { statSync } from 'node:fs';
import { clusterOf, connect } from '../cluster.ts';
import { type ConfigurationFlags, typedFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { type CommandFailure, usageFailure } from '../failure.ts';
import type { ImportValue } from '../importing/event-value.ts';
import { placeOfRecord } from '../importing/earlier-import.ts';
import {
  type FileImport,
  type ImportedRecord,
  produceFile,
  type SurveyedFile,
  surveyFile,
} from '../importing/file-import.ts';
import type { FileSurvey } from '../importing/file-survey.ts';
import { hindranceOf } from '../importing/retention.ts';
import type { ImportFormat } from '../importing/source-file.ts';
import { spool, type Spooled } from '../importing/spool.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { requireTopic } from '../topics/require-topic.ts';
import { ProgressDisplay } from '../terminal/progress-display.ts';
import { duration, ratePerSecond } from '../terminal/progress.ts';

/** As the name of a file. */
const STANDARD_INPUT = '-';

export interface ImportFlags extends ConfigurationFlags {
  readonly file: string;
  readonly topic: string;
  readonly format: ImportFormat['kind'];
  readonly key?: string;
  readonly time?: string;
  readonly value?: ImportValue;
  readonly close?: boolean;
  /** Import even records that the topic already holds. */
  readonly again?: boolean;
  readonly onBadLine: 'stop' | 'skip';
  readonly json?: boolean;
}

export async function runImport(flags: ImportFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const format = formatOf(flags);
  if (flags.file !== STANDARD_INPUT) assertFile(flags.file);
  const { kafka } = await clusterOf(shell, flags, ['kafka']);
  const connection = await connect(kafka, shell.stop);
  let spooled: Spooled | undefined;
  try {
    const topic = await checkTopic(connection, shell.clock, flags.topic);
    spooled = flags.file === STANDARD_INPUT ? await spool(shell.stdin ?? process.stdin, shell.stop.signal) : undefined;
    if (isStopped(shell)) return interrupted(console, 'nothing was imported');
    const source: Omit<FileImport, 'onProgress'> = {
      path: spooled?.path ?? flags.file,
      format,
      now: shell.clock.wallMs(),
      stop: shell.stop.signal,
      partitions: topic.partitions,
      value: flags.value ?? (format.kind === 'apache' ? 'empty' : 'event'),
    };
    const survey = await check(source, flags, console, shell);
    if (isStopped(shell)) return interrupted(console, 'nothing was imported');
    const logBytes = topic.retentionBytes < 0 ? 0 : await largestLog(topic, { clock: shell.clock, connection });
    assertKept(survey, topic, { now: shell.clock.wallMs(), flags, logBytes });
    if (flags.again !== true) await assertNew(survey, topic, { flags, console, clock: shell.clock, connection });
    const recordBytesMax = topic.maxMessageBytes;
    return await produce({ source, flags, survey, connection, recordBytesMax }, console, shell);
  } finally {
    spooled?.remove();
    connection.close();
  }
}

function formatOf({ format, key, time }: ImportFlags): ImportFormat {
  if (format === 'apache') {
    if (key === undefined && time === undefined) return { kind: format };
    throw usageFailure(
      '--key and --time do not go with --format apache: the client address is the key, the line has a time',
    );
  }
  if (key !== undefined && time !== undefined) return { kind: format, names: { key, time } };
  throw usageFailure(`--format ${format} needs --key and --time: the fields that name the session and the instant`);
}

function assertFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw usageFailure(`${file} does not exist`);
  if (!found.isFile()) throw usageFailure(`${file} is not a file: it has to be read twice`);
}

async function checkTopic(connection: KafkaConnection, clock: Clock, topic: string): Promise<TopicDescription> {
  const found = await requireTopic(connection, clock, topic);
  if (found.cleanupPolicy.includes('compact'))
    throw usageFailure(
      `topic ${topic} has cleanup.policy=${found.cleanupPolicy.join(',')}: of each key only the last record would stay. Import into ` +
        'another topic (input.topic, then flatline topics create)',
    );
  if (found.timestampType === 'CreateTime') return found;
  throw usageFailure(
    `topic ${topic} has message.timestamp.type=LogAppendTime: the broker would stamp every record now, and the file's own ` +
      'times would be lost. Use a topic with CreateTime (input timestampType "CreateTime", then flatline topics create)',
  );
}

/** The first reading. Throws where there is a bad line and the flags say to stop: nothing has been produced then. */
async function check(
  source: Omit<FileImport, 'onProgress'>,
  flags: ImportFlags,
  console: Console,
  shell: Shell,
): Promise<SurveyedFile> {
  const progress = new ProgressDisplay(console, shell.clock);
  const onProgress = (done: number): void => {
    progress.update({ doing: 'checking', unit: 'record', done, total: undefined });
  };
  const survey = await surveyFile({ ...source, onProgress }).catch((error: unknown) => {
    throw unpackingFailure(error, flags.file) ?? error;
  });
  progress.end();
  for (const { line, reason } of survey.firstBadLines) console.note(`${flags.file}:${line}: ${reason}`);
  const more = survey.badLines - survey.firstBadLines.length;
  if (more > 0) console.note(`… and ${count(more)} more`);
  if (survey.badLines > 0 && flags.onBadLine === 'stop')
    throw usageFailure(
      survey.records === 0
        ? `no line of ${flags.file} has this format (--format ${flags.format}): nothing was imported. Is it the right --format, or is the file compressed with something other than gzip?`
        : `${flags.file} has ${counted(survey.badLines, 'bad line')} and ${count(survey.records)} good: nothing was imported. ` +
            'Mend them, or import the good ones with --on-bad-line skip',
    );
  if (survey.records === 0 && !shell.stop.signal.aborted) throw usageFailure(`${flags.file} has no records`);
  return survey;
}

/** A failure of node:zlib in words; undefined: it is another. */
function unpackingFailure(error: unknown, file: string): CommandFailure | undefined {
  // By its shape: it may come from another realm.
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== 'string' || !code.startsWith('Z_')) return undefined;
  return usageFailure(`${file} is gzipped, and damaged or cut off (${String(message)}): nothing was imported`);
}

/** Bytes of the largest of its partitions, now. */
async function largestLog({ topic, partitions }: TopicDescription, options: AdminOptions): Promise<number> {
  const admin = new KafkaLogAdmin(options);
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  return Math.max(...(await Promise.all(numbers.map((partition) => admin.logBytes({ topic, partition })))));
}

/** @throws CommandFailure where the topic would refuse or delete what is about to be written: nothing has been produced then. */
function assertKept(
  survey: FileSurvey,
  topic: TopicDescription,
  { now, flags, logBytes }: { readonly now: Millis; readonly flags: ImportFlags; readonly logBytes: number },
): void {
  const why = hindranceOf(survey, { ...topic, logBytes }, now);
  if (why === undefined) return;
  const settings = why.settings.map(([name, value]) => ` --set ${name}=${value}`).join('');
  throw usageFailure(
    `topic ${topic.topic} would ${why.would}, and nothing was: ${why.text}.\n` +
      `    remedy: flatline topics alter --topic ${topic.topic}${settings} --apply${typedFlags(flags)}`,
  );
}

/**
 * Looks for the first records: an import that broke off has left them, too.
 * @throws CommandFailure where the topic holds them already: nothing has been produced then.
 */
async function assertNew(
  { head }: SurveyedFile,
  topic: TopicDescription,
  { flags, console, ...options }: AdminOptions & { readonly flags: ImportFlags; readonly console: Console },
): Promise<void> {
  const place = await placeOfAll(head, topic, options).catch((error: unknown) => {
    // A user that may only write imports as ever.
    if (!(error instanceof Fatal)) throw error;
    console.note(`warning: whether ${flags.file} was imported before is not known: ${error.message}`);
    return undefined;
  });
  if (place === undefined) return;
  throw usageFailure(
    `topic ${topic.topic} holds the first ${counted(head.length, 'record')} of ${flags.file} already (key, time and value), from ` +
      `${place.topic}/${place.partition}/${place.offset} on, by an earlier import of it: nothing was imported. A second time every ` +
      'event of it would count twice; --again imports it all the same, as after an import that broke off',
  );
}

/** Offset of the first of them; undefined unless the topic holds all of them. */
async function placeOfAll(
  records: readonly ImportedRecord[],
  topic: TopicDescription,
  options: AdminOptions,
): ReturnType<typeof placeOfRecord> {
  const places = [];
  for (const record of records) {
    const found = await placeOfRecord(record, topic, options);
    if (found === undefined) return undefined;
    places.push(found);
  }
  return places[0];
}

interface Production {
  readonly source: Omit<FileImport, 'onProgress'>;
  readonly flags: ImportFlags;
  readonly survey: FileSurvey;
  readonly connection: KafkaConnection;
  /** The topic's max.message.bytes, a limit of whole batches. */
  readonly recordBytesMax: number;
}

const BATCH_BYTES_MAX = 250_000;

async function produce(production: Production, console: Console, shell: Shell): Promise<ExitCode> {
  const { source, flags, survey, connection } = production;
  const { clock } = shell;
  const progress = new ProgressDisplay(console, clock);
  let acknowledged = 0;
  const producer = await BatchProducer.open({
    clock,
    connection,
    topic: flags.topic,
    batchBytesMax: Math.min(BATCH_BYTES_MAX, production.recordBytesMax),
    onAcknowledged: (_partition, _baseOffset, records) => {
      acknowledged += records;
      progress.update({ doing: 'importing', unit: 'record', done: acknowledged, total: survey.records });
    },
  });
  let produced: number;
  try {
    produced = await produceFile({ ...source, onProgress: () => undefined }, producer);
    await producer.close();
  } catch (error) {
    console.note(
      `Broken off: known to be imported are ${count(acknowledged)} of ${counted(survey.records, 'record')}, and no clock records.`,
    );
    throw error;
  } finally {
    progress.end();
  }
  if (shell.stop.signal.aborted)
    return interrupted(
      console,
      `imported ${count(produced)} of ${counted(survey.records, 'record')}, and no clock records`,
    );
  if (produced !== survey.records)
    throw usageFailure(
      `${flags.file} changed while it was read: it had ${counted(survey.records, 'record')} at first; imported: ` +
        `${count(produced)}, and no clock records. Import a file that is complete`,
    );
  const clockAt = flags.close === true ? clock.wallMs() : survey.times!.latest;
  const proofs = new KafkaProofWriter({ clock, connection });
  const partitions = Array.from({ length: producer.partitionCount }, (_, partition) => partition);
  await Promise.all(partitions.map((partition) => proofs.append({ topic: flags.topic, partition }, clockAt)));
  showResult(production, { clockAt, partitions: partitions.length, elapsedMs: progress.elapsedMs }, console);
  return ExitCode.ok;
}

function showResult(
  { flags, survey }: Production,
  done: { readonly clockAt: Millis; readonly partitions: number; readonly elapsedMs: number },
  console: Console,
): void {
  const { earliest, latest } = survey.times!;
  const { clockAt, partitions, elapsedMs } = done;
  const rate = ratePerSecond(survey.records, elapsedMs);
  const { file, topic } = flags;
  const value = {
    file,
    topic,
    records: survey.records,
    skipped: survey.badLines,
    earliest,
    latest,
    partitions,
    clockAt,
  };
  console.result(
    { ...value, elapsedMs: Math.round(elapsedMs) },
    `${counted(survey.records, 'record')} of ${isoTime(earliest)} to ${isoTime(latest)} imported into ${topic} in ` +
      `${duration(elapsedMs)}${rate === undefined ? '' : ` (${count(Math.round(rate))}/s)`}` +
      `${survey.badLines === 0 ? '' : `, ${counted(survey.badLines, 'bad line')} skipped`}; ` +
      `clock records at ${isoTime(clockAt)} in ${counted(partitions, 'partition')}`,
  );
  if (flags.close !== true) console.note('Sessions that were alive at the end stay open; --close closes them.');
}

/** A function, so that it is read again: it becomes true while something else is awaited. */
function isStopped({ stop }: Shell): boolean {
  return stop.signal.aborted;
}

function interrupted(console: Console, what: string): ExitCode {
  console.note(`Interrupted: ${what}.`);
  return ExitCode.interrupted;
}

function isoTime(time: Millis): string {
  return new Date(time).toISOString();
}
