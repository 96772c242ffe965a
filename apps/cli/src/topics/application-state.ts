// What a pipeline's changelog holds, so that no remedy is printed without looking: how many live sessions, as of which clock,
// begun with how many partitions. Reads the ends of the logs only, and changes nothing.
import { type Clock, Fatal, MalformedBytes, type Millis } from '@flatline/base';
import { type KafkaConnection, KafkaLogScan } from '@flatline/kafka';
import { type CommitHeader, decodeBlock, type TopicPartition } from '@flatline/task';
import type { TimestampType } from './topic-requirements.ts';

export type ApplicationState =
  /** No commit was ever made: there is nothing to lose. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'held';
      /** Of the input, when the state was begun. */
      readonly partitions: number;
      readonly liveEntries: number;
      /** The greatest of its partitions' clocks. */
      readonly clock: Millis;
      /** Of the record before a position, where the input still has one. */
      readonly timestampType: TimestampType | undefined;
    }
  /** Something is there that this build or this user cannot read: it may be a state. */
  | { readonly kind: 'unknown'; readonly why: string };

export interface StatePlace {
  readonly changelog: string;
  readonly changelogPartitions: number;
  /** undefined: it does not exist. */
  readonly input: string | undefined;
}

export interface StateReading {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
}

/** Blocks looked at, from the end back, before more are. */
const TAIL_OFFSETS = 64;
const TAIL_GROWTH = 16;

/** @throws Retriable where no broker answers. */
export async function readState(place: StatePlace, reading: StateReading): Promise<ApplicationState> {
  const scan = new KafkaLogScan(reading);
  try {
    return await stateOf(place, scan);
  } catch (error) {
    if (error instanceof Fatal || error instanceof MalformedBytes || (error as Error).name === 'PartitionStopped')
      return { kind: 'unknown', why: (error as Error).message };
    throw error;
  }
}

async function stateOf(
  { changelog, changelogPartitions, input }: StatePlace,
  scan: KafkaLogScan,
): Promise<ApplicationState> {
  const partitions = Array.from({ length: changelogPartitions }, (_, partition) => partition);
  const found = await Promise.all(
    partitions.map(async (partition) => ({
      partition,
      header: await lastHeader({ topic: changelog, partition }, scan),
    })),
  );
  const held = found.flatMap(({ partition, header }) => (header === undefined ? [] : [{ partition, header }]));
  if (held.length === 0) return { kind: 'none' };
  const begun = held.filter(({ header }) => header.clock > 0);
  const types = await Promise.all(begun.map((each) => typeBefore(input, each, scan)));
  return {
    kind: 'held',
    partitions: held[0]!.header.inputPartitions,
    liveEntries: held.reduce((sum, { header }) => sum + header.liveEntries, 0),
    clock: Math.max(...held.map(({ header }) => header.clock)),
    timestampType: types.find((type) => type !== undefined),
  };
}

/** Of the newest commit. */
async function lastHeader(place: TopicPartition, scan: KafkaLogScan): Promise<CommitHeader | undefined> {
  const { logStartOffset, lastStableOffset } = await scan.bounds(place);
  for (let back = TAIL_OFFSETS; ; back *= TAIL_GROWTH) {
    const from = Math.max(logStartOffset, lastStableOffset - back);
    let last: CommitHeader | undefined;
    for (let at = from; at < lastStableOffset;) {
      const { cursor, nextOffset } = await scan.read(place, at);
      while (cursor.next()) {
        const block = decodeBlock(cursor.bytes.subarray(cursor.valueStart, cursor.valueStart + cursor.valueLength));
        if (block.kind === 'state') last = block.header;
      }
      at = nextOffset;
    }
    if (last !== undefined || from === logStartOffset) return last;
  }
}

/** What the input's records were when they were read; undefined where they are gone, or are no data. */
async function typeBefore(
  input: string | undefined,
  { partition, header }: { readonly partition: number; readonly header: CommitHeader },
  scan: KafkaLogScan,
): Promise<TimestampType | undefined> {
  const offset = header.inputs[0]!.position - 1;
  if (input === undefined || offset < 0) return undefined;
  const place = { topic: input, partition };
  const { logStartOffset, lastStableOffset } = await scan.bounds(place);
  if (offset < logStartOffset || offset >= lastStableOffset) return undefined;
  const { cursor } = await scan.read(place, offset);
  if (!cursor.next() || cursor.offset !== offset) return undefined;
  return cursor.logAppendTime ? 'LogAppendTime' : 'CreateTime';
}

/** For a message: what would be lost. */
export function stateText(state: Exclude<ApplicationState, { kind: 'none' }>, changelog: string): string {
  if (state.kind === 'unknown') return `${changelog} may hold live sessions (${state.why})`;
  const clock = state.clock === 0 ? 'no clock yet' : `clock ${new Date(state.clock).toISOString()}`;
  return `${changelog} holds ${state.liveEntries} live sessions, ${clock}, begun with ${state.partitions} partitions`;
}
