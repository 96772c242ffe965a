// How the one session of an entry closes: by silence, by its length, by its own end, by an operator (S2, S4, Q4). With revisions it
// then waits (S9).
//
// Owns: nothing that outlives a call.
// Does not own: what is said of it (session-telling.ts), how it waits (revisions.ts), entries of several sessions
// (disordered-sessions.ts).
import type { Millis } from '@flatline/base';
import type { Effects } from '../contract.ts';
import { dueReason } from './deadline.ts';
import { readFragments } from './disorder-bytes.ts';
import type { Revisions, WhyClosed } from './revisions.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionTelling } from './session-telling.ts';
import type { SessionTouches } from './session-touches.ts';
import type { TakenRecord } from './taken-record.ts';

export interface SessionClosingParts extends SessionContext {
  readonly record: TakenRecord;
  readonly touches: SessionTouches;
  readonly telling: SessionTelling;
  readonly revisions: Revisions;
}

export class SessionClosing {
  readonly #parts: SessionClosingParts;

  constructor(parts: SessionClosingParts) {
    this.#parts = parts;
  }

  /** An explicit end is the session's last event: it is applied, then the session closes. */
  end(effects: Effects): void {
    const { record, touches, revisions } = this.#parts;
    const endedAt = record.event.occurredAt ?? record.at.timestamp;
    touches.apply(true, effects, false);
    this.close({ reason: 'ENDED' }, effects.clock, endedAt, effects);
    // Its window may end before its silence would have.
    if (revisions.isOn) effects.dueSooner();
  }

  /** The session has been silent for long enough, or lived for as long as one may. */
  due(at: Millis, effects: Effects): void {
    const { entry, rules, held } = this.#parts;
    const reason = dueReason(entry, rules, held);
    this.close({ reason }, at, undefined, effects);
  }

  close(why: WhyClosed, closedAt: Millis, endedAt: Millis | undefined, effects: Effects): void {
    const { entry, revisions, telling } = this.#parts;
    if (revisions.isOn) {
      revisions.keep({ ...readFragments(entry)[0]!, endedAt }, why, closedAt, effects);
      return;
    }
    telling.closed(why, closedAt, endedAt, effects);
    effects.end(closedAt);
  }
}
