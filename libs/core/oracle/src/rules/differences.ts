// What tells two things with the same fields apart.

/** The names of what differs, with both values; empty where nothing does. A field that is left out is as good as null. */
export function fieldDifferences(
  found: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(expected)])].flatMap((name) => {
    if (found[name] === expected[name]) return [];
    const [a, b] = [shown(found[name]), shown(expected[name])];
    return a === b ? [] : [`${name} is ${a}, by the input ${b}`];
  });
}

/** Objects and maps of one content look the same, whatever their order; lists have theirs. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `[${value.join()}]`;
  if (Array.isArray(value)) return `[${value.map(shown).join()}]`;
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value);
  return `{${entries
    .map(([name, each]) => `${JSON.stringify(name)}:${shown(each)}`)
    .sort()
    .join()}}`;
}
