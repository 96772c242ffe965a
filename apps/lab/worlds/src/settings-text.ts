// A processor's settings in the changelog, as JSON (docs/FORMATS.md, Changelog): those that a checker must know.
import type { JudgedRules } from '@flatline/oracle';

/** Rules that are no settings: bounds of the program, and parts that only a checker has. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['kind', 'calendar', 'reduce', 'hashes', 'entriesMax', 'keyBytesMax']);

export function settingsText(rules: JudgedRules): string {
  const said = Object.entries(rules).filter(([name]) => !NO_SETTINGS.has(name));
  const written = said.map(([name, value]: [string, unknown]) => [
    name,
    value === Infinity ? 'unlimited' : (value ?? null),
  ]);
  return JSON.stringify(Object.fromEntries(written));
}
