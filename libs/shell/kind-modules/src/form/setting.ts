// Building blocks of settings, and the words that go with each: for its row in docs/CONFIGURATION.md, and for editors.
import type { DurationMs } from '@flatline/base';
import { z } from 'zod';

/** The longest length of time that a setting takes: a hundred years of 365 days. */
export const DURATION_MAX_MS: DurationMs = 3_153_600_000_000;
const TOPIC_LENGTH_MAX = 249;

export const duration = z.int().min(1).max(DURATION_MAX_MS);
export const durationOrNone = z.int().min(0).max(DURATION_MAX_MS);
export const topic = z
  .string()
  .max(TOPIC_LENGTH_MAX)
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]+$/, 'a topic name: letters, digits, ".", "_" and "-"');

export interface SettingWords {
  /** Last cell of its row, in the page's markup. */
  readonly meaning: string;
  /** The unit of a number whose name does not end in one (`…Ms`, `…Bytes`). */
  readonly unit?: string;
  /** Name of a setting beside which this one, which has no default, may be left out: it follows from that. */
  readonly orSetting?: string;
}

/** By schema, since a setting that two kinds share is one schema. */
export const SETTING_WORDS = z.registry<SettingWords>();

/** A setting of a kind: its form with the default, and what is said of it. */
export function setting<Form extends z.ZodType>(
  form: Form,
  meaning: string,
  more: string | Omit<SettingWords, 'meaning'> = {},
): Form {
  // A copy: pieces such as `duration` are many settings.
  const own = form.clone();
  SETTING_WORDS.add(own, { meaning, ...(typeof more === 'string' ? { unit: more } : more) });
  return own;
}

/** Unit that a setting's name ends in; undefined: it says none. */
export function unitByName(setting: string): string | undefined {
  if (setting.endsWith('Ms')) return 'ms';
  return setting.endsWith('Bytes') ? 'bytes' : undefined;
}
