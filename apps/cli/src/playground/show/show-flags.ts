// The flags of those who show, and what they mean.
import type { ConfigurationFlags } from '../../configuration.ts';
import { usageFailure } from '../../failure.ts';
import type { PlayOptions } from './play.ts';

export interface ShowFlags extends ConfigurationFlags {
  readonly sessions?: number;
  readonly for?: number;
  readonly exitWhenDone?: boolean;
  readonly rate: number;
  readonly seed?: number;
  readonly json?: boolean;
}

const SEEDS_MAX = 2 ** 31;

/** @throws CommandFailure where they contradict each other */
export function playOptions({ sessions, for: seconds, rate, seed, exitWhenDone }: ShowFlags): PlayOptions {
  if (exitWhenDone === true && sessions === undefined && seconds === undefined)
    throw usageFailure('--exit-when-done needs an end: give --sessions or --for');
  return {
    sessions,
    ratePerSecond: rate,
    exitWhenDone: exitWhenDone === true || seconds !== undefined,
    seed: seed ?? Math.floor(Math.random() * SEEDS_MAX),
    forMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
  };
}
