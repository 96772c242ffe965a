// State in a pipeline's changelog, so that no remedy is printed without looking: how many keys live, as of which clock, begun
// with how many partitions. Reads the ends of the logs only, and changes nothing.
import { type Clock, counted, Fatal, MalformedBytes, type Millis } from '@flatline/base';
import { type KafkaConnection, KafkaLogAdmin, KafkaLogScan } from '@flatline/kafka';
import { whyOtherLog } from '@flatline/runtime';
import { type CommitHeader, decodeBlock } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import type { TimestampType } from '@flatline/processor';

export type ApplicationState =
  /** No commit was ever made: there is nothing to lose. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'held';
      /** How many the input had when the state was begun. */
      readonly partitions: number;
      readonly liveEntries: number;
      /** The greatest of its partitions' clocks. */
      readonly clock: Millis;
      /** Types of the records before the committed positions and at them, where the input still has them. */
      readonly timestampTypes: { readonly before: readonly TimestampType[]; readonly next: readonly TimestampType[] };
      /** Why the input is not the log that was read (R3), of the first partition where it is not. */
      readonly otherLog?: string | undefined;
    }
  /** The group has committed offsets for these partitions of the input; the changelog has no commit there, or is gone. */
  | { readonly kind: 'lost'; readonly group: string; readonly partitions: readonly number[] }
  /** Something is there that this build or this user cannot read: it may be a state. */
  | { readonly kind: 'unknown'; readonly why: string };

export interface StatePlace {
  readonly changelog: string;
  /** 0: it does not exist. */
  readonly changelogPartitions: number;
  readonly group: string;
  readonly input: string;
  /** 0: it does not exist. */
  readonly inputPartitions: number;
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
  try {
    return await stateOf(place, { scan: new KafkaLogScan(reading), admin: new KafkaLogAdmin(reading), ...reading });
  } catch (error) {
    if (error instanceof Fatal || error instanceof MalformedBytes || (error as Error).name === 'PartitionStopped')
      return { kind: 'unknown', why: (error as Error).message };
    throw error;
  }
}

interface Sources {
  readonly clock: Clock;
  readonly scan: KafkaLogScan;
  readonly admin: KafkaLogAdmin;
}

interface HeldPartition {
  readonly partition: number;
  readonly header: CommitHeader;
}

async function stateOf(place: StatePlace, sources: Sources): Promise<ApplicationState> {
  const { changelog, changelogPartitions, group } = place;
  const { scan } = sources;
  const found = await Promise.all(
    numbersBelow(changelogPartitions).map(async (partition) => ({
      partition,
      header: await lastHeader({ topic: changelog, partition }, scan),
    })),
  );
  const held = found.flatMap(({ partition, header }) => (header === undefined ? [] : [{ partition, header }]));
  const lost = await lostPartitions(place, held, sources);
  if (lost.length > 0) return { kind: 'lost', group, partitions: lost };
  if (held.length === 0) return { kind: 'none' };
  const begun = held.filter(({ header, partition }) => header.clock > 0 && partition < place.inputPartitions);
  return {
    kind: 'held',
    partitions: held[0]!.header.inputPartitions,
    liveEntries: held.reduce((sum, { header }) => sum + header.liveEntries, 0),
    clock: Math.max(...held.map(({ header }) => header.clock)),
    timestampTypes: {
      before: await typesAt(-1, begun, place, scan),
      next: await typesAt(0, begun, place, scan),
    },
    otherLog: await otherLog(place, held, sources),
  };
}

function numbersBelow(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** An offset is committed together with the changelog's block, so that the one without the other is a loss (R3). */
async function lostPartitions(
  { group, input, inputPartitions, changelogPartitions }: StatePlace,
  held: readonly HeldPartition[],
  { admin }: Sources,
): Promise<number[]> {
  const found = new Set(held.map(({ partition }) => partition));
  const bare = numbersBelow(Math.max(inputPartitions, changelogPartitions)).filter((each) => !found.has(each));
  const offsets = await Promise.all(bare.map((partition) => admin.committedOffset(group, { topic: input, partition })));
  return bare.filter((_, index) => offsets[index] !== undefined);
}

async function otherLog(
  { input, inputPartitions }: StatePlace,
  held: readonly HeldPartition[],
  ports: Sources,
): Promise<string | undefined> {
  const reasons = await Promise.all(
    held
      .filter(({ partition }) => partition < inputPartitions)
      .map(async ({ partition, header }) => {
        const { inputs } = header;
        const why = await whyOtherLog({ topic: input, partition }, inputs[0]!, ports);
        return why && `partition ${partition}: the last commit stands at offset ${inputs[0]!.position}, but ${why}`;
      }),
  );
  return reasons.find((reason) => reason !== undefined);
}

/** Header of the newest commit; undefined without one. */
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

/** Timestamp types of the input's records at the committed positions, moved by `shift`; none where there is no record. */
async function typesAt(
  shift: -1 | 0,
  held: readonly HeldPartition[],
  { input }: StatePlace,
  scan: KafkaLogScan,
): Promise<TimestampType[]> {
  const types = await Promise.all(
    held.map(({ partition, header }) => typeAt({ topic: input, partition }, header.inputs[0]!.position + shift, scan)),
  );
  return [...new Set(types.flatMap((type) => type ?? []))];
}

/** Type of the first record at or behind an offset, in the batch there. */
async function typeAt(place: TopicPartition, offset: number, scan: KafkaLogScan): Promise<TimestampType | undefined> {
  const { logStartOffset, lastStableOffset } = await scan.bounds(place);
  if (offset < logStartOffset || offset >= lastStableOffset) return undefined;
  const { cursor } = await scan.read(place, offset);
  while (cursor.next()) if (cursor.offset >= offset) return cursor.logAppendTime ? 'LogAppendTime' : 'CreateTime';
  return undefined;
}

/** For a message: what would be lost. */
export function stateText(state: Exclude<ApplicationState, { kind: 'none' }>, changelog: string): string {
  if (state.kind === 'unknown') return `${changelog} may hold live keys (${state.why})`;
  if (state.kind === 'lost')
    return (
      `group ${state.group} has committed offsets of partitions ${state.partitions.join(', ')}, of which ${changelog} ` +
      'has nothing: live keys were in it'
    );
  const clock = state.clock === 0 ? 'no clock yet' : `clock ${new Date(state.clock).toISOString()}`;
  return `${changelog} holds ${counted(state.liveEntries, 'live key')}, ${clock}, begun with ${counted(state.partitions, 'partition')}`;
}
