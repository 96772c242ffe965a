import { describe, expect, test } from '@jest/globals';
import { AnswerMemory } from './answer-memory.ts';

const MIB = 1024 * 1024;

describe('AnswerMemory', () => {
  test('AM1 memory is handed out again once it was given back, not before', () => {
    const memory = new AnswerMemory();
    const first = memory.take(MIB);
    expect(memory.take(MIB).buffer).not.toBe(first.buffer);
    memory.giveBack(first);
    const again = memory.take(MIB - 100);
    expect(again.buffer).toBe(first.buffer);
    expect(again).toHaveLength(MIB - 100);
  });

  test('AM1 giving back twice, through any part of an answer, hands it out once', () => {
    const memory = new AnswerMemory();
    const first = memory.take(MIB);
    memory.giveBack(first.subarray(8));
    memory.giveBack(first);
    expect(memory.take(MIB).buffer).toBe(first.buffer);
    expect(memory.take(MIB).buffer).not.toBe(first.buffer);
  });

  test('small answers, larger ones than it keeps and memory of others are left to the garbage collector', () => {
    const memory = new AnswerMemory();
    for (const answer of [memory.take(100), memory.take(64 * MIB), Buffer.allocUnsafeSlow(MIB)]) {
      memory.giveBack(answer);
      expect(memory.take(answer.length).buffer).not.toBe(answer.buffer);
    }
  });

  test('[X6] what is kept free is bounded', () => {
    const memory = new AnswerMemory();
    const answers = Array.from({ length: 40 }, () => memory.take(MIB));
    for (const answer of answers) memory.giveBack(answer);
    const used = new Set<ArrayBufferLike>(answers.map(({ buffer }) => buffer));
    const kept = Array.from({ length: 40 }, () => memory.take(MIB)).filter(({ buffer }) => used.has(buffer));
    expect(kept).toHaveLength(32);
  });
});
