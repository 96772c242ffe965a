// What an operator does to schedules is a record of the input (Q4): ordered with all others, and replayed with them.
import { messageOf, type Millis, partitionOf } from '@flatline/base';
import type { SchedulePipeline } from '@flatline/config';
import { BatchProducer, type KafkaConnection, KafkaLogScan } from '@flatline/kafka';
import { foreseenSchedule, readPartitionState } from '@flatline/processor';
import type { OutgoingRecord, RecordHeader } from '@flatline/ports';
import {
  COMMAND_HEADER,
  CRON_HEADER,
  DELAY_HEADER,
  DUE_AT_HEADER,
  END_AT_HEADER,
  EVERY_HEADER,
  EXPIRES_HEADER,
  JITTER_HEADER,
  MAX_RUNS_HEADER,
  OWN_HEADERS,
  SCHEDULE_ID_HEADER,
  START_AT_HEADER,
  TARGET_HEADER,
  TIME_ZONE_HEADER,
  UPSERT_HEADER,
} from '@flatline/ports/formats';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { requireChangelog, requireTopic } from '../topics/require-topic.ts';

export type ScheduleAct = 'cancel' | 'pause' | 'resume' | 'trigger';

interface KeyFlags extends ConfigurationFlags {
  readonly key: string;
  readonly id?: string;
  readonly pipeline?: string;
  readonly partition?: number;
  readonly json?: boolean;
}

export interface ActFlags extends KeyFlags {
  readonly act: ScheduleAct;
}

export interface AddFlags extends KeyFlags {
  readonly value?: string;
  readonly valueFile?: string;
  readonly header?: readonly (readonly [name: string, value: string])[];
  readonly dueAt?: string;
  readonly delay?: number;
  readonly every?: number;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly startAt?: string;
  readonly endAt?: string;
  readonly maxRuns?: number;
  readonly expires?: number;
  readonly jitter?: number;
  readonly target?: string;
  readonly reset?: boolean;
}

const EMPTY = new Uint8Array(0);
/** What the rules say of a header, its user gave as this. */
const FLAGS: readonly (readonly [header: string, flag: string])[] = [
  [SCHEDULE_ID_HEADER, '--id'],
  [DUE_AT_HEADER, '--due-at'],
  [DELAY_HEADER, '--delay'],
  [EVERY_HEADER, '--every'],
  [CRON_HEADER, '--cron'],
  [TIME_ZONE_HEADER, '--time-zone'],
  [START_AT_HEADER, '--start-at'],
  [END_AT_HEADER, '--end-at'],
  [MAX_RUNS_HEADER, '--max-runs'],
  [EXPIRES_HEADER, '--expires'],
  [JITTER_HEADER, '--jitter'],
  [TARGET_HEADER, '--target'],
];

export function runAct(flags: ActFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { act, id } = flags;
  const command = act === 'cancel' ? undefined : act.toUpperCase();
  const headers = ownHeaders([
    [COMMAND_HEADER, command],
    [SCHEDULE_ID_HEADER, id],
  ]);
  return send({ value: act === 'cancel' ? null : EMPTY, headers }, act, flags, console, shell);
}

export function runAdd(flags: AddFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { id, dueAt, delay, every, cron, timeZone, startAt, endAt, maxRuns, expires, jitter, target, reset } = flags;
  const own = ownHeaders([
    [SCHEDULE_ID_HEADER, id],
    [DUE_AT_HEADER, dueAt],
    [DELAY_HEADER, delay],
    [EVERY_HEADER, every],
    [CRON_HEADER, cron],
    [TIME_ZONE_HEADER, timeZone],
    [START_AT_HEADER, startAt],
    [END_AT_HEADER, endAt],
    [MAX_RUNS_HEADER, maxRuns],
    [EXPIRES_HEADER, expires],
    [JITTER_HEADER, jitter],
    [TARGET_HEADER, target],
    [UPSERT_HEADER, reset === true ? 'reset' : undefined],
  ]);
  return send(
    { value: valueOf(flags, shell), headers: [...foreignHeaders(flags), ...own] },
    'add',
    flags,
    console,
    shell,
  );
}

async function send(
  message: Required<Pick<OutgoingRecord, 'value' | 'headers'>>,
  act: ScheduleAct | 'add',
  flags: KeyFlags,
  console: Console,
  shell: Shell,
): Promise<ExitCode> {
  const { clock, stop } = shell;
  const config = await configurationOf(shell, flags, ['kafka']);
  const pipeline = pipelineOfKind(config, 'schedule', flags.pipeline);
  const key = Buffer.from(flags.key);
  const { maxKeyBytes, topic } = pipeline.input;
  if (key.length > maxKeyBytes) throw usageFailure(`the key has ${key.length} bytes; maxKeyBytes is ${maxKeyBytes}`);
  const found = foreseenSchedule(pipeline, message, clock.wallMs());
  if (found.kind !== 'sound') throw usageFailure(`${found.reason}: ${inFlags(found.detail)}. Nothing was sent`);
  const connection = await connect(kafkaOf(config, clock), stop);
  try {
    const { partitions } = await requireTopic(connection, clock, topic);
    const { partition = partitionOf(key, partitions) } = flags;
    if (partition >= partitions)
      throw usageFailure(`--partition ${partition}: ${topic} has partitions 0 to ${partitions - 1}`);
    const look = { connection, pipeline, partition, key, shell };
    const isThere = act === 'add' ? undefined : await knownThere(look, flags.id, console);
    const offset = await append(connection, shell, topic, { ...message, key, partition });
    show({ act, flags, topic, partition, offset, dueAt: found.dueAt, isThere }, console);
    return isThere === false ? ExitCode.failedCheck : ExitCode.ok;
  } finally {
    connection.close();
  }
}

