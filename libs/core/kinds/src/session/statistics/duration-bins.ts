// Bins of durations whose bounds are the powers of γ = 2^(1/32): bin b holds the durations in (γ^(b−1), γ^b], as in DDSketch
// (Masson, Rim and Lee, VLDB 2019). OpenTelemetry's exponential histograms call it bucket b − 1 at scale 5.
//
// No logarithm is asked for: what `Math.log` returns beside a power of γ differs from machine to machine. A duration is an
// integer, and but for powers of two no bound is one, so comparing integers with the bounds rounded down is exact.
import { assert, type DurationMs } from '@flatline/base';

/** Bins in each octave. */
const PER_OCTAVE = 32;
/** Scale as in OpenTelemetry: an octave has 2^5 bins. */
export const SCALE = 5;
const OCTAVES = 53;
/** Number of the last bin: 2^53 − 1 is in it. */
export const BIN_MAX: number = OCTAVES * PER_OCTAVE;

/** Bounds of one octave, ⌊2^(52 + j/32)⌋. */
const BOUNDS: readonly number[] = [
  4503599627370496, 4602215617889652, 4702991017412879, 4805973110840144, 4911210218475898, 5018751718701482,
  5128648071143992, 5240950840352481, 5355712719992597, 5472987557571018, 5592830379701282, 5715297417922861,
  5840446135085607, 5968335252311937, 6099024776549417, 6232576028726660, 6369051672525772, 6508515743784819,
  6651033680544134, 6796672353750546, 6945500098633947, 7097586746770916, 7253003658850448, 7411823758157148,
  7574121564787629, 7739973230616134, 7909456575025820, 8082651121422441, 8259638134547591, 8440500658608990,
  8625323556245721, 8814193548346688,
];
const MANTISSA_BITS = 52;
/** Powers of two, each exact. */
const POWERS: readonly number[] = Array.from({ length: OCTAVES }, (_, exponent) => 2 ** exponent);
const WORD = 2 ** 32;

/** The bin of a duration, 1 ≤ `ms` ≤ 2^53 − 1. */
export function binOf(ms: DurationMs): number {
  assert(Number.isSafeInteger(ms) && ms > 0, 'a duration in a bin is a whole number of milliseconds', { ms });
  const exponent = ms < WORD ? 31 - Math.clz32(ms) : 63 - Math.clz32(Math.floor(ms / WORD));
  const mantissa = ms * POWERS[MANTISSA_BITS - exponent]!;
  // The least j with mantissa ≤ bound j.
  let least = 0;
  let most = PER_OCTAVE;
  while (least < most) {
    const middle = (least + most) >>> 1;
    if (mantissa <= BOUNDS[middle]!) most = middle;
    else least = middle + 1;
  }
  return exponent * PER_OCTAVE + least;
}

/** The greatest duration in the bin, in milliseconds; of a bin without any, the nearest below. */
function greatestIn(bin: number): number {
  if (bin < 0) return 0;
  const exponent = Math.floor(bin / PER_OCTAVE);
  if (exponent >= OCTAVES) return Number.MAX_SAFE_INTEGER;
  return Math.floor(BOUNDS[bin % PER_OCTAVE]! / POWERS[MANTISSA_BITS - exponent]!);
}

/**
 * The number of milliseconds that is off by the same fraction from the least and the greatest duration in the bin: by at most
 * (γ − 1)/(γ + 1) = 1.083 %, and not at all where the bin has one.
 */
export function middleOf(bin: number): number {
  const least = greatestIn(bin - 1) + 1;
  const greatest = Math.max(least, greatestIn(bin));
  return least === greatest ? least : (2 * least * greatest) / (least + greatest);
}
