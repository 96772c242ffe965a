// Rules of sessions under the names that people know them by (docs/PRESETS.md). A preset fills in what is left out, and is no rule
// itself: what it comes to is kept with the changelog, not its name.
import type { DurationMs } from '@flatline/base';
import type { Problem } from '../form/problem.ts';
import { duration } from '../form/setting.ts';

type PresetSettings = Readonly<
  Partial<Record<'minTimeoutMs' | 'maxTimeoutMs' | 'maxDurationMs', DurationMs>> & { timeoutMs: DurationMs }
>;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const PRESETS = {
  web: { timeoutMs: 30 * MINUTE, maxDurationMs: 24 * HOUR },
  mobile: { timeoutMs: 5 * MINUTE },
  // Two beats of ten seconds.
  player: { timeoutMs: 20 * SECOND },
  ga4: { timeoutMs: 30 * MINUTE, maxTimeoutMs: 7 * HOUR + 55 * MINUTE },
  posthog: { timeoutMs: 30 * MINUTE, minTimeoutMs: MINUTE, maxTimeoutMs: 10 * HOUR, maxDurationMs: 24 * HOUR },
} as const satisfies Readonly<Record<string, PresetSettings>>;

export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

/** Default of `maxTimeoutMs`. */
export const TIMEOUT_MAX_MS: DurationMs = 31_536_000_000;

/** A setting that is there stays. Nothing is checked yet: values may be of any type. */
export function fillPreset(written: Record<string, unknown>): void {
  const { preset, maxTimeoutMs } = written;
  if (preset === undefined) return;
  // An unknown preset is the only thing to say: no timeout is missing, and none is too short for the rest.
  const unknown = [['timeoutMs', duration.safeParse(maxTimeoutMs).data ?? TIMEOUT_MAX_MS]] as const;
  for (const [setting, value] of settingsOf(preset) ?? unknown)
    if (written[setting] === undefined) written[setting] = value;
}

function settingsOf(preset: unknown): [setting: string, value: DurationMs][] | undefined {
  return PRESET_NAMES.some((name) => name === preset) ? Object.entries(PRESETS[preset as PresetName]) : undefined;
}

/** A section, or what is known of one. */
interface WithPreset {
  readonly preset?: PresetName | undefined;
  readonly [setting: string]: unknown;
}

/** The problems of a section, and where the values come from that its author has not written. */
export function withPreset(section: WithPreset, problems: readonly Problem[]): Problem[] {
  return problems.map((found) => ({
    ...found,
    problem: `${found.problem}${presetWords(section, [found.setting, ...(found.involved ?? [])])}`,
  }));
}

/** Which of `settings` have the preset's value, as the end of a message; empty: none. */
export function presetWords(section: WithPreset, settings: readonly string[]): string {
  const { preset } = section;
  const set = settingsOf(preset)?.filter(([name, value]) => settings.includes(name) && section[name] === value) ?? [];
  if (set.length === 0) return '';
  const values = set.map(([name, value]) => `${name} to ${value}`).join(', ');
  return `; preset "${preset!}" sets ${values}: leave the preset out, and set what you need`;
}
