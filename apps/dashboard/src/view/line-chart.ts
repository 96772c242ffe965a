// A line over the last samples. Its name says what it finds; the table behind it has its figures.
import { h, type ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { number } from '../model/words.ts';
import { Table } from './table.ts';
import { shownTheme } from './theme.ts';

interface LineChartProps {
  readonly finding: string;
  /** Oldest first. */
  readonly samples: readonly (readonly [secondsAgo: number, value: number])[];
  readonly unit: string;
}

const HEIGHT = 180;
const ROWS_MAX = 24;
const ROW_EVERY = 10;

export function LineChart({ finding, samples, unit }: LineChartProps): ComponentChild {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const theme = shownTheme.value;
  // A canvas keeps the colours that it was drawn in: another theme is another plot.
  useEffect(() => {
    const at = place.current!;
    const made = new uPlot(optionsIn(at), [[], []], at);
    plot.current = made;
    const resized = new ResizeObserver(() => {
      made.setSize({ width: at.clientWidth, height: HEIGHT });
    });
    resized.observe(at);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [theme]);
  useEffect(() => {
    plot.current?.setData([samples.map(([x]) => x), samples.map(([, y]) => y)]);
  }, [samples, theme]);
  const newest = samples.filter((_, at) => (samples.length - 1 - at) % ROW_EVERY === 0).slice(-ROWS_MAX);
  return h(
    'figure',
    { class: 'card' },
    h('figcaption', { id: 'line' }, finding),
    h('div', { class: 'plot', ref: place, role: 'img', 'aria-label': finding }),
    h(
      'details',
      null,
      h('summary', null, 'As a table'),
      h(Table, {
        label: 'line',
        heads: ['Seconds ago', unit],
        figures: [unit],
        rows: newest.map(([x, y]) => [number(-x), number(y)]),
      }),
    ),
  );
}

function optionsIn(at: HTMLElement): uPlot.Options {
  const style = getComputedStyle(at);
  const colour = (name: string): string => style.getPropertyValue(name);
  const axis = {
    stroke: colour('--quiet'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: at.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.15)] } },
    axes: [
      { ...axis, size: 28, values: (_plot, splits) => splits.map((each) => `${each} s`) },
      {
        ...axis,
        size: 52,
        values: (_plot, splits) => splits.map((each) => (Number.isInteger(each) ? number(each) : '')),
      },
    ],
    series: [{}, { stroke: colour('--accent'), fill: colour('--wash'), width: 2, points: { show: false } }],
  };
}
