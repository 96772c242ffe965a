// An act of an operator on a key is a record of the input (Q4): ordered with all others, and replayed with them.
import { messageOf, partitionOf } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { BatchProducer, type KafkaConnection, KafkaLogScan } from '@flatline/kafka';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import type { OutgoingRecord, RecordHeader } from '@flatline/ports';
import { readPartitionState, type ShownEntry } from '@flatline/processor';
import { randomInt } from 'node:crypto';
import { connect, kafkaOf } from '../cluster.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import { requireChangelog, requireTopic } from '../topics/require-topic.ts';

export interface KeyFlags extends ConfigurationFlags {
  readonly key: string;
  readonly pipeline?: string;
  readonly partition?: number;
  readonly json?: boolean;
}

export type KeyMessage = Required<Pick<OutgoingRecord, 'value' | 'headers'>>;

export interface KeyAct {
  readonly config: FlatlineConfig;
  readonly pipeline: PipelineConfig;
  readonly message: KeyMessage;
  /** True if the act concerns this entry of the key; undefined: it needs no entry. */
  readonly concerns: ((entry: ShownEntry) => boolean) | undefined;
}

export interface SentAct {
  readonly topic: string;
  readonly partition: number;
  /** Less than 0: it is in the log, but the broker does not say where. */
  readonly offset: number;
  /** True if there was something to act on; undefined: not known. */
  readonly isThere: boolean | undefined;
}

/** The key's bytes. @throws a usage failure where the pipeline takes no such key. */
export function keyFor({ input: { maxKeyBytes } }: PipelineConfig, { key }: KeyFlags): Buffer {
  const bytes = Buffer.from(key);
  if (bytes.length > maxKeyBytes)
    throw usageFailure(`the key has ${bytes.length} bytes; maxKeyBytes is ${maxKeyBytes}`);
  return bytes;
}

/** Sends it even if nothing seems to be there: the processor may know better, since it has records to read that this has not. */
export async function sendAct(act: KeyAct, flags: KeyFlags, console: Console, shell: Shell): Promise<SentAct> {
  const { config, pipeline, message, concerns } = act;
  const { clock, stop } = shell;
  const { topic } = pipeline.input;
  const key = keyFor(pipeline, flags);
  const connection = await connect(kafkaOf(config, clock), stop);
  try {
    const { partitions } = await requireTopic(connection, clock, topic);
    const { partition = partitionOf(key, partitions) } = flags;
    if (partition >= partitions)
      throw usageFailure(`--partition ${partition}: ${topic} has partitions 0 to ${partitions - 1}`);
    const look = { connection, pipeline, partition, key, shell };
    const isThere = concerns && (await knownThere(look, concerns, console));
    const offset = await append(connection, shell, topic, { ...message, key, partition });
    return { topic, partition, offset, isThere };
  } finally {
    connection.close();
  }
}

/** True if the newest commit has such an entry of the key; undefined: records behind it may have made one. */
export async function livesThere(
  { config, pipeline }: Pick<KeyAct, 'config' | 'pipeline'>,
  of: { readonly key: Uint8Array; readonly partition: number },
  concerns: (entry: ShownEntry) => boolean,
  shell: Shell,
): Promise<boolean | undefined> {
  const connection = await connect(kafkaOf(config, shell.clock), shell.stop);
  try {
    return await looksThere({ connection, pipeline, shell, ...of }, concerns);
  } finally {
    connection.close();
  }
}

/** Says where it went, and what the newest commit had there. */
export function sentText({ topic, partition, offset, isThere }: SentAct, isAct: boolean, none: string): string {
  const place = offset < 0 ? `${topic}/${partition}` : `${topic}/${partition}/${offset}`;
  const until = isAct ? ', for what is there when it is read' : '';
  const found = isThere === false ? `: as of the newest commit ${none}` : '';
  return `sent to ${place}${until}${found}`;
}

export function ownHeaders(given: readonly (readonly [string, string | number | undefined])[]): RecordHeader[] {
  return given.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: Buffer.from(String(value)) }]));
}

export function actText(act: string, key: string): string {
  return `${act} ${printable(key)}`;
}

interface Look {
  readonly connection: KafkaConnection;
  readonly pipeline: PipelineConfig;
  readonly partition: number;
  readonly key: Uint8Array;
  readonly shell: Shell;
}

/** As `looksThere`; undefined also where the changelog cannot be read: an act must not wait until it is mended. */
async function knownThere(
  look: Look,
  concerns: (entry: ShownEntry) => boolean,
  console: Console,
): Promise<boolean | undefined> {
  try {
    return await looksThere(look, concerns);
  } catch (error) {
    if (look.shell.stop.signal.aborted) throw error;
    const name = KIND_WORDS[look.pipeline.kind].noun;
    const unknown = `whether there is such a ${name} is not known, since the changelog could not be read`;
    console.note(`${unknown}: ${messageOf(error)}`);
    return undefined;
  }
}

/** True if the newest commit has it; undefined: it has not, and records behind the commit may have made one. */
async function looksThere(
  { connection, pipeline, partition, key, shell: { clock, stop } }: Look,
  concerns: (entry: ShownEntry) => boolean,
): Promise<boolean | undefined> {
  const { partitions } = await requireChangelog(connection, clock, pipeline.changelogTopic);
  if (partition >= partitions) return undefined;
  const scan = new KafkaLogScan({ clock, connection });
  const place = { pipeline, partition, scan, hashSeed: randomInt(2 ** 32), stop: stop.signal };
  const state = await readPartitionState(place);
  if (stop.signal.aborted) throw interruptedBefore('the changelog was read');
  for (const entry of state.entries())
    if (Buffer.compare(entry.key, key) === 0 && entry.shown().some(concerns)) return true;
  return state.behind > 0 ? undefined : false;
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
