// Which partitions of one leader go into which fetch. Pure.
//
// A leader answers the requests of a connection in order, and holds a fetch that finds nothing. So there are two lanes:
// `waiting` for partitions read to their end, held up to pollMs, and `prompt` for those known or presumed to have more,
// never held: neither a new subscription nor one that has room again waits behind a poll. A partition that reaches its
// end while a poll is under way polls briefly in the prompt lane until it can join: it is never without a fetch for long.
import type { DurationMs } from '@flatline/base';
import type { Lane } from '../connection/kafka-request.ts';

export interface LaneState {
  readonly waiting: 'free' | 'shortPoll' | 'poll';
  readonly prompt: 'free' | 'behind' | 'shortPoll';
}

export interface Fetchable {
  /** More is known or presumed to be there. */
  readonly behind: boolean;
  /** Grows each time the partition is given records: the least goes first, so that byte limits starve no partition. */
  readonly servedTurn: number;
}

export interface PlannedFetch<P> {
  readonly lane: Lane;
  readonly waitMs: DurationMs;
  readonly partitions: readonly P[];
}

export interface PollLimits {
  readonly pollMs: DurationMs;
  readonly shortPollMs: DurationMs;
}

/** `idle`: the leader's partitions that have room and are in no fetch under way. */
export function planFetches<P extends Fetchable>(
  idle: readonly P[],
  lanes: LaneState,
  limits: PollLimits,
): readonly PlannedFetch<P>[] {
  const inTurn = [...idle].sort((a, b) => a.servedTurn - b.servedTurn);
  const behind = inTurn.filter((partition) => partition.behind);
  const atEnd = inTurn.filter((partition) => !partition.behind);
  const planned: PlannedFetch<P>[] = [];
  if (lanes.waiting === 'free' && atEnd.length > 0) {
    const waitMs = lanes.prompt === 'shortPoll' ? limits.shortPollMs : limits.pollMs;
    planned.push({ lane: 'waiting', waitMs, partitions: atEnd });
  }
  if (lanes.prompt !== 'free') return planned;
  const partitions = lanes.waiting === 'poll' ? [...behind, ...atEnd] : behind;
  const waitMs = behind.length > 0 ? 0 : limits.shortPollMs;
  if (partitions.length > 0) planned.push({ lane: 'prompt', waitMs, partitions });
  return planned;
}
