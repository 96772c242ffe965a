// What is said of the one session of an entry: that it has opened, how it is, that it has closed (S4, S11).
//
// Owns: nothing that outlives a call.
// Does not own: when a session opens or closes (SessionKind), how it is said (session-voice.ts).
import type { Millis } from '@flatline/base';
import type { SessionState } from '@flatline/ports/formats';
import type { Effects, KindParts } from '../contract.ts';
import { type Closing, summarize } from './deadline.ts';
import type { SessionRules } from './entry.ts';
import type { WhyClosed } from './revisions.ts';
import type { SessionCounters } from './session-counters.ts';
import { type OnClosed, saySummary, type VoiceOptions } from './session-voice.ts';
import type { SessionWindow } from './session-window.ts';
import { noteTold, owesUpdate } from './told.ts';

export interface SessionTellingParts extends KindParts<SessionWindow, SessionCounters> {
  readonly rules: SessionRules;
  readonly voice: VoiceOptions;
  readonly onClosed: OnClosed;
}

type Said = Pick<Closing, keyof WhyClosed | 'closedAt' | 'endedAt'>;

export class SessionTelling {
  readonly #parts: SessionTellingParts;

  constructor(parts: SessionTellingParts) {
    this.#parts = parts;
  }

  /** Says that the session has opened, or how it is, where that is due after this touch. `seenBefore`: when it was last seen before. */
  touched(isLive: boolean, seenBefore: Millis, effects: Effects): void {
    const { entry, rules } = this.#parts;
    const isOwed = isLive ? owesUpdate(entry, rules, seenBefore) : rules.sayOpened === true;
    if (!isOwed) return;
    if (isLive) noteTold(entry);
    this.#say(isLive ? 'UPDATED' : 'OPENED', { reason: '', closedAt: effects.clock, endedAt: undefined }, effects);
  }

  closed(closing: Said, effects: Effects): void {
    this.#parts.onClosed(this.#parts.entry, this.#say('CLOSED', closing, effects));
  }

  #say(state: SessionState, closing: Said, effects: Effects): ReturnType<typeof summarize> {
    const { entry, rules, partition, held, voice } = this.#parts;
    const all = { ...closing, state, key: effects.key(), partition, emittedAt: effects.wall };
    const summary = summarize(entry, rules, all, held);
    saySummary(summary, voice, effects);
    return summary;
  }
}
