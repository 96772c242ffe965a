/** Tiers of tests, from the quickest to the one that sees most. */
export const tiers = ['unit', 'property', 'simulation', 'broker', 'end-to-end'] as const;

export type Tier = (typeof tiers)[number];

/** The tier of a test file by where it lies and what it imports. */
export function tierOf(path: string, source: string): Tier {
  if (path.includes('apps/e2e/')) return 'end-to-end';
  if (path.includes('libs/dev-broker/') || /@flatline\/dev-broker|broker\.fixture|KAFKA_BROKERS/.test(source))
    return 'broker';
  if (path.includes('libs/simulation/') || /@flatline\/simulation|world\.fixture/.test(source)) return 'simulation';
  return source.includes("from 'fast-check'") ? 'property' : 'unit';
}
