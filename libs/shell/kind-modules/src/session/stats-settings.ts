// Settings of statistics of sessions (S12).
import { CHANGELOG_FORMAT_WITH_KEPT, type DurationMs } from '@flatline/base';
import { CELLS_MAX, cellsOf, type StatisticsRules } from '@flatline/kinds/session';
import { z } from 'zod';
import type { Problem } from '../form/problem.ts';
import type { AnySection } from '../form/section.ts';
import { setting } from '../form/setting.ts';

/** Each is a multiple of the one before. */
export const WINDOW_MS = {
  '10s': 10_000,
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
} as const satisfies Record<string, DurationMs>;
export type WindowName = keyof typeof WINDOW_MS;

const WINDOWS_MAX = 3;
const DIMENSIONS_MAX = 3;
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

export const statsForm = z.strictObject({
  windows: z
    .array(z.enum(Object.keys(WINDOW_MS) as [WindowName, ...WindowName[]]))
    .min(1)
    .max(WINDOWS_MAX)
    .default(['1m', '1h', '1d']),
  dimensions: z
    .array(
      z.strictObject({
        name: z.string().max(64).regex(NAME, 'a letter, then letters, digits, "_" and "-"'),
        attribute: z.string().min(1).max(256),
        max: setting(z.int().min(1).max(CELLS_MAX), 'Values with a place of their own; others are `other`', 'values'),
      }),
    )
    .max(DIMENSIONS_MAX)
    .default([]),
});

/** The topic of the statistics. */
export function statsTopicOf(outputTopic: string): string {
  return `${outputTopic}.stats`;
}

type StatsSection = AnySection & { readonly stats?: z.output<typeof statsForm> | undefined };

export function statsProblems({ stats, proof, changelogFormat }: StatsSection): Problem[] {
  if (stats === undefined) return [];
  const found: Problem[] = [];
  const refuse = (where: string, value: unknown, problem: string, involved: string[] = []): void => {
    found.push({ setting: where, value, problem, involved });
  };
  const { windows, dimensions } = stats;
  if (new Set(windows).size < windows.length) refuse('stats.windows', windows, 'each window once');
  const names = dimensions.map(({ name }) => name);
  if (new Set(names).size < names.length) refuse('stats.dimensions', names, 'each dimension with a name of its own');
  const cells = cellsOf(rulesOf(stats));
  if (cells > CELLS_MAX)
    refuse(
      'stats.dimensions',
      dimensions.map(({ max }) => max),
      `at most ${CELLS_MAX} cells, and these are ${cells}: for each window the product of max + 2 over all dimensions. Every ` +
        'commit carries them: lower max, or leave out a dimension or a window',
      ['stats.windows'],
    );
  // The clock of a window's end must be one that the log tells.
  if (proof === 'fetch')
    refuse('stats', stats, 'needs proof "record": no log tells which clocks another proof went through (rule C3)', [
      'proof',
    ]);
  if (changelogFormat < CHANGELOG_FORMAT_WITH_KEPT)
    refuse('stats', stats, `needs changelogFormat ${CHANGELOG_FORMAT_WITH_KEPT}, which has them`, ['changelogFormat']);
  return found;
}

interface StatsPart {
  readonly stats: StatisticsRules | undefined;
  /** Topics beside the output. */
  readonly targets: readonly string[];
}

export function statsPart({ stats, output }: StatsSection): StatsPart {
  if (stats === undefined) return { stats: undefined, targets: [] };
  return { stats: rulesOf(stats), targets: [statsTopicOf(output.topic)] };
}

function rulesOf({ windows, dimensions }: z.output<typeof statsForm>): StatisticsRules {
  const lengths = [...new Set(windows.map((name) => WINDOW_MS[name]))].sort((a, b) => a - b);
  return { windows: lengths, dimensions: dimensions.map(({ name, attribute, max }) => ({ name, attribute, max })) };
}
