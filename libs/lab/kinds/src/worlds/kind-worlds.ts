// A kind's part in its worlds: their share, when they begin, and the settings that a seed draws.
import type { DurationMs, KindName, Millis, Random } from '@flatline/base';
import type { Simulation } from '@flatline/cluster';
import type { KindScenario } from './common-rules.ts';
import type { SimulatedKind } from './simulated-kind.ts';

/** Features of a drawn world that a kind may have to change. */
export interface WorldTerms extends Pick<KindScenario, 'timestampType' | 'proof' | 'heldTime'> {
  readonly keys: number;
  /** True if every assumption of C3 holds. */
  readonly hidesNothing: boolean;
  readonly uncleanElections: boolean;
  readonly brokersSkewMs: DurationMs;
}

/** The pipeline of one world, as a seed has drawn it. */
export interface WorldSubject<Kind extends KindName = KindName> {
  readonly kind: Kind;
  /** The kind's own settings, as a report shows them. */
  readonly rules: object;
  /** D2; undefined: there is no limit. */
  readonly maxDuePerSecond: number | undefined;
  /** Replacements for features of a world that the kind's configuration refuses or its actors cannot cope with. */
  fit(world: WorldTerms, random: Random): Partial<WorldTerms>;
  /** True if processes may be started with other settings: not where no judge could tell which were in force (K1). */
  mayChange(world: Pick<WorldTerms, 'timestampType'>): boolean;
  /** Returns the subject with other settings, as a rollout may bring them. */
  changed(random: Random): WorldSubject<Kind>;
  simulate(simulation: Simulation, scenario: KindScenario): SimulatedKind;
}

export interface KindWorlds<Kind extends KindName> {
  /** Number of worlds in a hundred; `rest`: those that other kinds leave. */
  readonly share: number | 'rest';
  /** Names of counts that its worlds must have seen (V12), without the prefix `<kind>/`. */
  readonly reach: readonly string[];
  /** Start of a world; undefined: the default of simulations. */
  startAt(random: Random): Millis | undefined;
  draw(random: Random): WorldSubject<Kind>;
}

/** Maximum keys of a world whose kind keeps a large state for each. */
const KEYS_MAX = 10;

export function fewKeys({ keys }: Pick<WorldTerms, 'keys'>): number {
  return Math.min(keys, KEYS_MAX);
}
