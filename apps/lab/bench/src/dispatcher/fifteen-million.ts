// Reckons bytes and seconds of fifteen million users on the same two instances, in proportion to those of fewer. Pure.
import type { DurationMs } from '@flatline/base';

const USERS = 15_000_000;
/** From fewer than this share of them nothing is reckoned: what does not grow with the users would count for all. */
const SHARE_MIN = 0.01;

export interface Measured {
  readonly users: number;
  /** Both processes together. */
  readonly memoryBytes: number;
  readonly changelogBytes: number;
  /** Part of `provenMs`, and the only one that grows with the users. */
  readonly restoreMs: DurationMs;
  /** The same of a partition without any. */
  readonly emptyRestoreMs: DurationMs;
  readonly provenMs: DurationMs;
  readonly endedMs: DurationMs | undefined;
}

/** undefined: it cannot be told from so few. */
export interface Reckoned {
  readonly reckonedMemoryBytes: number | undefined;
  readonly reckonedChangelogBytes: number | undefined;
  readonly reckonedProvenMs: DurationMs | undefined;
  readonly reckonedEndedMs: DurationMs | undefined;
}

const UNTOLD: Reckoned = {
  reckonedMemoryBytes: undefined,
  reckonedChangelogBytes: undefined,
  reckonedProvenMs: undefined,
  reckonedEndedMs: undefined,
};

export function fifteenMillion({ users, endedMs, ...measured }: Measured): Reckoned {
  if (users < USERS * SHARE_MIN) return UNTOLD;
  const times = USERS / users;
  return {
    reckonedMemoryBytes: measured.memoryBytes * times,
    reckonedChangelogBytes: measured.changelogBytes * times,
    reckonedProvenMs: measured.provenMs + Math.max(0, measured.restoreMs - measured.emptyRestoreMs) * (times - 1),
    reckonedEndedMs: endedMs === undefined ? undefined : endedMs * times,
  };
}
