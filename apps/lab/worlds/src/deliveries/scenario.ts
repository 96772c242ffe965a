// Draws a world of deliveries by seed: the endpoints, and the configuration that has them.
import { type FlatlineConfig, resolveConfiguration } from '@flatline/config';
import { Simulation } from '@flatline/cluster';
import type { Random } from '@flatline/base';

export interface DeliveryScenario {
  readonly partitions: number;
  readonly config: FlatlineConfig;
  /** By endpoint: what its receiver knows. */
  readonly secrets: ReadonlyMap<string, readonly DrawnSecret[]>;
}

export interface DrawnSecret {
  readonly version: 'v1' | 'v1a';
  readonly bytes: Buffer;
}

export const PIPELINE = 'visits';
const ENDPOINTS_MAX = 3;

export function drawDeliveries(seed: number): DeliveryScenario {
  const random = new Simulation({ seed }).random('deliveries');
  const partitions = 1 + random.below(2);
  const names = Array.from({ length: 1 + random.below(ENDPOINTS_MAX) }, (_, i) => `e${i}`);
  const secrets = new Map(names.map((name) => [name, drawnSecrets(random)]));
  const environment: Record<string, string> = {};
  for (const [name, each] of secrets)
    each.forEach(({ version, bytes }, i) => {
      environment[`${name}_${i}`] = `${version === 'v1' ? 'whsec_' : 'whsk_'}${bytes.toString('base64')}`;
    });
  const endpoints = names.map((name) => ({
    name,
    url: `http://${name}.example/hooks?of=${name}`,
    secrets: secrets.get(name)!.map((_, i) => ({ env: `${name}_${i}` })),
    ...(random.chance(0.3) && { on: ['TIMEOUT'] }),
    order: random.chance(0.5) ? 'key' : 'none',
    supersede: random.chance(0.3),
    timeoutMs: 1_000 + random.below(1_000),
    maxInFlight: 1 + random.below(4),
    ...(random.chance(0.3) && { maxPerSecond: 5 + random.below(20) }),
  }));
  const written = {
    application: 'world',
    brokers: ['nowhere:9092'],
    commitIntervalMs: 200,
    pipelines: [
      {
        name: PIPELINE,
        kind: 'session',
        timeoutMs: 1_500,
        input: { topic: `${PIPELINE}-in` },
        output: { topic: `${PIPELINE}-out` },
      },
    ],
    notifier: { endpoints },
  };
  const config = resolveConfiguration(written, { source: 'world', folder: '/', environment });
  return { partitions, config, secrets };
}

/** One, or two during a rotation. */
function drawnSecrets(random: Random): readonly DrawnSecret[] {
  return Array.from({ length: 1 + random.below(2) }, () => ({
    version: random.chance(0.7) ? ('v1' as const) : ('v1a' as const),
    bytes: Buffer.from(Array.from({ length: 32 }, () => random.below(256))),
  }));
}
