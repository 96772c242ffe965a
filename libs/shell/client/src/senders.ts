// Senders: their options, and the callbacks for a session's life.
import type { DurationMs, Millis } from '@flatline/base';
import type { OutgoingEvent } from '@flatline/records/events';
import type { SessionId } from './heartbeat-producer.ts';
import type { Dropped, Session, SessionOptions, SessionsLimits } from './live-sessions.ts';
import type { ItemsLimits } from './pushed-items.ts';
import type { SchedulesLimits } from './sent-schedules.ts';

export interface HeartbeatsOptions {
  /** The input topic of a pipeline. */
  readonly topic: string;
  /** How the values of `event` are written; bare heartbeats have no value in either. Default `json`. */
  readonly format?: 'json' | 'avro';
  /**
   * How long a record that is not acknowledged is sent again before sending fails. In milliseconds; default 120 000, of
   * `sessions` without end.
   */
  readonly deliveryTimeoutMs?: DurationMs;
  /**
   * Told of a record that the topic has refused for its size after the call took it, since its `max.message.bytes` could not be
   * read or was lowered; all others go on. Default: the next `flush` or `close` rejects with it.
   */
  readonly onRefused?: (error: Error) => void;
}

/**
 * Says that sessions live. Records of one session reach the log in the order of the calls, each once, in the partition where
 * Java's default partitioner would put them. A call that returns a promise has taken its record, too: awaiting it before the
 * next call is what bounds memory. `timestamp` counts on `CreateTime` topics only: milliseconds since the epoch, default now.
 */
export interface Heartbeats {
  readonly partitionCount: number;
  partitionFor(id: SessionId): number;
  /** The session lives: an empty value, the cheapest record there is. */
  beat(id: SessionId, timestamp?: Millis): Promise<void> | undefined;
  /**
   * The session lives, and something is to be said about it. Throws for an event that no processor would take, or that is too
   * large for the topic.
   */
  event(id: SessionId, event: OutgoingEvent, timestamp?: Millis): Promise<void> | undefined;
  /** The session ends here, without waiting for its timeout. */
  end(id: SessionId, timestamp?: Millis): Promise<void> | undefined;
  /** Resolves when everything so far is in the log; rejects naming what is not. */
  flush(): Promise<void>;
  /** Takes nothing more, and resolves once what was taken is in the log. Idempotent. */
  close(): Promise<void>;
}

export interface SessionsOptions extends HeartbeatsOptions, SessionsLimits {}

/** Sessions that beat by themselves, thousands in one process. */
export interface Sessions {
  /** To be kept while the session lives: each call makes another, with a source of its own. */
  session(id: SessionId, options?: SessionOptions): Session;
  /** Number of sessions that beat. */
  readonly liveCount: number;
  /** Records dropped so far, since more were waiting for the broker than may. */
  readonly dropped: Dropped;
  /** Resolves when everything so far is in the log; rejects naming what is not. */
  flush(): Promise<void>;
  /**
   * Nothing beats any more, and everything said is in the log: rejects where that takes longer than `limitMs`, by default
   * 10 000 milliseconds. Sessions that were not ended end by their timeout.
   */
  close(limitMs?: DurationMs): Promise<void>;
}

export interface ItemsOptions extends ItemsLimits {
  /** The input topic of a pipeline of the kind `debounce`. */
  readonly topic: string;
  /** How long a record that is not acknowledged is sent again before sending fails. In milliseconds; default: without end. */
  readonly deliveryTimeoutMs?: DurationMs;
  /** Told of a record that the topic has refused for its size after the call took it. Default: the next `flush` or `close` rejects with it. */
  readonly onRefused?: (error: Error) => void;
}

export interface SchedulesOptions extends SchedulesLimits {
  /** The input topic of a pipeline of the kind `schedule`. */
  readonly topic: string;
  /** How long a record that is not acknowledged is sent again before its call rejects. In milliseconds; default 120 000. */
  readonly deliveryTimeoutMs?: DurationMs;
}
