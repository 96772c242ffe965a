// The sum over the seeds of a campaign.
//
// Owns: counts.
// Does not own: their meaning (reach.ts), their presentation (report.ts).
import type { KindName } from '@flatline/base';
import type { SeedReport } from './world.ts';

/**
 * Worlds of another make: of keys that are asked for (looking/), of pipelines that routes join (chains/), of outputs that go to webhooks
 * (deliveries/), of tasks that workers of the SDK work off (tasks/). Each is drawn by its seed alone.
 */
export type WorldName = 'lookUps' | 'chain' | 'deliveries' | 'tasks';

/** A world to simulate; without a kind, the one that its seed draws. */
export interface WorldWanted {
  readonly seed: number;
  readonly kind?: KindName | undefined;
  /** Default: of one pipeline. */
  readonly world?: WorldName | undefined;
}

/** A seed's report, sent from a worker to the campaign. */
export interface SeedResult {
  readonly seed: number;
  readonly kind: KindName | undefined;
  readonly world?: WorldName | undefined;
  readonly violations: readonly string[];
  readonly virtualMs: number;
  readonly fired: readonly (readonly [string, number])[];
  readonly lines: readonly string[];
}

const LINES_KEPT = 60;

export function resultOf({ seed, kind, violations, virtualMs, fired, lines }: SeedReport): SeedResult {
  return {
    seed,
    kind,
    violations,
    virtualMs,
    fired: [...fired],
    lines: violations.length > 0 ? lines.slice(-LINES_KEPT) : [],
  };
}

export class Tally {
  readonly fired = new Map<string, number>();
  readonly failures: SeedResult[] = [];
  #seeds = 0;
  #virtualMs = 0;

  get seeds(): number {
    return this.#seeds;
  }

  get virtualMs(): number {
    return this.#virtualMs;
  }

  add(result: SeedResult): void {
    this.#seeds += 1;
    this.#virtualMs += result.virtualMs;
    for (const [name, count] of result.fired) this.fired.set(name, (this.fired.get(name) ?? 0) + count);
    if (result.violations.length > 0) this.failures.push(result);
  }
}
