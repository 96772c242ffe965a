import { describe, expect, test } from '@jest/globals';
import { hashBytes } from '@flatline/base';
import fc from 'fast-check';
import { HASH_START_BITS, KeyIndex, type KeySource } from './key-index.ts';

const SEED = 7;
const utf8 = new TextEncoder();

/** Keys by slot number, how often the index had to look at one, and how often to find out its half of a segment. */
class CountingKeys implements KeySource {
  readonly keys: Uint8Array[] = [];
  looks = 0;
  moves = 0;

  matches(slot: number, view: DataView, start: number, length: number): boolean {
    this.looks += 1;
    const key = this.keys[slot]!;
    return key.length === length && key.every((byte, i) => byte === view.getUint8(start + i));
  }

  hashStartsOf(slots: Int32Array, count: number, into: Int32Array): void {
    this.moves += count;
    for (let i = 0; i < count; i += 1) into[i] = this.hashOf(slots[i]!) & (-1 << (32 - HASH_START_BITS));
  }

  hashOf(slot: number): number {
    const key = this.keys[slot]!;
    return hashBytes(key, 0, key.length, SEED);
  }
}

function indexOf(size: number): { index: KeyIndex; source: CountingKeys } {
  const source = new CountingKeys();
  const index = new KeyIndex(source);
  for (let slot = 0; slot < size; slot += 1) {
    source.keys.push(utf8.encode(`session-${slot}`));
    index.insert(source.hashOf(slot), slot);
  }
  return { index, source };
}

function foundSlots(index: KeyIndex, source: CountingKeys): number[] {
  return source.keys.map((key, slot) => index.find(source.hashOf(slot), new DataView(key.buffer), 0, key.length));
}

function likelySlots(index: KeyIndex, source: CountingKeys): number[] {
  const hashes = Int32Array.from(source.keys, (_, slot) => source.hashOf(slot));
  const slots = new Int32Array(hashes.length);
  index.likelySlots(hashes, hashes.length, slots);
  return [...slots];
}

describe('the key index', () => {
  test.each([100, 10_000, 300_000])('[X7] compares about one key to find one of %i', (size) => {
    const { index, source } = indexOf(size);
    source.looks = 0;
    expect(foundSlots(index, source).every((found, slot) => found === slot)).toBe(true);
    expect(source.looks).toBeLessThan(size * 1.05 + 5);
  });

  test('finds what is left after half was removed, and nothing of what was', () => {
    const { index, source } = indexOf(5_000);
    for (let slot = 0; slot < 5_000; slot += 2) index.remove(source.hashOf(slot), slot);
    expect(index.size).toBe(2_500);
    const left = source.keys.map((_, slot) => (slot % 2 === 0 ? -1 : slot));
    expect(foundSlots(index, source)).toEqual(left);
  });

  test('guesses nearly every slot right, and never one that is not there', () => {
    const { index, source } = indexOf(5_000);
    const guesses = likelySlots(index, source);
    expect(guesses.filter((guess, slot) => guess === slot).length).toBeGreaterThan(4_800);
    for (let slot = 0; slot < 5_000; slot += 1) index.remove(source.hashOf(slot), slot);
    expect(new Set(likelySlots(index, source))).toEqual(new Set([-1]));
  });

  test('makes room beforehand, and finds the same', () => {
    const source = new CountingKeys();
    const index = new KeyIndex(source);
    index.reserve(20_000);
    for (let slot = 0; slot < 20_000; slot += 1) {
      source.keys.push(utf8.encode(`session-${slot}`));
      index.insert(source.hashOf(slot), slot);
    }
    expect(foundSlots(index, source).every((found, slot) => found === slot)).toBe(true);
    expect(source.moves).toBe(0);
  });

  // A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
  test('agrees with a map where keys crowd into few lines', () => {
    const command = fc.record({ insert: fc.boolean(), among: fc.nat(), count: fc.integer({ min: 1, max: 60 }) });
    const crowd = fc.record({ lines: fc.constantFrom(1, 3, 40, 255), hashes: fc.constantFrom(1, 7, 4096) });
    const property = fc.property(crowd, fc.array(command, { maxLength: 60 }), (crowd, commands) => {
      const source = new CrowdedKeys(crowd);
      const index = new KeyIndex(source);
      const present = new Set<number>();
      for (const { insert, among, count } of commands)
        for (let i = 0; i < count; i += 1) {
          const slot = (among + i * 7) % CROWD;
          if (insert === present.has(slot)) continue;
          if (insert) index.insert(source.hashOf(slot), slot);
          else index.remove(source.hashOf(slot), slot);
          if (insert) present.add(slot);
          else present.delete(slot);
        }
      const found = source.keys.map((key, slot) => index.find(source.hashOf(slot), new DataView(key.buffer), 0, 4));
      expect(found).toEqual(source.keys.map((_, slot) => (present.has(slot) ? slot : -1)));
      expect(index.size).toBe(present.size);
    });
    fc.assert(property, { numRuns: 60 });
  });
});

const CROWD = 2_000;

/** Keys whose hashes lead to a few lines only: those there overflow, by more than a line can count. */
class CrowdedKeys extends CountingKeys {
  readonly #crowd: { readonly lines: number; readonly hashes: number };

  constructor(crowd: { readonly lines: number; readonly hashes: number }) {
    super();
    this.#crowd = crowd;
    for (let slot = 0; slot < CROWD; slot += 1) this.keys.push(new Uint8Array(Uint32Array.of(slot).buffer));
  }

  override hashOf(slot: number): number {
    const { lines, hashes } = this.#crowd;
    const distinct = Math.imul(slot % hashes, 0x9e3779b1);
    return (distinct & ~0xff0) | ((slot % lines) << 4);
  }
}
