// The whole page: what is chosen above, then the tab that is open. The others compute nothing.
import { h, type ComponentChild } from 'preact';
import { Deliveries } from './deliveries.ts';
import { Entries } from './entries.ts';
import { Head, Token } from './head.ts';
import { Letters } from './letters.ts';
import { Overview } from './overview.ts';
import { Partitions } from './partitions.ts';
import { Statistics } from './statistics.ts';
import type { TabProps } from './tab-props.ts';
import { needsToken, pipeline, pipelineName, tab, trouble, type Tab } from './state.ts';

const VIEWS: Readonly<Record<Tab, (props: TabProps) => ComponentChild>> = {
  overview: Overview,
  partitions: Partitions,
  entries: Entries,
  statistics: Statistics,
  letters: Letters,
  deliveries: Deliveries,
};

export function Page(): ComponentChild {
  const [name, shown] = [pipelineName.value, pipeline.value];
  return h(
    'div',
    { class: 'page' },
    h(Head, null),
    trouble.value === undefined ? null : h('p', { class: 'trouble', role: 'status' }, trouble.value),
    shown?.trouble === undefined ? null : h('p', { class: 'trouble', role: 'alert' }, shown.trouble),
    needsToken.value ? h(Token, null) : null,
    h(
      'main',
      null,
      name === undefined || shown === undefined
        ? h('p', { class: 'waiting' }, 'Waiting for the processor …')
        : h(VIEWS[tab.value], { key: name, name, pipeline: shown }),
    ),
  );
}
