// Live entries of one partition of a pipeline, read from its changelog: as of the newest commit, with or without a running
// processor. Costs a reading of that changelog, and the memory of a task of the partition.
import { copyBytes, MalformedBytes, type Millis, PartitionStopped } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { kindOf } from '@flatline/kind-modules';
import { HeldTime, type ShownEntry } from '@flatline/kinds';
import { StateReading } from '@flatline/partition';
import type { CommittedScan, RecordCursor, TopicPartition } from '@flatline/ports';

export interface PartitionState {
  readonly partition: number;
  readonly liveEntries: number;
  /** The clock and the position in the input of the newest commit; undefined: there is none yet. */
  readonly asOf: { readonly clock: Millis; readonly position: number } | undefined;
  /** Number of input offsets from that position on, which the state does not cover yet. */
  readonly behind: number;
  entries(): Iterable<LiveEntry>;
}

export interface LiveEntry {
  readonly key: Uint8Array;
  /** Called before the next entry is asked for. */
  readonly shown: () => readonly ShownEntry[];
}

export interface StatePlace {
  readonly pipeline: PipelineConfig;
  readonly partition: number;
  readonly scan: CommittedScan;
  readonly hashSeed: number;
  /** Ends the reading; what was read by then must not be shown. */
  readonly stop: AbortSignal;
}

/** A changelog that is truncated while it is read is read again: not more often than this. */
const TRIES_MAX = 5;

/** @throws PartitionStopped where the changelog is not what was written; Retriable where no broker answers. */
export async function readPartitionState(place: StatePlace): Promise<PartitionState> {
  const { pipeline, partition, scan } = place;
  const reading = await readWhole(place, TRIES_MAX);
  const { last } = reading;
  let behind = 0;
  for (const [number, { topic }] of (pipeline.inputs ?? [pipeline.input]).entries()) {
    const { lastStableOffset, logStartOffset } = await scan.bounds({ topic, partition });
    behind += Math.max(0, lastStableOffset - (last?.inputs[number]?.position ?? logStartOffset));
  }
  const asOf = last && { clock: last.clock, position: last.inputs[0]!.position };
  const held = new HeldTime(pipeline.heldTime);
  if (last !== undefined) held.restore(last);
  const view = kindOf(pipeline).view(pipeline);
  return {
    partition,
    liveEntries: reading.size,
    asOf,
    behind,
    *entries() {
      for (const { key, entry } of reading.entries())
        yield { key, shown: () => view.shown(entry, { partition, held }) };
    },
  };
}

async function readWhole(place: StatePlace, tries: number): Promise<StateReading> {
  const { pipeline, partition, scan, hashSeed, stop } = place;
  const log = { topic: pipeline.changelogTopic, partition };
  const { logStartOffset, lastStableOffset } = await scan.bounds(log);
  const reading = new StateReading(kindOf(pipeline).view(pipeline).format, hashSeed);
  for (let position = logStartOffset; position < lastStableOffset && !stop.aborted;) {
    const stretch = await scan.read(log, position).catch((error: unknown) => whyUnread(error, position, log, scan));
    if (stretch === 'truncated') {
      if (tries > 1) return readWhole(place, tries - 1);
      throw new PartitionStopped(`${nameOf(log)} was truncated while it was read, ${TRIES_MAX} times: try again`);
    }
    takeAll(reading, stretch.cursor, log);
    position = stretch.nextOffset;
  }
  const disagreement = stop.aborted ? undefined : reading.check();
  if (disagreement !== undefined) throw new PartitionStopped(`${nameOf(log)} cannot be trusted: ${disagreement}`);
  return reading;
}

/** A running task has moved the log's start meanwhile (K5), or it is something else. */
async function whyUnread(
  error: unknown,
  position: number,
  log: TopicPartition,
  scan: CommittedScan,
): Promise<'truncated'> {
  const { logStartOffset } = await scan.bounds(log);
  if (error instanceof PartitionStopped && logStartOffset > position) return 'truncated';
  throw error;
}

function takeAll(reading: StateReading, cursor: RecordCursor, log: TopicPartition): void {
  while (cursor.next()) {
    const { offset, bytes, valueStart, valueLength } = cursor;
    if (valueLength < 0) throw new PartitionStopped(`${nameOf(log)} offset ${offset} is not a changelog block`);
    const broken = taken(reading, copyBytes(bytes, valueStart, valueStart + valueLength), offset);
    if (broken !== undefined) throw new PartitionStopped(`${nameOf(log)} offset ${offset}: ${broken}`);
  }
}

function taken(reading: StateReading, bytes: Uint8Array, offset: number): string | undefined {
  try {
    return reading.take(bytes, offset);
  } catch (error) {
    if (error instanceof MalformedBytes) return error.message;
    throw error;
  }
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
