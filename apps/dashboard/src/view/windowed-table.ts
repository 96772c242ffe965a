// A table of any length, of which only the rows in sight are drawn.
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ROW_PX, type RowWindow, rowWindow } from '../model/row-window.ts';

export interface WindowedHead {
  readonly text: string;
  /** Its width, beside those of the others: rows that come and go must not change it. */
  readonly share: number;
  readonly isFigure?: boolean;
}

interface WindowedTableProps {
  /** Id of what names it. */
  readonly label: string;
  readonly heads: readonly WindowedHead[];
  readonly count: number;
  readonly row: (at: number) => ComponentChild;
}

/** So wide a share is at least: a narrow page scrolls the table sideways. */
const SHARE_PX = 15;

/** Rows count from 1, and the head is the first. */
export const rowIndex = (at: number): number => at + 2;

export function WindowedTable({ label, heads, count, row }: WindowedTableProps): ComponentChild {
  const [top, setTop] = useState(0);
  const { from, to } = rowWindow(top, count);
  const scrolled = (event: Event): void => {
    const now = (event.target as HTMLElement).scrollTop;
    if (!isSame(rowWindow(now, count), { from, to })) setTop(now);
  };
  const all = heads.reduce((sum, { share }) => sum + share, 0);
  return h(
    'div',
    { class: 'scroll window', tabIndex: 0, role: 'group', 'aria-labelledby': label, onScroll: scrolled },
    h(
      'table',
      { 'aria-rowcount': count + 1, style: { minWidth: `${all * SHARE_PX}px` } },
      h(
        'colgroup',
        null,
        heads.map(({ text, share }) => h('col', { key: text, style: { width: `${(100 * share) / all}%` } })),
      ),
      h(
        'thead',
        null,
        h(
          'tr',
          { 'aria-rowindex': 1 },
          heads.map(({ text, isFigure = false }) =>
            h('th', { scope: 'col', key: text, class: isFigure ? 'number' : undefined }, text),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        space('above', from),
        Array.from({ length: to - from }, (_, at) => row(from + at)),
        space('below', count - to),
      ),
    ),
  );
}

function isSame(a: RowWindow, b: RowWindow): boolean {
  return a.from === b.from && a.to === b.to;
}

function space(key: string, rows: number): ComponentChild {
  return rows === 0 ? null : h('tr', { key, 'aria-hidden': 'true', style: { height: `${rows * ROW_PX}px` } });
}
