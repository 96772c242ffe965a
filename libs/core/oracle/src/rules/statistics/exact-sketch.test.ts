// Sketches as the text of docs/FORMATS.md has them, reckoned by hand.
import { expect, test } from '@jest/globals';
import { binIn, exactSketch, formerSketch, isFormer } from './exact-sketch.ts';

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const bits = (text: string): string =>
  hex(
    Uint8Array.from(text.replaceAll(' ', '').match(/.{1,8}/g) ?? [], (byte) => Number.parseInt(byte.padEnd(8, '0'), 2)),
  );

test('[S12] no durations, and none but zeros', () => {
  expect([exactSketch(0, new Map()), exactSketch(300, new Map())].map(hex)).toEqual(['8500', '85ac02']);
  expect([formerSketch(0, new Map()), formerSketch(300, new Map())].map(hex)).toEqual(['0500', '05ac02']);
});

test('[S12] each count by what the two before it lead to expect, in the stretch or before it', () => {
  const counts = new Map([
    [2, 7],
    [3, 4],
    [4, 11],
    [9, 10],
    [8, 1],
  ]);
  const told = [
    '011 011', // Two bins passed over, and one more; three bins.
    '00111', // 7: u 6 by p 0, more than twice that: w 6, k 0.
    '1 0', // 4: u 3 by p 3: w 0, k 1.
    '011 10', // 11: u 10 by p 4, more than twice that: w 10, k 2.
    '011 010', // Three bins passed over; two bins.
    '011 11', // 1: u 0 by p 6: w 11, k 2.
    '011 00', // 10: u 9 by p 5: w 8, k 2.
  ];
  expect(hex(exactSketch(0, counts))).toBe(`8500${bits(told.join(''))}`);
  expect(hex(formerSketch(0, counts))).toBe('05000203' + '07040b' + '0302' + '010a');
});

test('[S12] the greatest counts', () => {
  const most = new Map([[binIn(1), 2 ** 53 - 2]]);
  expect(hex(formerSketch(1, most))).toBe('05010001feffffffffffff0f');
  // In bits it would be two bytes longer.
  expect(hex(exactSketch(1, most))).toBe('05010001feffffffffffff0f');
  const [zeros, ones] = ['0'.repeat(25), '1'.repeat(25)];
  const told = [
    '1 00100', // No bin passed over; four bins.
    `${zeros}${zeros} 1 ${zeros}${zeros}`, // u 2^50 − 1 by p 0: w is u, k 0.
    `${zeros} 1 ${zeros} ${ones}`, // By p 2^49 − 1, more than twice that: w is u, k 25.
    `1 ${zeros}`, // By p u: w 0, k 25.
    `1 ${zeros}`,
  ];
  const counts = new Map([0, 1, 2, 3].map((bin) => [bin, 2 ** 50]));
  expect(hex(exactSketch(1, counts))).toBe(`8501${bits(told.join(''))}`);
});

test('[K9] a former sketch is told by its first byte', () => {
  expect([exactSketch(5, new Map()), formerSketch(133, new Map()), new Uint8Array(0)].map(isFormer)).toEqual([
    false,
    true,
    false,
  ]);
});
