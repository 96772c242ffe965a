// Settings that differ between shows, the demo and `flatline try`; and the fleet of both.
import type { DurationMs, Millis } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import { type FleetPlan, usualEnds } from '@flatline/fleet';

/** A broker that a show starts where it is given none. */
export interface OwnBroker {
  /** Default: any free one. */
  readonly port?: number | undefined;
  /** Its data stays, in the directory of `flatline broker start`; else it goes with the broker. */
  readonly keep: boolean;
  readonly properties?: Readonly<Record<string, string | number>>;
}

/** Surroundings that a configuration is made for. */
export interface ShowPlace {
  readonly brokers: readonly string[];
  /** Started for this alone, and empty: names need not be new. */
  readonly isNewBroker: boolean;
  readonly startedAt: Millis;
}

export interface Show {
  readonly name: 'demo' | 'try';
  readonly timeoutMs: DurationMs;
  readonly partitions: number;
  /** Time between two heartbeats of one session. */
  readonly heartbeatMs: DurationMs;
  /** Heartbeats per session. */
  readonly beatsMean: number;
  readonly broker: OwnBroker;
  /** Its configuration, once it is known where. */
  configuration(place: ShowPlace): FlatlineConfig;
  /** How long the end may take once Ctrl-C asks for it; what is left then ends with the process. */
  readonly endWithinMs: DurationMs;
}

export interface FleetSize {
  /** undefined: no end. */
  readonly sessions: number | undefined;
  readonly ratePerSecond: number;
  readonly seed: number;
}

export function fleetPlan({ sessions, ratePerSecond, seed }: FleetSize, { heartbeatMs, beatsMean }: Show): FleetPlan {
  return {
    sessions: sessions ?? Infinity,
    ratePerSecond,
    heartbeatMs,
    beatsMean,
    ends: usualEnds,
    seed,
    duplicates: 0.02,
    reorder: 0.02,
    lose: 0.01,
  };
}
