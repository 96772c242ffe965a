// The sketch of durations, by docs/FORMATS.md alone: bins by integers of any length, counted one by one, and bits as text.
import type { DurationMs } from '@flatline/base';

const SCALE = 5;
/** The first byte of one in bits. */
const IN_BITS = 133;
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

/** True of the former form, which a former Flatline wrote, one whose changelog has a former format, or any that saved bytes by it. */
export function isFormer(sketch: Uint8Array): boolean {
  return sketch[0] === SCALE;
}

/** `zeros`: sessions that lasted no time. `counts`: others by bin. In bits, unless the former form has fewer bytes. */
export function exactSketch(zeros: number, counts: ReadonlyMap<number, number>): Uint8Array {
  const [inBits, former] = [sketchInBits(zeros, counts), formerSketch(zeros, counts)];
  return former.length < inBits.length ? former : inBits;
}

function sketchInBits(zeros: number, counts: ReadonlyMap<number, number>): Uint8Array {
  let bits = '';
  /** All that were told of, less one. */
  const told: bigint[] = [];
  for (const { passed, stretch } of stretchesOf(counts)) {
    bits += gamma(BigInt(bits === '' ? passed + 1 : passed)) + gamma(BigInt(stretch.length));
    for (const count of stretch) {
      const less = BigInt(count) - 1n;
      bits += countIn(less, ((told.at(-1) ?? 0n) + (told.at(-2) ?? 0n)) / 2n);
      told.push(less);
    }
  }
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  const bytes = Array.from({ length: whole.length / 8 }, (_, at) =>
    Number.parseInt(whole.slice(8 * at, 8 * at + 8), 2),
  );
  return Uint8Array.from([IN_BITS, ...varint(zeros), ...bytes]);
}

export function formerSketch(zeros: number, counts: ReadonlyMap<number, number>): Uint8Array {
  const written = [SCALE, ...varint(zeros)];
  for (const { passed, stretch } of stretchesOf(counts))
    written.push(...varint(passed), ...varint(stretch.length), ...stretch.flatMap((count) => varint(count)));
  return Uint8Array.from(written);
}

/** Counts of bins without an empty one between them, and how many empty ones are before them. */
function stretchesOf(counts: ReadonlyMap<number, number>): { readonly passed: number; readonly stretch: number[] }[] {
  const bins = [...counts.keys()].sort((a, b) => a - b);
  const stretches: { passed: number; stretch: number[] }[] = [];
  let next = 0;
  for (const bin of bins) {
    if (bin > next || stretches.length === 0) stretches.push({ passed: bin - next, stretch: [] });
    stretches.at(-1)!.stretch.push(counts.get(bin)!);
    next = bin + 1;
  }
  return stretches;
}

function countIn(less: bigint, expected: bigint): string {
  const off = less < expected ? 2n * (expected - less) - 1n : 2n * (less - expected);
  const number = less > 2n * expected ? less : off;
  const low = Math.ceil((expected === 0n ? 0 : expected.toString(2).length) / 2);
  const high = number >> BigInt(low);
  const rest = number - (high << BigInt(low));
  return gamma(high + 1n) + (low === 0 ? '' : rest.toString(2).padStart(low, '0'));
}

function gamma(value: bigint): string {
  const digits = value.toString(2);
  return '0'.repeat(digits.length - 1) + digits;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest /= 128n) bytes.push(Number(rest % 128n) + 128);
  return [...bytes, Number(rest)];
}
