import type { DurationMs, Millis } from '@flatline/base';

export const HEARTBEAT = 'HEARTBEAT';
export const STARTED = 'STARTED';
export const ENDED = 'ENDED';

/**
 * One decoded event (`schemas/session-event.avsc`), its texts well-formed Unicode. Mutable on purpose: the decoder fills one scratch object again and
 * again, so that a record costs no allocation beyond its strings.
 */
export interface SessionEvent {
  type: string;
  /** Event time, in milliseconds since the epoch; undefined: the record's timestamp stands for it. */
  occurredAt: Millis | undefined;
  eventId: string | undefined;
  /** Per-session counter of the producer, a safe integer ≥ 0. */
  sequence: number | undefined;
  /** The session's timeout from this event on, in milliseconds (S7); undefined: it chooses none. */
  timeoutMs: DurationMs | undefined;
  /** undefined: none. A Map, so that `__proto__` is a key like any other (I3). */
  attributes: Map<string, string> | undefined;
}

export function blankEvent(): SessionEvent {
  return {
    type: HEARTBEAT,
    occurredAt: undefined,
    eventId: undefined,
    sequence: undefined,
    timeoutMs: undefined,
    attributes: undefined,
  };
}

export function resetEvent(event: SessionEvent): void {
  event.type = HEARTBEAT;
  event.occurredAt = undefined;
  event.eventId = undefined;
  event.sequence = undefined;
  event.timeoutMs = undefined;
  event.attributes = undefined;
}
