// Finds the position to read the input from, and whether the input is still the one it was (R3).
import { type Clock, counted, PartitionStopped } from '@flatline/base';
import { type CommitHeader, type InputPosition, NO_BATCH, recordedStamp } from '@flatline/partition';
import type { BatchFingerprint, LogAdmin, TopicPartition } from '@flatline/ports';
import { pause } from '@flatline/system';
import { END_PAUSE_MS, END_TRIES_MAX } from '../limits.ts';
import type { StartFrom } from '../settings.ts';
import type { TaskContext } from '../task-context.ts';

/** Where reading the input begins for a task without a commit. */
const NOTHING_READ = { checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 } as const;

/**
 * Where a partition without any state begins. The choice counts only once a commit has recorded it: after a crash another one
 * might be made. @throws Retriable
 */
export async function firstPosition(
  input: TopicPartition,
  startFrom: StartFrom,
  admin: LogAdmin,
): Promise<InputPosition> {
  const ends = await admin.ends(input);
  const origin = await originOf(input, startFrom, ends, admin);
  const before = origin > ends.logStartOffset ? await admin.fingerprintAt(input, origin - 1) : undefined;
  return { ...NOTHING_READ, ...before, position: origin, origin };
}

type Ends = Awaited<ReturnType<LogAdmin['ends']>>;

async function originOf(input: TopicPartition, startFrom: StartFrom, ends: Ends, admin: LogAdmin): Promise<number> {
  if (startFrom === 'earliest') return ends.logStartOffset;
  if (startFrom === 'latest') return ends.lastStableOffset;
  const found = await admin.offsetAt(input, startFrom.timestamp);
  return Math.max(ends.logStartOffset, found ?? ends.lastStableOffset);
}

/** @throws PartitionStopped where the input was recreated or truncated; Retriable. */
export async function inputPosition(
  input: TopicPartition,
  recorded: InputPosition,
  ports: LookPorts,
): Promise<InputPosition> {
  const why = await whyOtherLog(input, recorded, ports);
  if (why !== undefined) throw otherInput(input, recorded, why);
  return recorded;
}

interface LookPorts {
  readonly clock: Clock;
  readonly admin: Pick<LogAdmin, 'ends' | 'doubtLeader' | 'fingerprintAt'>;
}

/**
 * Why the input is not the log that was read up to a recorded position; undefined: it is. @throws Retriable
 *
 * A new leader may lag for a while behind what was readable before (F23), and a deposed one for ever (F23b): time passes, and
 * another node is asked who leads, before it is believed that something is not there.
 */
export async function whyOtherLog(
  input: TopicPartition,
  recorded: InputPosition,
  ports: LookPorts,
): Promise<string | undefined> {
  for (let tries = 1; ; tries += 1) {
    const { why, isSure } = await lookFor(input, recorded, ports.admin);
    if (isSure || tries === END_TRIES_MAX) return why;
    ports.admin.doubtLeader(input);
    await pause(ports.clock, END_PAUSE_MS);
  }
}

interface Look {
  readonly why: string | undefined;
  readonly isSure: boolean;
}

/** One question may be answered by another leader than the one before. */
async function lookFor(input: TopicPartition, recorded: InputPosition, admin: LookPorts['admin']): Promise<Look> {
  const { position, leaderEpoch } = recorded;
  const { logStartOffset, lastStableOffset } = await admin.ends(input);
  if (position > lastStableOffset) return { why: `it ends at ${lastStableOffset}`, isSure: false };
  if (position < logStartOffset)
    return { why: `it starts at ${logStartOffset}: records were deleted before they were read`, isSure: true };
  if (leaderEpoch === NO_BATCH || position === logStartOffset) return { why: undefined, isSure: true };
  const found = await admin.fingerprintAt(input, position - 1);
  if (found !== undefined && isSameBatch(found, recorded)) return { why: undefined, isSure: true };
  return { why: 'the batch before that position is not the one recorded', isSure: found !== undefined };
}

function isSameBatch(found: BatchFingerprint, recorded: InputPosition): boolean {
  return (
    found.checksum === recorded.checksum &&
    found.leaderEpoch === recorded.leaderEpoch &&
    recordedStamp(found.batchTimestamp) === recordedStamp(recorded.batchTimestamp)
  );
}

function otherInput({ topic, partition }: TopicPartition, { position }: InputPosition, why: string): PartitionStopped {
  return new PartitionStopped(
    `input ${topic}/${partition} is not the log that was read: the last commit stands at offset ${position}, but ${why}. ` +
      'Nothing was reset. If the topic was recreated on purpose, use another application name and another output.topic',
  );
}

/** A position read of several inputs in one order says nothing of more, or fewer. */
export function otherInputs(last: CommitHeader, { inputs }: TaskContext): PartitionStopped {
  const topics = inputs.map(({ topic }) => topic).join(', ');
  return new PartitionStopped(
    `the pipeline has ${counted(inputs.length, 'input')} (${topics}), the last commit stands in ${last.inputs.length}. ` +
      'Nothing was reset. Name the inputs that it had, in their order, or use another application name and another output.topic',
  );
}
