import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ReusedMemory } from './reused-memory.ts';

const MIB = 1024 * 1024;

describe('ReusedMemory', () => {
  test('RM1 memory is handed out again once it was given back, not before', () => {
    const memory = new ReusedMemory(32 * MIB);
    const first = memory.take(MIB);
    expect(memory.take(MIB).buffer).not.toBe(first.buffer);
    memory.giveBack(first);
    const again = memory.take(MIB - 100);
    expect(again.buffer).toBe(first.buffer);
    expect(again).toHaveLength(MIB - 100);
  });

  test('RM1 giving back twice, through any part of it, hands it out once', () => {
    const memory = new ReusedMemory(32 * MIB);
    const first = memory.take(MIB);
    memory.giveBack(first.subarray(8));
    memory.giveBack(first);
    expect(memory.take(MIB).buffer).toBe(first.buffer);
    expect(memory.take(MIB).buffer).not.toBe(first.buffer);
  });

  test('a piece is at most a quarter larger than asked for (rerun: the printed seed)', () => {
    const memory = new ReusedMemory(0);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 17 * MIB }), (length) => {
        const { byteLength, buffer } = memory.take(length);
        return byteLength === length && buffer.byteLength <= length * 1.25;
      }),
    );
  });

  test('small pieces, larger ones than it keeps and memory of others are left to the garbage collector', () => {
    const memory = new ReusedMemory(128 * MIB);
    for (const bytes of [memory.take(100), memory.take(64 * MIB), new Uint8Array(MIB)]) {
      memory.giveBack(bytes);
      expect(memory.take(bytes.length).buffer).not.toBe(bytes.buffer);
    }
  });

  test('[X6] what is kept free is bounded', () => {
    const memory = new ReusedMemory(32 * MIB);
    const pieces = Array.from({ length: 40 }, () => memory.take(MIB));
    for (const piece of pieces) memory.giveBack(piece);
    const used = new Set<ArrayBufferLike>(pieces.map(({ buffer }) => buffer));
    const kept = Array.from({ length: 40 }, () => memory.take(MIB)).filter(({ buffer }) => used.has(buffer));
    expect(kept).toHaveLength(32);
  });
});
