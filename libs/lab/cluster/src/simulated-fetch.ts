// A broker's answers to a reader of the simulated cluster. The seed chooses the contents of each.
//
// Owns: nothing.
// Does not own: visibility (SimulatedPartition), how the reader uses an answer (SimulatedReader).
import type { DurationMs } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import type { FaultPlan } from './fault-plan.ts';
import type { Answer } from './network.ts';
import type { EpochEnd, PartitionEnds } from './partition-requests.ts';
import type { FetchedBatch } from './record-walk.ts';
import type { SimulatedLog } from './simulated-log.ts';
import type { SimulatedPartition } from './simulated-partition.ts';
import type { VirtualTime } from './virtual-time.ts';

const ANSWER_BYTES_MAX = 16 * 1024;
/** Delay of a broker's answer to a fetch that finds nothing. */
const LONG_POLL_MS: DurationMs = 250;

/** Position of a reader in a log, at the moment when a broker looks. */
export interface ReadingPlace {
  readonly partition: TopicPartition;
  /** Id of the topic that is read, by which the broker is asked (KIP-516). */
  readonly topicId: string | undefined;
  /** The next offset to fetch. */
  position: number;
  /** Epoch of the leader it believes in: a deposed one may be asked for a while. */
  leaderEpoch: number;
  /** Epoch of the batch before the position, negative if unknown. */
  readEpoch: number;
}

export interface FetchBroker {
  readonly log: SimulatedLog;
  readonly faults: FaultPlan;
  readonly time: VirtualTime;
}

export type FetchAnswer =
  | { readonly kind: 'topicGone' }
  /** UNKNOWN_TOPIC_ID, and the metadata name another one. */
  | { readonly kind: 'otherTopic' }
  /** FENCED_LEADER_EPOCH; the metadata name the leader of this epoch. */
  | { readonly kind: 'fenced'; readonly leaderEpoch: number }
  | { readonly kind: 'epochEnd'; readonly end: EpochEnd; readonly leaderEpoch: number }
  | { readonly kind: 'outOfRange' }
  | {
      readonly kind: 'fetched';
      readonly batches: readonly FetchedBatch[];
      readonly ends: PartitionEnds;
      readonly leaderEpoch: number;
    };

/** Answers when there is something new, or after the long poll. */
export function serveFetch(broker: FetchBroker, place: ReadingPlace, answer: Answer<FetchAnswer>): void {
  const { log, time } = broker;
  const partition = log.find(place.partition);
  const first = look(broker, place, partition);
  if (partition === undefined || first.kind !== 'fetched' || first.batches.length > 0) {
    answer.ok(first);
    return;
  }
  let waiting = true;
  const finish = (): void => {
    if (!waiting) return;
    waiting = false;
    stopListening();
    stopTimer();
    answer.ok(look(broker, place, log.find(place.partition)));
  };
  const stopListening = partition.onChange(finish);
  const stopTimer = time.after(LONG_POLL_MS, finish);
}

/** Compares the leader's log with the batches read so far (KIP-320). */
export function compareEpochs({ log }: Pick<FetchBroker, 'log'>, place: ReadingPlace): FetchAnswer {
  const partition = log.find(place.partition);
  if (partition === undefined) return { kind: 'topicGone' };
  const { leaderEpoch } = partition;
  if (leaderEpoch > place.leaderEpoch) return { kind: 'fenced', leaderEpoch };
  return { kind: 'epochEnd', end: partition.epochEnd(place.readEpoch), leaderEpoch };
}

function look(
  { faults, log }: FetchBroker,
  place: ReadingPlace,
  partition: SimulatedPartition | undefined,
): FetchAnswer {
  if (partition === undefined) return { kind: 'topicGone' };
  if (log.idOf(place.partition.topic) !== place.topicId) return { kind: 'otherTopic' };
  const { position } = place;
  const { ends, leaderEpoch } = partition.endsSeenFrom(place.leaderEpoch);
  if (leaderEpoch > place.leaderEpoch) return { kind: 'fenced', leaderEpoch };
  // A deposed leader is not believed on the range (R3): the real reader asks another node.
  const truth = partition.ends();
  if (position < truth.logStartOffset || position > partition.logEnd) return { kind: 'outOfRange' };
  const bytesMax = 1 + faults.below(ANSWER_BYTES_MAX);
  const batches = partition.read(position, Math.min(ends.lastStableOffset, truth.lastStableOffset), bytesMax);
  return {
    kind: 'fetched',
    batches: batches.map((batch) => ({ batch, aborted: partition.isAborted(batch) })),
    ends,
    leaderEpoch,
  };
}
