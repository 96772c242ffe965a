// The bytes of a sketch, in two forms. What is counted has one of each, and the shorter one is written.
//
//   whole  = 5 u8 · zeros varint · for each stretch of bins that are not empty, ascending:
//            bins passed over varint · bins varint · their counts varint…
//   packed = 133 u8 · zeros varint · the same in bits (packed-counts.ts)
//
// Whole sketches were the only ones before format 6 of the changelog: where a former one is pinned, all are (K9).
import { ByteReader, ByteWriter, MalformedBytes } from '@flatline/base';
import { BitReader, BitWriter } from './bits.ts';
import { SCALE } from './duration-bins.ts';
import { PackedCountsReader, PackedCountsWriter } from './packed-counts.ts';
import { type BinCounts, readStretches, type StretchReader, type StretchWriter, writeStretches } from './stretches.ts';

export type SketchForm = 'whole' | 'packed';

const FIRST_BYTES = { whole: SCALE, packed: 128 + SCALE } as const satisfies Record<SketchForm, number>;

/** Packed where that is asked for and takes no more bytes: spikes that stand apart from each other are far from any mean. */
export function writeSketch(counted: BinCounts, form: SketchForm): Uint8Array {
  if (form === 'whole') return written(counted, 'whole');
  const packed = written(counted, 'packed');
  // Whole, each bin that is not empty has a byte at least: most sketches need not be written twice.
  if (packed.length <= counted.counts.reduce((bins, count) => (count > 0 ? bins + 1 : bins), 0)) return packed;
  const whole = written(counted, 'whole');
  return packed.length <= whole.length ? packed : whole;
}

function written(counted: BinCounts, form: SketchForm): Uint8Array {
  const out = new ByteWriter(256);
  out.u8(FIRST_BYTES[form]);
  out.varint(counted.zeros);
  if (form === 'whole') writeStretches(counted, new WholeCountsWriter(out));
  else {
    const bits = new BitWriter(out);
    writeStretches(counted, new PackedCountsWriter(bits));
    bits.end();
  }
  return out.copy();
}

/** @throws MalformedBytes, also where `writeSketch` would write the same counts otherwise. */
export function readSketch(bytes: Uint8Array): BinCounts {
  const input = new ByteReader(bytes);
  const form = formOf(input.u8());
  const zeros = input.varint();
  const stretches =
    form === 'whole' ? new WholeCountsReader(input) : new PackedCountsReader(new BitReader(bytes, input.position));
  const read = readStretches(stretches, zeros);
  if (!isSame(bytes, writeSketch(read, form))) throw new MalformedBytes('a sketch that is not written the one way');
  return read;
}

/** The form of bytes that `writeSketch` has written. */
export function sketchFormOf(bytes: Uint8Array): SketchForm {
  return formOf(bytes[0]!);
}

function formOf(byte: number): SketchForm {
  if (byte === FIRST_BYTES.packed) return 'packed';
  if (byte === FIRST_BYTES.whole) return 'whole';
  throw new MalformedBytes(
    `a sketch that begins with ${byte}, this version reads ${FIRST_BYTES.whole} and ${FIRST_BYTES.packed}`,
  );
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

class WholeCountsWriter implements StretchWriter {
  readonly #out: ByteWriter;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  stretch(passed: number, bins: number): void {
    this.#out.varint(passed);
    this.#out.varint(bins);
  }

  count(count: number): void {
    this.#out.varint(count);
  }
}

class WholeCountsReader implements StretchReader {
  readonly #input: ByteReader;

  constructor(input: ByteReader) {
    this.#input = input;
  }

  get hasMore(): boolean {
    return this.#input.remaining > 0;
  }

  passed(): number {
    return this.#input.varint();
  }

  bins(): number {
    return this.#input.varint();
  }

  count(): number {
    return this.#input.varint();
  }
}
