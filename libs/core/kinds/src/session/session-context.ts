// Sessions at work in one partition, as each of their parts is given them.
import type { KindParts } from '../contract.ts';
import type { SessionRules } from './entry.ts';
import type { SessionCounters } from './session-counters.ts';
import type { OnClosed, VoiceOptions } from './session-voice.ts';
import type { SessionWindow } from './session-window.ts';
import type { SessionStatistics } from './statistics/session-statistics.ts';

export interface SessionContext extends KindParts<SessionWindow, SessionCounters> {
  readonly rules: SessionRules;
  readonly voice: VoiceOptions;
  /** A session has closed, as its first summary says. */
  readonly onClosed: OnClosed;
  /** undefined: nothing is counted (S12). */
  readonly stats: SessionStatistics | undefined;
}
