// A table of texts, which scrolls by itself where it is wider than the page.
import { h, type ComponentChild } from 'preact';

interface TableProps {
  /** Id of what names it. */
  readonly label: string;
  readonly heads: readonly string[];
  /** Heads of the columns that are figures. */
  readonly figures?: readonly string[];
  /** The first of each names its row. */
  readonly rows: readonly (readonly ComponentChild[])[];
}

export function Table({ label, heads, figures = [], rows }: TableProps): ComponentChild {
  const sort = (head: string): string | undefined => (figures.includes(head) ? 'number' : undefined);
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
          heads.map((head) => h('th', { scope: 'col', key: head, class: sort(head) }, head)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map(([first, ...others], at) =>
          h(
            'tr',
            { key: at },
            h('th', { scope: 'row' }, first),
            ...others.map((cell, column) => h('td', { class: sort(heads[column + 1]!) }, cell)),
          ),
        ),
      ),
    ),
  );
}
