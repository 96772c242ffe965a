// The newest windows of statistics that are over, asked for while the tab is open.
import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CELL_FIGURES, CELL_HEADS, cellRows, type StatsWindow, windowFinding } from '../model/statistics.ts';
import { askJson, part } from './ask.ts';
import { Bars } from './bars.ts';
import { repeatedly } from './repeatedly.ts';
import type { TabProps } from './tab-props.ts';
import { Table } from './table.ts';

const AGAIN_MS = 2_000;

export function Statistics({ name, pipeline }: TabProps): ComponentChild {
  const [windows, setWindows] = useState<readonly StatsWindow[] | undefined>(undefined);
  useEffect(
    () =>
      repeatedly(
        AGAIN_MS,
        async () => {
          const { body } = await askJson(`/api/v1/stats/${part(name)}`);
          return (body as { readonly windows?: readonly StatsWindow[] }).windows ?? [];
        },
        setWindows,
      ),
    [name],
  );
  if (windows === undefined) return null;
  return h(
    'div',
    { class: 'board' },
    h('h2', { class: 'unseen' }, `Statistics of ${name}`),
    windows.length === 0
      ? h(
          'p',
          { class: 'card wide' },
          pipeline.hasStatistics
            ? 'No window is over yet here, or the pipeline has no stats: set stats.windows.'
            : `Statistics are of sessions; this pipeline has ${pipeline.noun}s.`,
        )
      : windows.map((window) => h(Window, { key: window.windowEnd - window.windowStart, window, noun: pipeline.noun })),
  );
}

function Window({ window, noun }: { readonly window: StatsWindow; readonly noun: string }): ComponentChild {
  const id = `window-${window.windowEnd - window.windowStart}`;
  return h(
    'section',
    { class: 'wide pair', 'aria-labelledby': id },
    h(
      'div',
      { class: 'card' },
      h('h3', { id }, windowFinding(window, noun)),
      h(Table, { label: id, heads: CELL_HEADS, figures: CELL_FIGURES, rows: cellRows(window.cells) }),
      window.truncated ? h('p', null, 'More cells are on the topic of statistics.') : null,
    ),
    h(Bars, {
      finding: window.opened >= window.closed ? 'More opened than closed' : 'More closed than opened',
      head: [`${noun}s`, 'In the window'],
      rows: [
        ['opened', window.opened],
        ['closed', window.closed],
        ['active', window.active],
      ],
    }),
  );
}
