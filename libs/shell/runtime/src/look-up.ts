// What is answered of a key (Q1, Q2).
import type { Millis } from '@flatline/base';
import type { EntryView, ShownEntry } from '@flatline/kinds';

/** As of where an answer is: the input below `position` is applied, and the partition's clock has come so far. */
export interface AsOf {
  readonly clock: Millis;
  readonly position: number;
}

export type LookUp =
  /** All that the key has; none: an empty list. Nothing of it lies in the state any more. */
  | {
      readonly kind: 'found';
      readonly entries: readonly ShownEntry[];
      readonly asOf: AsOf;
      readonly from: 'owner' | 'standby';
      /** Changelog records that a standby has yet to read, as of its newest answer; undefined: it cannot say. */
      readonly lag?: number | undefined;
    }
  /** `restoring`: it is here, and not yet, or no longer, to be asked. `moving`: it is not here. */
  | { readonly kind: 'restoring' | 'moving'; readonly detail: string };

/** Shows an entry as it will be answered: a copy. */
export type ShowEntry = EntryView['shown'];

export interface LookUpHow {
  readonly show: ShowEntry;
  /** Answered once all is read that was acknowledged before the question (`proof=now`). */
  readonly isNow: boolean;
  /** Aborted, the asker waits no more. */
  readonly abandon: AbortSignal;
}
