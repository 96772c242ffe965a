import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  assert,
  AssertionError,
  BriefCopies,
  ByteReader,
  ByteWriter,
  copyBytes,
  decimalIn,
  digitsOf,
  hashBytes,
  hashView,
  INSTANT_MAX,
  MalformedBytes,
  seededRandom,
  zigzag,
} from './index.ts';

const SAFE_MAX = Number.MAX_SAFE_INTEGER;

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('bytes', () => {
  test('any sequence of fields comes back as it was written', () => {
    const field = fc.oneof(
      fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
      fc.record({ kind: fc.constant('signedVarint' as const), value: fc.integer({ min: -(2 ** 52), max: SAFE_MAX }) }),
      fc.record({ kind: fc.constant('u32' as const), value: fc.nat({ max: 2 ** 32 - 1 }) }),
      fc.record({ kind: fc.constant('f64' as const), value: fc.double({ noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        const out = new ByteWriter(1);
        for (const { kind, value } of fields) out[kind](value);
        const input = new ByteReader(out.copy());
        for (const { kind, value } of fields) expect(input[kind]()).toBe(value);
        expect(input.remaining).toBe(0);
      }),
    );
  });

  test.each([0, 1, 127, 128, 129, 20_000])(
    'a block written in place is as one of %i bytes written at once',
    (length) => {
      const content = Uint8Array.from({ length }, (_, i) => i);
      const [inPlace, atOnce] = [new ByteWriter(1), new ByteWriter(1)];
      for (const out of [inPlace, atOnce]) out.u8(7);
      const start = inPlace.beginBlock();
      inPlace.raw(content);
      inPlace.endBlock(start);
      atOnce.block(content);
      for (const out of [inPlace, atOnce]) out.varint(length);
      expect(inPlace.copy()).toEqual(atOnce.copy());
    },
  );

  test('what a view shows is written as its bytes are, at any place and length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(3), (content, start) => {
        const bytes = new Uint8Array(start + content.length);
        bytes.set(content, start);
        const out = new ByteWriter(1);
        out.u8(7);
        out.rawView(new DataView(bytes.buffer), start, content.length);
        out.u8(8);
        expect([...out.copy()]).toEqual([7, ...content, 8]);
      }),
    );
  });

  test('varints are LEB128 on both sides of every boundary', () => {
    for (let bits = 0; bits <= 53; bits += 1)
      for (const value of [2 ** bits - 1, 2 ** bits].filter(Number.isSafeInteger)) {
        const out = new ByteWriter(1);
        out.varint(value);
        const groups = Math.max(1, Math.ceil(value.toString(2).length / 7));
        const expected = Array.from({ length: groups }, (_, group) => {
          const low = Number((BigInt(value) >> BigInt(7 * group)) & 0x7fn);
          return group === groups - 1 ? low : low | 0x80;
        });
        expect([...out.copy()]).toEqual(expected);
      }
  });

  test('varints written together are those written one by one', () => {
    const boundaries = Array.from({ length: 54 }, (_, bits) => [2 ** bits - 1, 2 ** bits]).flat();
    const values = boundaries.filter(Number.isSafeInteger);
    const [together, singly] = [new ByteWriter(1), new ByteWriter(1)];
    together.varints(Float64Array.from(values), values.length - 1);
    for (const value of values.slice(0, -1)) singly.varint(value);
    expect(together.copy()).toEqual(singly.copy());
  });

  test('[R1] signed numbers come back at the edges of their range, also beyond 2^52', () => {
    const edges = [0, 1, 2 ** 31, 2 ** 32, 2 ** 52 - 1, 2 ** 52, INSTANT_MAX, Number.MAX_SAFE_INTEGER];
    for (const value of [...edges, ...edges.filter((edge) => edge <= 2 ** 52).map((edge) => 0 - edge)]) {
      const [alone, together] = [new ByteWriter(1), new ByteWriter(1)];
      alone.signedVarint(value);
      together.varints(Float64Array.of(zigzag(value)), 1);
      for (const out of [alone, together]) {
        expect(new ByteReader(out.copy()).signedVarint()).toBe(value);
        expect(new ByteReader(out.copy()).saturatedSignedVarint()).toBe(value);
      }
    }
  });

  test.each<[string, (out: ByteWriter) => void]>([
    ...[-1, 0.5, 2 ** 31 + 0.5, NaN, Infinity, 2 ** 53].map((value): [string, (out: ByteWriter) => void] => [
      `varint ${value}`,
      (out) => {
        out.varint(value);
      },
    ]),
    ...[-1, 0.5, NaN, 2 ** 54].map((value): [string, (out: ByteWriter) => void] => [
      `varints ${value}`,
      (out) => {
        out.varints(Float64Array.of(7, value), 2);
      },
    ]),
    ...[-(2 ** 52) - 1, 2 ** 53, NaN, -Infinity].map((value): [string, (out: ByteWriter) => void] => [
      `signedVarint ${value}`,
      (out) => {
        out.signedVarint(value);
      },
    ]),
  ])('a writer refuses what it cannot hold, and has written nothing: %s', (_what, write) => {
    const out = new ByteWriter(1);
    expect(() => {
      write(out);
    }).toThrow(AssertionError);
    expect(out.length).toBe(0);
  });

  test('an odd number beyond 2^53 is malformed where it would be rounded to another', () => {
    const bytes = Uint8Array.of(0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10);
    expect(() => new ByteReader(bytes).signedVarint()).toThrow(MalformedBytes);
    expect(() => new ByteReader(bytes).varint()).toThrow(MalformedBytes);
  });

  test('a number beyond its range that a former version wrote is read as the greatest there is', () => {
    for (const length of [8, 9, 10]) {
      const bytes = new Uint8Array(length).fill(0xff);
      bytes[length - 1] = 1 + length;
      if (length > 8) expect(() => new ByteReader(bytes).varint()).toThrow(MalformedBytes);
      expect(new ByteReader(bytes).saturatedVarint()).toBe(length === 8 ? 9 * 2 ** 49 + 2 ** 49 - 1 : SAFE_MAX);
    }
    expect(new ByteReader(Uint8Array.of(...new Array<number>(9).fill(0xfe), 1)).saturatedSignedVarint()).toBe(SAFE_MAX);
    expect(() => new ByteReader(new Uint8Array(11).fill(0x80)).saturatedVarint()).toThrow(MalformedBytes);
    expect(() => new ByteReader(Uint8Array.of(0x80)).saturatedVarint()).toThrow(MalformedBytes);
  });

  test('a reader refuses to read beyond its end, at any cut', () => {
    const out = new ByteWriter();
    out.varint(2 ** 40);
    out.text('ünï');
    out.f64(1.5);
    const whole = out.copy();
    const read = (bytes: Uint8Array): void => {
      const input = new ByteReader(bytes);
      input.varint();
      input.text();
      input.f64();
    };
    expect(() => {
      read(whole);
    }).not.toThrow();
    for (let end = 0; end < whole.length; end += 1)
      expect(() => {
        read(whole.subarray(0, end));
      }).toThrow(MalformedBytes);
  });

  test('[R1] a text that begins with a byte order mark comes back with it', () => {
    const out = new ByteWriter();
    out.text('\uFEFFa');
    expect(new ByteReader(out.copy()).text()).toBe('\uFEFFa');
  });

  test('a varint beyond 2^53 or longer than 8 bytes is malformed', () => {
    expect(() => new ByteReader(new Uint8Array(9).fill(0x80)).varint()).toThrow(MalformedBytes);
    expect(() => new ByteReader(new Uint8Array([255, 255, 255, 255, 255, 255, 255, 127])).varint()).toThrow(/2\^53/);
  });

  test('a copy of a Buffer is a copy, not the view that its slice would be', () => {
    const buffer = Buffer.from('abc');
    const copy = copyBytes(buffer, 1, 3);
    buffer.fill(0);
    expect(copy).toEqual(text('bc'));
  });
});

