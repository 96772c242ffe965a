// Moves of partitions, one by one: a rebalance as it is seen.
import type { PartFact } from './facts.ts';

export interface Move {
  /** By the page's clock; milliseconds since 1970. */
  readonly atMs: number;
  readonly pipeline: string;
  readonly partition: number;
  readonly what: string;
}

const MOVES_MAX = 200;

/** undefined: nothing that one would call a move. */
export function moveBetween(before: PartFact | undefined, after: PartFact | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const from = before.owner ?? 'no instance';
  const to = after.owner ?? 'no instance';
  const moved = from === to ? [] : [`from ${from} to ${to}`];
  const became = before.state === after.state || after.state === 'elsewhere' ? [] : [`is ${after.state}`];
  const why = after.detail === undefined || after.detail === before.detail ? [] : [after.detail];
  const followed =
    before.standbys.join() === after.standbys.join() ? [] : [`standbys: ${after.standbys.join(', ') || 'none'}`];
  const all = [...moved, ...became, ...why, ...followed];
  return all.length === 0 ? undefined : all.join('; ');
}

/** Newest first. */
export function withMove(moves: readonly Move[], move: Move): readonly Move[] {
  return [move, ...moves.slice(0, MOVES_MAX - 1)];
}
