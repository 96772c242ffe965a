// What is asked of a kind for worlds of it: how often, when they begin, and the settings that a seed draws.
import type { DurationMs, KindName, Millis, Random } from '@flatline/base';
import type { Simulation } from '@flatline/cluster';
import type { KindScenario } from './common-rules.ts';
import type { SimulatedKind } from './simulated-kind.ts';

/** What of a drawn world a kind may have to have otherwise. */
export interface WorldTerms extends Pick<KindScenario, 'timestampType' | 'proof' | 'heldTime'> {
  readonly keys: number;
  /** Whether all that C3 presumes holds. */
  readonly hidesNothing: boolean;
  readonly uncleanElections: boolean;
  readonly brokersSkewMs: DurationMs;
}

/** The pipeline of one world, as a seed has drawn it. */
export interface WorldSubject<Kind extends KindName = KindName> {
  readonly kind: Kind;
  /** The settings that are the kind's own, as a report shows them. */
  readonly rules: object;
  /** D2; undefined: there is no limit. */
  readonly maxDuePerSecond: number | undefined;
  /** What its configuration refuses of a world, or its actors cannot do with: how it is instead. */
  fit(world: WorldTerms, random: Random): Partial<WorldTerms>;
  /** Whether processes may be started with other settings: not where no judge could say which were in force (K1). */
  mayChange(world: Pick<WorldTerms, 'timestampType'>): boolean;
  /** By other settings, as a configuration may have them that is rolled out. */
  changed(random: Random): WorldSubject<Kind>;
  simulate(simulation: Simulation, scenario: KindScenario): SimulatedKind;
}

export interface KindWorlds<Kind extends KindName> {
  /** So many of a hundred worlds; `rest`: those that other kinds leave. */
  readonly share: number | 'rest';
  /** Names of what its worlds must have seen (V12), as they are counted behind `<kind>/`. */
  readonly reach: readonly string[];
  /** When a world begins; undefined: when simulations do. */
  startAt(random: Random): Millis | undefined;
  draw(random: Random): WorldSubject<Kind>;
}

/** Keys of a world whose kind keeps much of each. */
const KEYS_MAX = 10;

export function fewKeys({ keys }: Pick<WorldTerms, 'keys'>): number {
  return Math.min(keys, KEYS_MAX);
}
