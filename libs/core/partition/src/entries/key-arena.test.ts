import { describe, expect, test } from '@jest/globals';
import { KeyArena, startOf } from './key-arena.ts';

const utf8 = new TextEncoder();

function store(arena: KeyArena, key: string): number {
  const { buffer, byteOffset, length } = utf8.encode(key);
  return arena.store(new DataView(buffer, byteOffset, length), 0, length);
}

function textAt({ bytes }: KeyArena, reference: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(startOf(reference), startOf(reference) + length));
}

describe('the key arena', () => {
  test('keys stay what they were while the memory grows', () => {
    const arena = new KeyArena();
    const keys = Array.from({ length: 100_000 }, (_, index) => `session-${index}`.repeat((index % 3) + 1));
    const references = keys.map((key) => store(arena, key));
    expect(keys.filter((key, index) => textAt(arena, references[index]!, key.length) !== key)).toEqual([]);
  });

  test('a freed place is given to the next key of its size, the one freed last first, and to no other', () => {
    const arena = new KeyArena();
    const keys = ['sixteen-bytes--1', 'sixteen-bytes--2', 'eight--3'];
    const [first, second, third] = keys.map((key) => store(arena, key));
    arena.release(first!, 16);
    arena.release(second!, 16);
    const short = store(arena, 'eight--4');
    expect([first, second, third]).not.toContain(short);
    expect(store(arena, 'sixteen-bytes--5')).toBe(second);
    expect(store(arena, 'fifteen-bytes-6')).toBe(first);
    expect(textAt(arena, third!, 8)).toBe('eight--3');
  });
});
