// What a processor says of its settings in the changelog (docs/FORMATS.md, Changelog): what a checker has to know, as JSON.
import type { JudgedRules } from '@flatline/oracle';

/** What is no setting: bounds of the program, and what only a checker has. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['kind', 'calendar', 'reduce', 'entriesMax', 'keyBytesMax']);

export function settingsText(rules: JudgedRules): string {
  const said = Object.entries(rules).filter(([name]) => !NO_SETTINGS.has(name));
  const written = said.map(([name, value]: [string, unknown]) => [
    name,
    value === Infinity ? 'unlimited' : (value ?? null),
  ]);
  return JSON.stringify(Object.fromEntries(written));
}