describe('hash', () => {
  // Vectors of MurmurHash3 x86_32 as published with its reference implementation's verification tables.
  test.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['test', 0, 0xba6bd213],
    ['test', 0x9747b28c, 0x704b81dc],
    ['Hello, world!', 0, 0xc0363e43],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
  ])('MurmurHash3 of %j with seed %i', (value, seed, expected) => {
    const bytes = text(`xx${value}`);
    expect(hashBytes(bytes, 2, bytes.length - 2, seed) >>> 0).toBe(expected);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(hashView(view, 2, bytes.length - 2, seed) >>> 0).toBe(expected);
  });

  test('a view hashes as its bytes do, at any place and length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(3), fc.integer(), (content, start, seed) => {
        const bytes = new Uint8Array(start + content.length);
        bytes.set(content, start);
        const view = new DataView(bytes.buffer);
        expect(hashView(view, start, content.length, seed)).toBe(hashBytes(content, 0, content.length, seed));
      }),
    );
  });
});

test('brief copies stay what they are, whatever is copied after them, and whatever becomes of what they are of', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 40 }), fc.nat(9), (all, before) => {
      const copies = new BriefCopies();
      const scratch = new Uint8Array(6_000);
      const copied = all.map((bytes) => {
        scratch.set(bytes, before);
        return [copies.of(bytes), copies.of(scratch, before, before + bytes.length)];
      });
      expect(copied).toEqual(all.map((bytes) => [bytes, bytes]));
    }),
  );
});

describe('digits', () => {
  const edges = [0, 9, 10, 9_999_999, 1e7, 1e7 + 1, 1e14 - 1, 999_999_999_999_999, INSTANT_MAX, SAFE_MAX];

  test('an integer is written as its text is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeNat(), fc.nat(), fc.constantFrom(...edges)), fc.string(), (value, before) => {
        const prefix = text(before);
        expect(digitsOf(value, prefix)).toEqual(text(`${before}${value}`));
        expect(digitsOf(value)).toEqual(text(String(value)));
      }),
    );
  });

  test('what is read is an integer of up to 15 digits, and nothing else', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999_999_999 }), fc.nat(5), (value, zeros) => {
        const digits = `${value}`.padStart(Math.min(15, `${value}`.length + zeros), '0');
        expect(decimalIn(text(digits))).toBe(value);
      }),
    );
    for (const other of ['', '1000000000000000', '-1', '1.', '1e3', ' 1', '1 ', '٣', '/', ':'])
      expect(decimalIn(text(other))).toBeUndefined();
  });
});

describe('random', () => {
  test('the same seed gives the same sequence, another seed another, within bounds', () => {
    const draw = (seed: number): number[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 50 }, () => random.below(1_000));
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(7 + 2 ** 32));
    for (const value of draw(9)) expect(value >= 0 && value < 1_000).toBe(true);
  });
});

test('a broken assumption ends with its facts', () => {
  expect(() => {
    assert(false, 'offsets rise', { offset: 3 });
  }).toThrow(new AssertionError('offsets rise', { offset: 3 }));
});
