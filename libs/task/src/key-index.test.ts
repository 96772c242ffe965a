import { describe, expect, test } from '@jest/globals';
import { hashBytes } from '@flatline/base';
import { KeyIndex, type KeySource } from './key-index.ts';

const SEED = 7;
const utf8 = new TextEncoder();

/** Keys by slot number, and how often the index had to look at one. */
class CountingKeys implements KeySource {
  readonly keys: Uint8Array[] = [];
  looks = 0;

  matches(slot: number, view: DataView, start: number, length: number): boolean {
    this.looks += 1;
    const key = this.keys[slot]!;
    return key.length === length && key.every((byte, i) => byte === view.getUint8(start + i));
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
    expect(source.looks).toBeLessThan(size * 1.02 + 5);
  });

  test('finds what is left after half was removed, and nothing of what was', () => {
    const { index, source } = indexOf(5_000);
    for (let slot = 0; slot < 5_000; slot += 2) index.remove(source.hashOf(slot), slot);
    expect(index.size).toBe(2_500);
    const left = source.keys.map((_, slot) => (slot % 2 === 0 ? -1 : slot));
    expect(foundSlots(index, source)).toEqual(left);
    expect(likelySlots(index, source)).toEqual(left);
  });
});
