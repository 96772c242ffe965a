// A subscriber, and what it is given to begin with.
import type { DurationMs } from '@flatline/base';
import type { Vector } from './cursor.ts';
import type { Question } from './question.ts';

/** A connection. */
export interface Sink {
  /** Sends all of it. False: it is full, and `Hub.drained` is to be called once there is room. */
  send(bytes: Buffer): boolean;
  /** No more comes. */
  end(): void;
}

export interface Subscriber {
  readonly question: Question;
  readonly sink: Sink;
  /** Set while its connection is full. */
  blocked: Blocked | undefined;
  /** The rest of its snapshot, while some of it has yet to come; undefined: all of it has. */
  seen: Start | undefined;
}

export interface Blocked {
  /** Number of the first output of the window that it may miss. */
  readonly from: number;
  /** Where it is. */
  readonly vector: Vector;
  readonly sinceMs: DurationMs;
}

/** Where a subscriber begins: of each partition that it hears, an offset. */
export interface Start {
  readonly vector: Vector;
  /** Keys that its snapshot shows as of a later offset of their partition: outputs of theirs are given from there on alone. */
  readonly keys: ReadonlyMap<string, number>;
  /** Once all of this has come, the vector says where it is. The vector itself, where there are no such keys. */
  readonly until: ReadonlyMap<number, number>;
}

export function startAt(vector: Vector): Start {
  return { vector, keys: NO_KEYS, until: vector };
}

const NO_KEYS: ReadonlyMap<string, number> = new Map();
