// Counts by stretches of bins that are not empty: ascending, and as long as they get. How one is written is its writer's.
import { MalformedBytes } from '@flatline/base';
import { BIN_MAX } from './duration-bins.ts';

/** How often each duration was counted, by bins: those from `first` on, at most BIN_MAX. All of them add up to 2^53 − 1 at most. */
export interface BinCounts {
  readonly zeros: number;
  readonly first: number;
  readonly counts: readonly number[];
}

/** Writes stretches of bins that are not empty. */
export interface StretchWriter {
  /** `passed`: empty bins since the stretch before, or since bin 0. */
  stretch(passed: number, bins: number): void;
  /** The next bin's: 1 or more. */
  count(count: number): void;
}

export interface StretchReader {
  readonly hasMore: boolean;
  passed(): number;
  bins(): number;
  count(): number;
}

const COUNTED_MAX = Number.MAX_SAFE_INTEGER;

export function writeStretches({ first, counts }: BinCounts, written: StretchWriter): void {
  let passed = first;
  for (let at = 0; at < counts.length;) {
    let end = at;
    while ((counts[end] ?? 0) > 0) end += 1;
    if (end > at) {
      written.stretch(passed, end - at);
      for (; at < end; at += 1) written.count(counts[at]!);
      passed = 0;
    } else {
      passed += 1;
      at += 1;
    }
  }
}

/** @throws MalformedBytes */
export function readStretches(stretches: StretchReader, zeros: number): BinCounts {
  const counts: number[] = [];
  let first: number | undefined;
  let bin = 0;
  let counted = zeros;
  while (stretches.hasMore) {
    const passed = stretches.passed();
    const bins = stretches.bins();
    if (bins === 0) throw new MalformedBytes('a sketch with a stretch of no bins');
    bin += passed;
    if (bin + bins > BIN_MAX + 1)
      throw new MalformedBytes(`a sketch with bin ${bin + bins - 1}, the last is ${BIN_MAX}`);
    if (first === undefined) first = bin;
    else for (let left = passed; left > 0; left -= 1) counts.push(0);
    for (let left = bins; left > 0; left -= 1, bin += 1) {
      const count = stretches.count();
      if (count === 0) throw new MalformedBytes(`a sketch that counts nothing in bin ${bin}`);
      // In this order the sum cannot be rounded.
      if (count > COUNTED_MAX - counted) throw new MalformedBytes('a sketch of more than 2^53 − 1 durations');
      counted += count;
      counts.push(count);
    }
  }
  return { zeros, first: first ?? 0, counts };
}
