/** Tiers of tests, from the quickest to the one that sees most. */
export const tiers = ['unit', 'property', 'simulation', 'broker', 'end-to-end'] as const;

export type Tier = (typeof tiers)[number];

/** Whether a test file starts a broker, or talks to one through a fixture. Lines of a string do not begin with `import`. */
export function importsBroker(source: string): boolean {
  return /^(import|\}) .*from '(@flatline\/dev-broker|[^']*\bbroker\.fixture\.ts)'/m.test(source);
}

/** The tier of a test file by where it lies and what it imports. */
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

/** Whether a test file is long by nature: `npm run gate` runs it, `npm test` does not. */
export function isLong(path: string): boolean {
  return path.endsWith('.long.test.ts');
}

/** Whether a seed draws a test file's cases, so that another one looks further. */
export function bySeed(source: string): boolean {
  return source.includes("process.env['SEED']") || /^import .*'fast-check'/m.test(source);
}
