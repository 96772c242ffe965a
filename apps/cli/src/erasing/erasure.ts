// How far an erasure has come, by what the changelog says (E1): asked of the log, so that no restart of anything forgets it. Pure.
//
// An act at an offset of the input is done once the first commit that the changelog still holds has applied it: whatever told of the
// key before lies below, and is deleted. Who owns the partition forgets on a restart that it is to write all bases again: where a
// claim follows the commit that applied the act, the act has to be sent once more.
import type { DurationMs } from '@flatline/base';
import type { ChangelogEnds } from '@flatline/processor';
import { duration } from '../terminal/progress.ts';

export type ErasureStage =
  /** No commit has applied the act. */
  | { readonly stage: 'sent' }
  /** Nothing of the key lives; the log below the commit is not deleted yet. */
  | { readonly stage: 'committed'; readonly commit: number }
  | { readonly stage: 'erased'; readonly commit: number; readonly truncatedTo: number };

export class Erasure {
  /** Offset of the first act in the input: what came of the key behind it is another session's. */
  readonly act: number;
  /** The first commit that has applied it, by its place in the changelog. */
  #commit: number | undefined;
  /** Offset of the last act, and the first commit that has applied that. */
  #newest: number;
  #heardAt: number | undefined;
  /** Place of the newest claim. */
  #claimedAt = -1;

  constructor(act: number) {
    this.act = act;
    this.#newest = act;
  }

  /** Takes what the changelog says now, and what has come since it was last asked. */
  take({ logStart, firstPosition, news }: ChangelogEnds): ErasureStage {
    for (const { offset, position } of news) {
      if (position === undefined) this.#claimedAt = offset;
      else {
        if (position > this.act) this.#commit ??= offset;
        if (position > this.#newest) this.#heardAt ??= offset;
      }
    }
    if (this.#commit === undefined) return { stage: 'sent' };
    const isBelow = firstPosition === undefined || firstPosition <= this.act;
    const commit = this.#commit;
    return isBelow ? { stage: 'committed', commit } : { stage: 'erased', commit, truncatedTo: logStart };
  }

  /** True if the owner that heard of the last act is not the owner any more. */
  get isForgotten(): boolean {
    return this.#heardAt !== undefined && this.#claimedAt > this.#heardAt;
  }

  /** The act was sent again, and lies there. */
  sentAgain(act: number): void {
    this.#newest = act;
    this.#heardAt = undefined;
  }
}

/** Says what an erasure at this stage waits for. */
export function waitText(stage: 'sent' | 'committed', truncateLagMs: DurationMs): string {
  if (stage === 'sent') return 'waiting for a processor to read the act and commit';
  const lag = `about ${duration(truncateLagMs)} (truncateLagMs), or sooner once truncateLagBytes are written`;
  return `nothing of the key lives; waiting until the changelog below is deleted, ${lag}`;
}

/**
 * Tells sessions that began before the act, at that offset: where one lives behind it the act was refused. `known`: incarnations that
 * lived before it was sent, since offsets of other inputs are not the act's (S8).
 */
export function beganBefore(
  act: number,
  known: ReadonlySet<unknown>,
): (session: { readonly incarnation?: unknown }) => boolean {
  return ({ incarnation }) => {
    const [, offset, further] = String(incarnation).split('-');
    return known.has(incarnation) || (further === undefined && Number(offset) < act);
  };
}
