// The columns of `flatline top`, and the orders that they give. Pure.
import { count, type Millis } from '@flatline/base';
import { ageOf, type PartitionRow } from './partition-rows.ts';
import type { Colors } from '../terminal/console.ts';
import { printable } from '../terminal/printable.ts';
import type { TableColumn } from '../terminal/table.ts';

export interface Order {
  /** Chooses it, once more turns it round. */
  readonly key: string;
  /** As the column is called. */
  readonly name: string;
  readonly by: (a: PartitionRow, b: PartitionRow) => number;
}

const most =
  (of: (row: PartitionRow) => number | undefined) =>
  (a: PartitionRow, b: PartitionRow): number =>
    (of(b) ?? -1) - (of(a) ?? -1);
const busiest = most(({ readPerSecond }) => readPerSecond);
const farthest = most(({ lag }) => lag);

/** The first is the one at the beginning. */
export const ORDERS: readonly Order[] = [
  { key: 'b', name: 'read/s', by: (a, b) => busiest(a, b) || farthest(a, b) },
  { key: 'l', name: 'lag', by: farthest },
  { key: 'n', name: 'live', by: most(({ liveEntries }) => liveEntries) },
  // The oldest first: what has not heard for longest is looked for.
  { key: 'c', name: 'clock', by: (a, b) => (a.clock ?? Infinity) - (b.clock ?? Infinity) },
  { key: 't', name: 'state', by: (a, b) => stateOf(a).localeCompare(stateOf(b), 'en') },
  { key: 'p', name: 'partition', by: byPartition },
];

function byPartition(a: PartitionRow, b: PartitionRow): number {
  return a.pipeline.localeCompare(b.pipeline, 'en') || a.partition - b.partition || a.role.localeCompare(b.role, 'en');
}

export function stateOf({ role, state }: PartitionRow): string {
  return role === 'standby' ? `standby, ${state}` : state;
}

export interface Heading {
  readonly name: string;
  readonly isTurned: boolean;
}

const NUMBER_WIDTH = 10;

export function topColumns(colors: Colors, by: Heading, now: Millis): readonly TableColumn<PartitionRow>[] {
  const titled = (name: string): string => (name === by.name ? `${name} ${by.isTurned ? '▲' : '▼'}` : name);
  const number = (name: string, of: (row: PartitionRow) => number | undefined): TableColumn<PartitionRow> => ({
    name: (width) => titled(name).padStart(width),
    width: NUMBER_WIDTH,
    text: (row) => (of(row) === undefined ? '' : count(of(row)!)).padStart(NUMBER_WIDTH),
  });
  const painted = (cell: string, row: PartitionRow): string => colorOf(row, colors)(cell);
  return [
    {
      name: () => titled('partition'),
      width: 26,
      least: 14,
      text: ({ pipeline, partition }) => `${printable(pipeline)}/${partition}`,
    },
    { name: () => titled('state'), width: 20, least: 8, text: stateOf, paint: painted },
    number('read/s', ({ readPerSecond }) => readPerSecond),
    { ...number('lag', ({ lag }) => lag), spare: 5 },
    { ...number('live', ({ liveEntries }) => liveEntries), spare: 4 },
    {
      name: (width) => titled('clock').padStart(width),
      width: NUMBER_WIDTH,
      text: ({ clock }) => ageOf(clock, now).padStart(NUMBER_WIDTH),
      spare: 3,
    },
    { name: 'where', width: 20, least: 10, text: whereOf, spare: 2, paint: colors.dim },
    { name: '', width: 60, least: 0, text: ({ detail }) => printable(detail ?? ''), paint: colors.yellow },
  ];
}

function whereOf({ instance, worker }: PartitionRow): string {
  return printable(
    [instance ?? '', worker === undefined ? '' : `worker ${worker}`].filter((part) => part !== '').join(', '),
  );
}

function colorOf({ role, state }: PartitionRow, { green, red, yellow, dim }: Colors): (text: string) => string {
  if (role === 'standby') return dim;
  if (state === 'running') return green;
  return state === 'stopped' ? red : yellow;
}
