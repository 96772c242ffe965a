import { describe, expect, test } from '@jest/globals';
import { type Bar, barChart } from './bar-chart.ts';

const bar = (label: string, median: number, min = median, max = median): Bar => ({ label, median, min, max });
const widths = (svg: string): number[] =>
  [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map((found) => Number(found[1]));

describe('a bar chart', () => {
  test('has bars as long as their medians, and room for the greatest value', () => {
    const svg = barChart({ name: 'a', title: 't', bars: [bar('a', 400, 200, 800), bar('b', 100)] });
    const [first, second] = widths(svg);
    expect(first! / second!).toBeCloseTo(4, 1);
    const ends = [...svg.matchAll(/x2="([\d.]+)"/g)].map((found) => Number(found[1]));
    expect(ends).toEqual([630]);
    expect(svg).toContain('>400</text>');
  });

  test('marks the first bar and draws no spread where there is none', () => {
    const svg = barChart({ name: 'a', title: 't', bars: [bar('a', 1), bar('b', 2)] });
    const colors = [...svg.matchAll(/<rect [^>]*fill="([^"]+)"/g)].map((found) => found[1]);
    expect(new Set(colors).size).toBe(2);
    expect(svg).not.toContain('<line');
  });

  test('marks the bars that say they are ours instead', () => {
    const bars = [{ ...bar('a', 1), ours: false }, { ...bar('b', 2), ours: true }, bar('c', 3)];
    const colors = [...barChart({ name: 'a', title: 't', bars }).matchAll(/<rect [^>]*fill="([^"]+)"/g)];
    const [first, second, third] = colors.map((found) => found[1]);
    expect([first === second, first === third]).toEqual([false, true]);
  });

  test('holds any text and any figures without breaking', () => {
    expect(barChart({ name: 'a', title: '<a & "b">', bars: [] })).toContain('&lt;a &amp; &quot;b&quot;&gt;');
    expect(widths(barChart({ name: 'a', title: 't', bars: [bar('a', 0)] }))).toEqual([0]);
  });
});
