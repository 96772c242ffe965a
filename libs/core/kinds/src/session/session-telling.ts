// Tells of the one session of an entry: that it has opened, how it is, that it has closed (S4, S11).
//
// Owns: nothing that outlives a call.
// Does not own: when a session opens or closes (session-opening.ts, session-closing.ts), how it is said (session-voice.ts).
import type { Millis } from '@flatline/base';
import type { SessionState } from '@flatline/ports/formats';
import type { Effects } from '../contract.ts';
import { type Closing, summarize } from './deadline.ts';
import type { WhyClosed } from './revisions.ts';
import type { SessionContext } from './session-context.ts';
import { saySummary } from './session-voice.ts';
import { noteTold, owesUpdate } from './told.ts';

type Why = Pick<Closing, keyof WhyClosed>;

const LIVES: Why = { reason: '' };

export class SessionTelling {
  readonly #parts: SessionContext;

  constructor(parts: SessionContext) {
    this.#parts = parts;
  }

  /** Says that the session has opened, or how it is, where that is due after this touch. `seenBefore`: when it was last seen before. */
  touched(isLive: boolean, seenBefore: Millis, effects: Effects): void {
    const { entry, rules } = this.#parts;
    const isOwed = isLive ? owesUpdate(entry, rules, seenBefore) : rules.sayOpened === true;
    if (!isOwed) return;
    if (isLive) noteTold(entry);
    this.#say(isLive ? 'UPDATED' : 'OPENED', LIVES, effects.clock, undefined, effects);
  }

  closed(why: WhyClosed, closedAt: Millis, endedAt: Millis | undefined, effects: Effects): void {
    this.#parts.onClosed(this.#parts.entry, this.#say('CLOSED', why, closedAt, endedAt, effects));
  }

  /** Written out field by field: of a million that close together, none pays for a copy of why it did. */
  #say(
    state: SessionState,
    { reason, byOperator }: Why,
    closedAt: Millis,
    endedAt: Millis | undefined,
    effects: Effects,
  ): ReturnType<typeof summarize> {
    const { entry, rules, partition, held, voice } = this.#parts;
    const key = effects.key();
    const emittedAt = effects.wall;
    const closing = { key, partition, state, reason, byOperator, closedAt, endedAt, emittedAt };
    const summary = summarize(entry, rules, closing, held);
    saySummary(summary, voice, effects);
    return summary;
  }
}
