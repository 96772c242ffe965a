// What a pipeline of sessions is configured with.
import type { DurationMs } from '@flatline/base';
import type { EventDecoder } from '@flatline/ports/formats';
import type { SessionRules } from './entry.ts';
import type { VoiceOptions } from './session-voice.ts';
import type { StatisticsVoice } from './statistics/statistics-voice.ts';

/** What one of several inputs brings (S8). */
export interface SessionInput {
  readonly decoder: EventDecoder;
  /** Its records are activity; else they only add data. */
  readonly touches: boolean;
  /** What becomes of one whose key has no session: it opens one, is kept for `holdMs` at most, or is refused. */
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  readonly holdMs: DurationMs;
}

export interface SessionOptions extends VoiceOptions {
  /** Those of the pipeline, by their numbers. Default: one, of which all is activity, read by `decoder`. */
  readonly inputs?: readonly SessionInput[];
  readonly rules: SessionRules;
  readonly decoder: EventDecoder;
  /** How statistics are said, where the rules ask for them (S12). */
  readonly stats?: StatisticsVoice | undefined;
}
