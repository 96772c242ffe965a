// What fifteen million users would take on the same two instances, reckoned in proportion from the bytes and seconds of fewer. Pure.
import type { DurationMs } from '@flatline/base';

const USERS = 15_000_000;

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

export interface Reckoned {
  readonly reckonedMemoryBytes: number;
  readonly reckonedChangelogBytes: number;
  readonly reckonedProvenMs: DurationMs;
  readonly reckonedEndedMs: DurationMs | undefined;
}

export function fifteenMillion({ users, endedMs, ...measured }: Measured): Reckoned {
  const times = USERS / users;
  return {
    reckonedMemoryBytes: measured.memoryBytes * times,
    reckonedChangelogBytes: measured.changelogBytes * times,
    reckonedProvenMs: measured.provenMs + Math.max(0, measured.restoreMs - measured.emptyRestoreMs) * (times - 1),
    reckonedEndedMs: endedMs === undefined ? undefined : endedMs * times,
  };
}
