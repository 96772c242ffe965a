// The partition map: every partition at a glance, then one row for each, then the moves as they were seen.
import { h, type ComponentChild } from 'preact';
import { mapFinding } from '../model/findings.ts';
import { whyOpen } from '../model/why-open.ts';
import { instant, number } from '../model/words.ts';
import type { TabProps } from './tab-props.ts';
import { Restart } from './restart.ts';
import { PartitionGrid } from './partition-grid.ts';
import { facts, moves } from './state.ts';
import { Table } from './table.ts';
import { rowIndex, type WindowedHead, WindowedTable } from './windowed-table.ts';

const HEADS: readonly WindowedHead[] = [
  { text: 'Partition', share: 5.5, isFigure: true },
  { text: 'Owner', share: 9 },
  { text: 'State', share: 8 },
  { text: 'Clock (UTC)', share: 8, isFigure: true },
  { text: 'Live', share: 5, isFigure: true },
  { text: 'Lag', share: 5, isFigure: true },
  { text: 'Standby', share: 9 },
  { text: 'Why it does not close now', share: 24 },
];
const MOVES_SHOWN = 20;

export function Partitions({ name, pipeline }: TabProps): ComponentChild {
  const all = Array.from({ length: pipeline.inputPartitions }, (_, partition) => partition);
  const finding = mapFinding(all.map((partition) => facts.part(name, partition)));
  return h(
    'div',
    { class: 'board' },
    h(
      'section',
      { class: 'card wide', 'aria-labelledby': 'partitions' },
      h('h2', { id: 'partitions' }, finding),
      h(PartitionGrid, { name, pipeline }),
      h(WindowedTable, {
        label: 'partitions',
        heads: HEADS,
        count: all.length,
        row: (partition) => h(Row, { key: partition, name, partition }),
      }),
    ),
    h(Moves, { name }),
  );
}

function Row({ name, partition }: { readonly name: string; readonly partition: number }): ComponentChild {
  const part = facts.part(name, partition);
  const now = facts.now(name, partition);
  const place = { 'aria-rowindex': rowIndex(partition) };
  const first = h('th', { scope: 'row', class: 'number' }, partition);
  if (part === undefined) return h('tr', place, first, h('td', { colSpan: HEADS.length - 1 }, '–'));
  const [clock, live, lag] = now ?? [];
  const figure = (value: number | null | undefined): string =>
    value === undefined || value === null ? '–' : number(value);
  return h(
    'tr',
    place,
    first,
    h('td', null, part.owner ?? 'none'),
    h(
      'td',
      null,
      h('span', { class: `state ${part.state}` }, part.state),
      part.state === 'stopped' ? h(Restart, { name, partition }) : null,
    ),
    h('td', { class: 'number' }, clock === undefined ? '–' : instant(clock)),
    h('td', { class: 'number' }, figure(live)),
    h('td', { class: 'number' }, figure(lag)),
    h('td', null, part.standbys.length === 0 ? '–' : part.standbys.join(', ')),
    h('td', null, whyOpen(part, now, facts.instance?.wallMs ?? 0)),
  );
}

function Moves({ name }: { readonly name: string }): ComponentChild {
  const seen = moves.value.filter((move) => move.pipeline === name).slice(0, MOVES_SHOWN);
  const finding = seen.length === 0 ? 'Nothing has moved since this page was opened' : 'What has moved, newest first';
  return h(
    'section',
    { class: 'card wide', 'aria-labelledby': 'moves' },
    h('h3', { id: 'moves' }, finding),
    seen.length === 0
      ? null
      : h(Table, {
          label: 'moves',
          heads: ['Partition', 'Seen (UTC)', 'What'],
          rows: seen.map(({ partition, atMs, what }) => [partition, instant(atMs), what]),
        }),
  );
}
