// Acts of an operator on the sessions of a key (Q4): ends them, or those that have an attribute, or erases the key (E1).
//
// An act is no activity and no event: it ends what is open as it stands, at once, whatever the grace (C7). A session that has ended
// by its own word and waits for the grace, or has closed and waits for revisions (S9), is over without it.
import type { Millis } from '@flatline/base';
import type { Eviction } from '../acts/eviction.ts';
import { asksEnd } from '../acts/end-header.ts';
import type { Effects, Evicting, GroupRecords } from '../contract.ts';
import { isClosed } from './closed-mark.ts';
import { readFragments } from './disorder-bytes.ts';
import type { DisorderedSessions } from './disordered-sessions.ts';
import { isEarly } from './early-data.ts';
import type { SessionEntry } from './entry.ts';
import { asksErasure } from './erasing/erase-header.ts';
import type { Fragment } from './fragment.ts';
import type { Revisions, WhyClosed } from './revisions.ts';
import type { SessionClosing } from './session-closing.ts';
import type { SessionContext } from './session-context.ts';

export interface SessionActsParts extends SessionContext {
  readonly disordered: DisorderedSessions;
  readonly revisions: Revisions;
  readonly closing: SessionClosing;
}

const EVICTED: WhyClosed = { reason: 'EVICTED' };
const ENDED_BY_OPERATOR: WhyClosed = { reason: 'ENDED', byOperator: true };

export class SessionActs implements Evicting {
  readonly #parts: SessionActsParts;

  constructor(parts: SessionActsParts) {
    this.#parts = parts;
  }

  /** True if the record shown, which has no value, is an act on its key: it is done. */
  take({ headers, index }: GroupRecords, isLive: boolean, effects: Effects): boolean {
    const said = headers.headersOf(index);
    if (asksErasure(said)) this.#erase(isLive, effects);
    else if (asksEnd(said)) this.#end(isLive, effects);
    else return false;
    return true;
  }

  concerns(eviction: Eviction): boolean {
    const { entry } = this.#parts;
    if (!this.#isOpen) return false;
    if (!entry.hasDisorder) return isConcerned(entry, eviction);
    return readFragments(entry).some((fragment) => isOpenAnd(fragment, (one) => isConcerned(one, eviction)));
  }

  evict(eviction: Eviction, effects: Effects): void {
    this.#endThose((session) => isConcerned(session, eviction), EVICTED, eviction.at, effects);
  }

  #end(isLive: boolean, effects: Effects): void {
    const { counters, revisions } = this.#parts;
    const isDone = isLive && this.#isOpen && this.#endThose(() => true, ENDED_BY_OPERATOR, effects.clock, effects);
    if (!isDone) counters.unmatchedEnds += 1;
    // A window for revisions may end before its silence would have.
    else if (revisions.isOn) effects.dueSooner();
  }

  /** Nothing of the key stays, and nothing is said but that no more comes of a summary that was (E1). */
  #erase(isLive: boolean, effects: Effects): void {
    const { entry, counters, revisions, stats } = this.#parts;
    counters.erasures += 1;
    effects.purge();
    if (!isLive) return;
    if (isClosed(entry)) {
      revisions.due(effects.clock, effects);
      return;
    }
    stats?.erased();
    effects.end(effects.clock);
  }

  get #isOpen(): boolean {
    const { entry } = this.#parts;
    return !isClosed(entry) && !isEarly(entry);
  }

  #endThose(which: (session: SessionEntry) => boolean, why: WhyClosed, at: Millis, effects: Effects): boolean {
    const { entry, disordered, closing } = this.#parts;
    if (!entry.hasDisorder) {
      closing.close(why, at, undefined, effects);
      return true;
    }
    const fragments = readFragments(entry);
    const ended = fragments.filter((fragment) => isOpenAnd(fragment, which));
    if (ended.length === 0) return false;
    const left = fragments.filter((fragment) => !ended.includes(fragment));
    disordered.close(
      ended.map((fragment) => ({ fragment, why, at })),
      left,
      effects,
    );
    return true;
  }
}

function isOpenAnd(fragment: Fragment, which: (session: SessionEntry) => boolean): boolean {
  return fragment.endedAt === undefined && which(fragment);
}

/** An attribute never changes but by a record that is then the session's last. */
function isConcerned({ lastOffset, detail }: SessionEntry, { place, name, value }: Eviction): boolean {
  return lastOffset < place && detail?.texts?.hasAttribute(name, value) === true;
}