interface Look {
  readonly connection: KafkaConnection;
  readonly pipeline: SchedulePipeline;
  readonly partition: number;
  readonly key: Uint8Array;
  readonly shell: Shell;
}

/** As `looksThere`; undefined, too, where it cannot look: an act must not wait until the changelog is mended. */
async function knownThere(look: Look, id: string | undefined, console: Console): Promise<boolean | undefined> {
  try {
    return await looksThere(look, id);
  } catch (error) {
    if (look.shell.stop.signal.aborted) throw error;
    const unknown = 'whether there is such a schedule is not known, since the changelog could not be read';
    console.note(`${unknown}: ${messageOf(error)}`);
    return undefined;
  }
}

/** Whether the newest commit has such a schedule; undefined: it has none, and what comes behind it may have made one. */
async function looksThere(
  { connection, pipeline, partition, key, shell: { clock, stop } }: Look,
  id: string | undefined,
): Promise<boolean | undefined> {
  const { partitions } = await requireChangelog(connection, clock, pipeline.changelogTopic);
  if (partition >= partitions) return undefined;
  const scan = new KafkaLogScan({ clock, connection });
  const place = { pipeline, partition, scan, hashSeed: randomInt(2 ** 32), stop: stop.signal };
  const state = await readPartitionState(place);
  if (stop.signal.aborted) throw interruptedBefore('the changelog was read');
  for (const entry of state.entries())
    if (Buffer.compare(entry.key, key) === 0)
      if (id === undefined || entry.shown().some(({ scheduleId }) => scheduleId === id)) return true;
  return state.behind > 0 ? undefined : false;
}

function inFlags(detail: string): string {
  const named = FLAGS.reduce((text, [header, flag]) => text.replaceAll(header, flag), detail);
  return named.replaceAll(/\bheader(?=s? --)/g, 'flag');
}

async function append(
  connection: KafkaConnection,
  { clock }: Shell,
  topic: string,
  record: Parameters<BatchProducer['add']>[0],
): Promise<number> {
  let offset = -1;
  const onAcknowledged = (_partition: number, baseOffset: number): void => {
    offset = baseOffset;
  };
  const producer = await BatchProducer.open({ clock, connection, topic, onAcknowledged });
  await producer.send([record]);
  await producer.close();
  return offset;
}

interface Sent {
  readonly act: ScheduleAct | 'add';
  readonly flags: KeyFlags;
  readonly topic: string;
  readonly partition: number;
  /** Less than 0: it is in the log, but the broker does not say where. */
  readonly offset: number;
  readonly dueAt: Millis | undefined;
  /** Whether there was one to act on, as far as that is known. */
  readonly isThere: boolean | undefined;
}

/** By this machine's clock; the record's timestamp is the broker's. */
function show({ act, flags, topic, partition, offset, dueAt, isThere }: Sent, console: Console): void {
  const { key, id } = flags;
  const place = offset < 0 ? `${topic}/${partition}` : `${topic}/${partition}/${offset}`;
  const due = dueAt === undefined ? '' : `, due at about ${new Date(dueAt).toISOString()}`;
  // It is sent in any case: the processor may have more to read, and knows.
  const until = act === 'add' ? '' : ', for what is there when it is read';
  const none = isThere === false ? ': as of the newest commit there is no such schedule' : '';
  const what = `${act} ${printable(key)}${id === undefined ? '' : ` (${printable(id)})`}`;
  const schedule = act === 'add' && offset >= 0 ? `${partition}-${offset}` : undefined;
  console.result(
    { kind: 'sent', act, key, id, topic, partition, offset, schedule, dueAt, found: isThere },
    `${what}: sent to ${place}${due}${until}${none}`,
  );
}

function valueOf({ value, valueFile }: AddFlags, { folder }: Shell): Uint8Array {
  if (valueFile === undefined) return Buffer.from(value ?? '');
  if (value !== undefined) throw usageFailure('--value and --value-file: only one of them can be the value');
  try {
    return readFileSync(resolve(folder, valueFile));
  } catch (error) {
    throw usageFailure(`--value-file ${valueFile} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

function foreignHeaders({ header = [] }: AddFlags): RecordHeader[] {
  return header.map(([name, value]) => {
    if (name.startsWith(OWN_HEADERS)) throw usageFailure(`--header ${name}: names that begin so are Flatline's own`);
    return { name, value: Buffer.from(value) };
  });
}

function ownHeaders(given: readonly (readonly [string, string | number | undefined])[]): RecordHeader[] {
  return given.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: Buffer.from(String(value)) }]));
}
