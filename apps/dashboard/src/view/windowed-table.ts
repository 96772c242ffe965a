// A table of any length, of which only the rows in sight are drawn.
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';

interface WindowedTableProps {
  /** Id of what names it. */
  readonly label: string;
  readonly heads: readonly string[];
  readonly count: number;
  readonly row: (at: number) => ComponentChild;
}

/** As the style has them; pixels. */
const ROW_PX = 34;
const SEEN_PX = 510;
/** Rows above and below those in sight: scrolling meets none that is not drawn. */
const AROUND = 15;

export function WindowedTable({ label, heads, count, row }: WindowedTableProps): ComponentChild {
  const [top, setTop] = useState(0);
  const from = Math.max(0, Math.floor(top / ROW_PX) - AROUND);
  const to = Math.min(count, Math.ceil((top + SEEN_PX) / ROW_PX) + AROUND);
  const scrolled = (event: Event): void => {
    setTop(Math.floor((event.target as HTMLElement).scrollTop / ROW_PX) * ROW_PX);
  };
  return h(
    'div',
    { class: 'scroll window', tabIndex: 0, role: 'group', 'aria-labelledby': label, onScroll: scrolled },
    h(
      'table',
      { class: 'map', 'aria-rowcount': count + 1 },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          heads.map((head) => h('th', { scope: 'col', key: head }, head)),
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

function space(key: string, rows: number): ComponentChild {
  return rows === 0 ? null : h('tr', { key, 'aria-hidden': 'true', style: { height: `${rows * ROW_PX}px` } });
}
