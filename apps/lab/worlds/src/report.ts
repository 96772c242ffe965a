// The text of a campaign's result.
import type { KindName } from '@flatline/base';
import { missedOfWorlds } from './other-reach.ts';
import { missedOf, REACH_SEEDS_MIN } from './reach.ts';
import type { SeedResult, Tally, WorldName } from './tally.ts';

const VIOLATIONS_SHOWN = 10;
const NAMES_PER_LINE = 6;

export function failureText({ seed, kind, world, violations, lines }: SeedResult): string {
  return [
    `seed ${seed}${kind === undefined ? '' : ` (${kind})`} FAILED`,
    ...violations.slice(0, VIOLATIONS_SHOWN).map((violation) => `  ${violation}`),
    ...(violations.length > VIOLATIONS_SHOWN ? [`  and ${violations.length - VIOLATIONS_SHOWN} more`] : []),
    ...lines.map((line) => `    ${line}`),
    `rerun: npm run worlds -- --seed ${seed}${kind === undefined ? '' : ` --kind ${kind}`}${world === undefined ? '' : ` --world ${world}`}`,
  ].join('\n');
}

export function tallyText({ seeds, virtualMs, failures, fired }: Tally, elapsedMs: number): string {
  const hours = virtualMs / 3_600_000;
  const minutes = elapsedMs / 60_000;
  const counts = [...fired].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} ${count}`);
  const rows = counts.flatMap((_, at) => (at % NAMES_PER_LINE === 0 ? [counts.slice(at, at + NAMES_PER_LINE)] : []));
  return [
    'what happened:',
    ...rows.map((row) => `  ${row.join(', ')}`),
    `simulated ${seeds} seeds, ${hours.toFixed(1)} hours of cluster time in ${minutes.toFixed(2)} minutes: ` +
      `${(hours / minutes).toFixed(0)} simulated hours per minute`,
    `${failures.length} of ${seeds} seeds failed`,
  ].join('\n');
}

/** undefined: everything happened, or there were too few seeds to tell. */
export function missedText({ seeds, fired }: Tally, world?: WorldName, kind?: KindName): string | undefined {
  const missed = world === undefined ? missedOfPipelines(seeds, fired, kind) : missedOfWorlds(world, seeds, fired);
  return missed.length === 0 ? undefined : `INVALID: in ${seeds} seeds there never was ${missed.join(', ')}`;
}

/** A campaign that time has cut short of the seeds that tell says so; `wanted`: how many were asked for. undefined: it was not. */
export function cutShortText({ seeds }: Pick<Tally, 'seeds'>, wanted: number): string | undefined {
  if (wanted < REACH_SEEDS_MIN || seeds >= REACH_SEEDS_MIN) return undefined;
  return `not run: that each kind of fault happens is judged from ${REACH_SEEDS_MIN} seeds on, and time was up after ${seeds}`;
}

/** Worlds of one kind cannot reach what those of others do. */
function missedOfPipelines(
  seeds: number,
  fired: ReadonlyMap<string, number>,
  kind: KindName | undefined,
): readonly string[] {
  return seeds < REACH_SEEDS_MIN || kind !== undefined ? [] : missedOf(fired);
}
