// Horizontal bars as SVG text: the median as a bar, least to most as a line across its end. Pure; readable on light and dark.
import { short } from '../text-table.ts';
import { escaped, svg, TEXT } from './svg.ts';

export interface Bar {
  readonly label: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Emphasized, as ours among the others; if no bar is marked, the first one is. */
  readonly ours?: boolean;
}

export interface BarChart {
  /** Ends the file's name: letters, digits, dashes. */
  readonly name: string;
  /** The quantity, its unit, and whether more or less is better. */
  readonly title: string;
  /** Not negative. */
  readonly bars: readonly Bar[];
}

const WIDTH = 720;
const LABEL_WIDTH = 170;
const FIGURE_WIDTH = 90;
const ROW = 26;
const HEAD = 34;
const BAR = 16;
const OURS = '#1a7f6b';
const OTHERS = '#8a93a3';

/** Linear from 0: a bar twice as long is twice as much. */
export function barChart({ title, bars }: BarChart): string {
  const most = Math.max(0, ...bars.map(({ max }) => max));
  const scale = most === 0 ? 0 : (WIDTH - LABEL_WIDTH - FIGURE_WIDTH) / most;
  const isOurs = bars.map(({ ours }, index) => ours ?? (index === 0 && bars.every((bar) => bar.ours === undefined)));
  const height = HEAD + ROW * bars.length + 8;
  const rows = bars.flatMap((bar, index) =>
    row(bar, { top: HEAD + ROW * index, scale, color: isOurs[index]! ? OURS : OTHERS }),
  );
  return svg({ width: WIDTH, height, font: 'system-ui, sans-serif', size: 13, title }, rows);
}

interface Place {
  readonly top: number;
  readonly scale: number;
  readonly color: string;
}

function row({ label, median, min, max }: Bar, { top, scale, color }: Place): readonly string[] {
  const middle = top + BAR / 2;
  const at = (value: number): string => (LABEL_WIDTH + value * scale).toFixed(1);
  const spread =
    min === max
      ? []
      : [`<line x1="${at(min)}" y1="${middle}" x2="${at(max)}" y2="${middle}" stroke="${TEXT}" stroke-width="2"/>`];
  return [
    `<text x="${LABEL_WIDTH - 8}" y="${middle + 5}" text-anchor="end">${escaped(label)}</text>`,
    `<rect x="${LABEL_WIDTH}" y="${top}" width="${(median * scale).toFixed(1)}" height="${BAR}" fill="${color}"/>`,
    ...spread,
    `<text x="${Number(at(Math.max(median, max))) + 6}" y="${middle + 5}">${short(median)}</text>`,
  ];
}
