// The sketch of durations, by docs/FORMATS.md alone: bins by integers of any length, counted one by one.
import type { DurationMs } from '@flatline/base';

const SCALE = 5;
/** Bins in an octave. */
const PER_OCTAVE = 32n;

/** The same durations come again and again. */
const known = new Map<DurationMs, number>();
const KNOWN_MAX = 100_000;

/** The least b with ms ≤ 2^(b/32), which is ms^32 ≤ 2^b. */
export function binIn(ms: DurationMs): number {
  const before = known.get(ms);
  if (before !== undefined) return before;
  const power = BigInt(ms) ** PER_OCTAVE;
  let bin = power.toString(16).length * 4;
  while (bin > 0 && power <= 1n << BigInt(bin - 1)) bin -= 1;
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(ms, bin);
  return bin;
}

/** `zeros`: sessions that lasted no time. `counts`: others by bin. */
export function exactSketch(zeros: number, counts: ReadonlyMap<number, number>): Uint8Array {
  const bins = [...counts.keys()].sort((a, b) => a - b);
  const written = [SCALE, ...varint(zeros)];
  for (let at = 0, next = 0; at < bins.length;) {
    const first = bins[at]!;
    let length = 1;
    while (bins[at + length] === first + length) length += 1;
    written.push(...varint(first - next), ...varint(length));
    for (let i = 0; i < length; i += 1) written.push(...varint(counts.get(first + i)!));
    next = first + length;
    at += length;
  }
  return Uint8Array.from(written);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest /= 128n) bytes.push(Number(rest % 128n) + 128);
  return [...bytes, Number(rest)];
}
