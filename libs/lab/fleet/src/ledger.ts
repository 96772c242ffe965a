// The truth about a simulated fleet, from acknowledgements only: unacknowledged records are not in it.
//
// Owns: the sessions not yet complete.
// Does not own: the file it is written to.
//
// Invariants
//   LG1  A session's entry comes once: when its final action and everything sent before are acknowledged, or by `cutOff`.
//   LG2  Memory is bounded by the live sessions and the producer's records under way.
import { assert, type DurationMs, type Millis } from '@flatline/base';
import type { FleetAction, FleetBeat, FleetEnding } from './fleet.ts';
import type { FleetEnd } from './fleet-plan.ts';

export type FleetFormat = 'bare' | 'json' | 'avro';

/** One line of a ledger file. Counts are of acknowledged records, times by this machine's wall clock. */
export interface LedgerEntry {
  readonly sessionId: string;
  readonly format: FleetFormat;
  readonly firstSentAt: Millis;
  readonly lastSentAt: Millis;
  /** Distinct heartbeats; an explicit end is not one. */
  readonly acknowledged: number;
  /** Heartbeats sent a second time. */
  readonly duplicates: number;
  /** Heartbeats never sent, each between two that were. */
  readonly lost: number;
  /** Heartbeats sent after the one that followed them. */
  readonly reordered: number;
  /** `cutOff`: the fleet was stopped before the session ended, so it fell silent. */
  readonly ended: FleetEnd | 'cutOff';
  /**
   * Upper bound on the time between two neighbouring records in the log: from the sending of one to the acknowledgement
   * of the next. If it reaches the session timeout, the log itself may show two sessions.
   */
  readonly longestGapMs: DurationMs;
}

export interface Acknowledgement {
  readonly sentAt: Millis;
  readonly acknowledgedAt: Millis;
}

interface OpenSession {
  firstSentAt: Millis;
  lastSentAt: Millis;
  acknowledged: number;
  duplicates: number;
  lost: number;
  reordered: number;
  ended: FleetEnd | undefined;
  longestGapMs: DurationMs;
  underWay: number;
}

export class Ledger {
  readonly #format: FleetFormat;
  readonly #open = new Map<string, OpenSession>();

  constructor(format: FleetFormat) {
    this.#format = format;
  }

  /** Sessions whose entry has not come yet. */
  get openSessions(): number {
    return this.#open.size;
  }

  lost(action: FleetAction): void {
    this.#session(action.sessionId).lost += 1;
  }

  sending(action: FleetBeat | FleetEnding): void {
    this.#session(action.sessionId).underWay += 1;
  }

  /** Acknowledgements of one session come in the order of sending. @returns the entry if this completes it. */
  acknowledged(action: FleetBeat | FleetEnding, times: Acknowledgement): LedgerEntry | undefined {
    const session = this.#session(action.sessionId);
    assert(session.underWay > 0, 'acknowledged what was sent', { session: action.sessionId });
    session.underWay -= 1;
    if (session.firstSentAt === Infinity) session.firstSentAt = times.sentAt;
    else session.longestGapMs = Math.max(session.longestGapMs, times.acknowledgedAt - session.lastSentAt);
    session.lastSentAt = times.sentAt;
    countAction(session, action);
    if (action.final) session.ended = action.kind === 'end' ? action.by : 'silence';
    return session.ended !== undefined ? this.#complete(action.sessionId, session, session.ended) : undefined;
  }

  /** Stops the fleet: returns the entries of all sessions heard of, as far as acknowledged. */
  cutOff(): LedgerEntry[] {
    const heard = [...this.#open].filter(([, session]) => session.acknowledged > 0);
    this.#open.clear();
    return heard.map(([id, session]) => this.#entry(id, session, session.ended ?? 'cutOff'));
  }

  #session(sessionId: string): OpenSession {
    let session = this.#open.get(sessionId);
    if (session === undefined) {
      session = {
        firstSentAt: Infinity,
        lastSentAt: -Infinity,
        acknowledged: 0,
        duplicates: 0,
        lost: 0,
        reordered: 0,
        ended: undefined,
        longestGapMs: 0,
        underWay: 0,
      };
      this.#open.set(sessionId, session);
    }
    return session;
  }

  #complete(sessionId: string, session: OpenSession, ended: FleetEnd): LedgerEntry {
    assert(session.underWay === 0, 'the final record is acknowledged last', { sessionId });
    this.#open.delete(sessionId);
    return this.#entry(sessionId, session, ended);
  }

  #entry(sessionId: string, session: OpenSession, ended: LedgerEntry['ended']): LedgerEntry {
    const { firstSentAt, lastSentAt, acknowledged, duplicates, lost, reordered, longestGapMs } = session;
    const counts = { acknowledged, duplicates, lost, reordered };
    return { sessionId, format: this.#format, firstSentAt, lastSentAt, ...counts, ended, longestGapMs };
  }
}

function countAction(session: OpenSession, action: FleetBeat | FleetEnding): void {
  if (action.kind === 'end') return;
  if (action.repeated) session.duplicates += 1;
  else session.acknowledged += 1;
  if (action.heldBack && !action.repeated) session.reordered += 1;
}
