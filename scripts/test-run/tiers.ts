/** Tiers of tests, from the quickest to the one that sees most. */
export const tiers = ['unit', 'property', 'simulation', 'broker', 'end-to-end'] as const;

export type Tier = (typeof tiers)[number];

/** True if a test file starts a broker, or uses one through a fixture. Lines of a string do not begin with `import`. */
export function importsBroker(source: string): boolean {
  return /^(import|\}) .*from '(@flatline\/dev-broker|[^']*\bbroker\.fixture\.ts)'/m.test(source);
}

/** The tier of a test file, by its place and its imports. */
export function tierOf(path: string, source: string): Tier {
  if (path.includes('apps/lab/e2e/')) return 'end-to-end';
  if (path.includes('libs/lab/dev-broker/') || importsBroker(source) || source.includes("process.env['KAFKA_BROKERS']"))
    return 'broker';
  if (
    path.includes('libs/lab/cluster/') ||
    path.includes('apps/lab/worlds/') ||
    /^(import|\}) .*(@flatline\/cluster|world\.fixture)/m.test(source)
  )
    return 'simulation';
  return /^import .*'fast-check'/m.test(source) ? 'property' : 'unit';
}

/** True if a test file is long by nature: `npm run gate` runs it, `npm test` does not. */
export function isLong(path: string): boolean {
  return path.endsWith('.long.test.ts');
}

/** True if a seed draws a test file's cases, so that another seed explores others. */
export function bySeed(source: string): boolean {
  return source.includes("process.env['SEED']") || /^import .*'fast-check'/m.test(source);
}
