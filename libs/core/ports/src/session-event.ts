import type { DurationMs, Millis } from '@flatline/base';

export const HEARTBEAT = 'HEARTBEAT';
export const STARTED = 'STARTED';
export const ENDED = 'ENDED';
/** Says which sender numbered the event (S5), as its field `source` does. */
export const SOURCE_HEADER = 'flatline-source';
/** UTF-8 bytes of a source's name. */
export const SOURCE_BYTES_MAX = 64;

/**
 * One decoded event (`schemas/session-event.avsc`), its texts well-formed Unicode. Mutable on purpose: the decoder fills one scratch object again and
 * again, so that a record costs no allocation beyond its strings.
 */
export interface SessionEvent {
  type: string;
  /** Event time, in milliseconds since the epoch; undefined: the record's timestamp stands for it. */
  occurredAt: Millis | undefined;
  eventId: string | undefined;
  /** Per-session counter of its source, a safe integer ≥ 0. */
  sequence: number | undefined;
  /** The session's timeout from this event on, in milliseconds (S7); undefined: it chooses none. */
  timeoutMs: DurationMs | undefined;
  /** undefined: none. A Map, so that `__proto__` is a key like any other (I3). */
  attributes: Map<string, string> | undefined;
  /** Which of a session's senders this one is (S5); undefined: the unnamed one. */
  source: string | undefined;
}

export function blankEvent(): SessionEvent {
  return {
    type: HEARTBEAT,
    occurredAt: undefined,
    eventId: undefined,
    sequence: undefined,
    timeoutMs: undefined,
    attributes: undefined,
    source: undefined,
  };
}

export function resetEvent(event: SessionEvent): void {
  event.type = HEARTBEAT;
  event.occurredAt = undefined;
  event.eventId = undefined;
  event.sequence = undefined;
  event.timeoutMs = undefined;
  event.attributes = undefined;
  event.source = undefined;
}
