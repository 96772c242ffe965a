// A person's choices in `flatline top`: the order, a partition, and whether to look into it. Pure.
import type { PartitionRow } from './partition-rows.ts';
import type { Key } from '../terminal/keys.ts';
import { ORDERS } from './top-columns.ts';

export interface TopState {
  /** Index of the column by which rows are ordered. */
  readonly order: number;
  /** The other way round than the column's own. */
  readonly isTurned: boolean;
  /** Name of the row that the cursor is on; undefined: the first. */
  readonly chosen: string | undefined;
  readonly isOpen: boolean;
}

export const FIRST_STATE: TopState = { order: 0, isTurned: false, chosen: undefined, isOpen: false };

function nameOf({ pipeline, partition, role, instance }: PartitionRow): string {
  return `${role} ${pipeline}/${partition} ${instance ?? ''}`;
}

/** The rows in the order that was chosen; equal ones in the order of their partitions. */
export function ordered(rows: readonly PartitionRow[], { order, isTurned }: TopState): readonly PartitionRow[] {
  const { by } = ORDERS[order]!;
  const turn = isTurned ? -1 : 1;
  return rows.toSorted((a, b) => turn * by(a, b));
}

/** Returns the state after a key; undefined: it means to end. */
export function pressed(state: TopState, key: Key, rows: readonly PartitionRow[]): TopState | undefined {
  switch (key) {
    case 'q':
    case 'interrupt':
      return undefined;
    case 'escape':
      return { ...state, isOpen: false };
    case 'enter':
      return rows.length === 0 ? state : { ...state, isOpen: !state.isOpen, chosen: chosenIn(state, rows) };
    case 'r':
      return { ...state, isTurned: !state.isTurned };
    case 's':
    case 'right':
      return turnedTo(state, (state.order + 1) % ORDERS.length);
    case 'left':
      return turnedTo(state, (state.order + ORDERS.length - 1) % ORDERS.length);
    case 'up':
    case 'k':
      return { ...state, chosen: beside(state, rows, -1) };
    case 'down':
    case 'j':
      return { ...state, chosen: beside(state, rows, 1) };
    default: {
      const column = ORDERS.findIndex((each) => each.key === key);
      if (column < 0) return state;
      // The same once more turns it round.
      return column === state.order ? { ...state, isTurned: !state.isTurned } : turnedTo(state, column);
    }
  }
}

/** Index of the row that the cursor is on. */
export function chosenAt({ chosen }: TopState, rows: readonly PartitionRow[]): number {
  return Math.max(
    0,
    rows.findIndex((row) => nameOf(row) === chosen),
  );
}

function chosenIn(state: TopState, rows: readonly PartitionRow[]): string | undefined {
  const row = rows[chosenAt(state, rows)];
  return row && nameOf(row);
}

function beside(state: TopState, rows: readonly PartitionRow[], by: number): string | undefined {
  const row = rows[Math.min(rows.length - 1, Math.max(0, chosenAt(state, rows) + by))];
  return row && nameOf(row);
}

function turnedTo(state: TopState, order: number): TopState {
  return { ...state, order, isTurned: false };
}
