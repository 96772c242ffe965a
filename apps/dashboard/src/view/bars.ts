// Counts by name, as bars that are themselves a table.
import { h, type ComponentChild } from 'preact';

interface BarsProps {
  readonly finding: string;
  readonly head: readonly [name: string, count: string];
  readonly rows: readonly (readonly [name: string, count: number])[];
}

export function Bars({ finding, head, rows }: BarsProps): ComponentChild {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return h(
    'figure',
    { class: 'card' },
    h('figcaption', null, finding),
    h(
      'table',
      { class: 'bars' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, head[0]),
          h('th', { scope: 'col', class: 'number' }, head[1]),
          h('td', null),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map(([name, count]) =>
          h(
            'tr',
            { key: name },
            h('th', { scope: 'row' }, name),
            h('td', { class: 'number' }, count.toLocaleString('en')),
            h('td', { class: 'bar' }, h('meter', { min: 0, max: most, value: count, 'aria-hidden': 'true' })),
          ),
        ),
      ),
    ),
  );
}
