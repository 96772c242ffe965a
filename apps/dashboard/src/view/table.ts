// A table of texts, which scrolls by itself where it is wider than the page.
import { h, type ComponentChild } from 'preact';

interface TableProps {
  /** Id of what names it. */
  readonly label: string;
  readonly heads: readonly string[];
  /** The first of each names its row. */
  readonly rows: readonly (readonly ComponentChild[])[];
}

export function Table({ label, heads, rows }: TableProps): ComponentChild {
  return h(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'group', 'aria-labelledby': label },
    h(
      'table',
      null,
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
        rows.map(([first, ...others], at) =>
          h('tr', { key: at }, h('th', { scope: 'row' }, first), ...others.map((cell) => h('td', null, cell))),
        ),
      ),
    ),
  );
}
