// How sessions are configured as a kind: their inputs, their rules, how they are read and said.
import type { DurationMs } from '@flatline/base';
import type { EventDecoder } from '@flatline/ports/formats';
import type { SessionRules } from './entry.ts';
import type { VoiceOptions } from './session-voice.ts';
import type { StatisticsVoice } from './statistics/statistics-voice.ts';

/** Options of one of several inputs (S8). */
export interface SessionInput {
  readonly decoder: EventDecoder;
  /** Its records are activity; else they only add data. */
  readonly touches: boolean;
  /** Decides on a record whose key has no session: it opens one, is kept for `holdMs` at most, or is refused. */
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  readonly holdMs: DurationMs;
}

export interface SessionOptions extends VoiceOptions {
  /** Inputs of the pipeline, by their numbers. Default: one, all of it activity, read by `decoder`. */
  readonly inputs?: readonly SessionInput[];
  readonly rules: SessionRules;
  readonly decoder: EventDecoder;
  /** How statistics are said, where the rules ask for them (S12). */
  readonly stats?: StatisticsVoice | undefined;
}

/** One schema may be met in several inputs. */
export async function prepareAll({ decoder, inputs }: SessionOptions, schemaId: number): Promise<void> {
  const decoders = inputs === undefined ? [decoder] : new Set(inputs.map((input) => input.decoder));
  for (const each of decoders) await each.prepare(schemaId);
}
