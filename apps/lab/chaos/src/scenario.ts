// A scenario, the context of its trials, and their results.
import type { Random } from '@flatline/base';
import type { RunningBroker } from '@flatline/dev-broker';
import type { KindTraffic } from '@flatline/lab-kinds';
import type { Guard } from './stage/guards.ts';

/** A broken rule of docs/SPEC.md, and where. */
export interface Violation {
  readonly rule: string;
  readonly subject: string;
  readonly detail: string;
}

export interface Scenario {
  /** `F1`; with another kind than sessions `F1/lease`; `assembled`: several faults of assembled sessions. */
  readonly id: string;
  readonly title: string;
  readonly nodes: 1 | 3;
  /** Number of different trials; by default each comes once. */
  readonly variants: number;
  /** A trial takes its number of faults from the command line; for the others it is fixed. */
  readonly countsFaults?: boolean;
  /** A trial takes its length from the command line. */
  readonly takesMinutes?: boolean;
  /** Not tried here, and why. */
  readonly skipped?: string;
  /** Guards without which the scenario must be red: the proof that it can be. */
  readonly guards?: readonly Guard[];
  readonly run: (context: TrialContext) => Promise<TrialResult>;
}

export interface TrialContext {
  /** From 0. */
  readonly index: number;
  readonly seed: number;
  readonly random: Random;
  readonly broker: RunningBroker;
  /** For topics: differs between all trials of all campaigns. */
  readonly name: string;
  /** The sample of the gate: few faults per trial. */
  readonly short: boolean;
  /** For a scenario that `countsFaults`; undefined: its own number. */
  readonly faults: number | undefined;
  /** For a scenario that `takesMinutes`; undefined: its own. */
  readonly minutes: number | undefined;
  /** Settings and senders of the kind that the pipeline keeps. */
  readonly traffic: KindTraffic;
  /** The guard that the processors of this trial run without. */
  readonly unsafe: Guard | undefined;
}

export interface TrialResult {
  /** Human-readable difference between the trials of a scenario. */
  readonly variant: string;
  /** Faults that were meant to happen, and those that demonstrably did (V12). */
  readonly armed: number;
  readonly fired: number;
  readonly violations: readonly Violation[];
  /** From each fault to the first close committed after it, if one came before the next fault. */
  readonly recoveriesMs: readonly number[];
  readonly closes: number;
  readonly records: number;
  /** From the deadline to the append time of the commit that closes (V9): the largest. */
  readonly closeDelayMaxMs: number | undefined;
  readonly facts: Readonly<Record<string, string | number>>;
}

/** A trial counts only if all its faults have happened: otherwise it has shown nothing. */
export function outcomeOf(result: TrialResult): 'passed' | 'violated' | 'invalid' {
  if (result.violations.length > 0) return 'violated';
  return result.fired < result.armed || result.armed === 0 || result.closes === 0 ? 'invalid' : 'passed';
}
