// Answers to a question for a key (Q1, Q2).
import type { Millis } from '@flatline/base';
import type { EntryView, ShownEntry } from '@flatline/kinds';
import type { ListAsked } from '@flatline/partition';

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

/** Entries of a partition as one of its commits left them: that of a key, or those from a slot on (Q3). */
export type EntryPage =
  | {
      readonly kind: 'found';
      readonly rows: readonly EntryRow[];
      /** Slot to go on from; undefined: there are no more. */
      readonly nextSlot: number | undefined;
      /** Bytes of keys and states. */
      readonly bytes: number;
      readonly asOf: AsOf;
      /** The outputs from here on follow that state: an offset of the output partition. */
      readonly outputEnd: number;
    }
  | Extract<LookUp, { readonly kind: 'restoring' | 'moving' }>;

/** The state of one key. */
export interface EntryRow {
  readonly key: Uint8Array;
  readonly entries: readonly ShownEntry[];
}

export interface EntryPageHow {
  readonly asked: Uint8Array | ListAsked;
  /** An entry of which nothing is shown is passed over. */
  readonly show: ShowEntry;
  /** Aborted, the asker waits no more. */
  readonly abandon: AbortSignal;
}

/** Shows an entry as it will be answered: a copy. */
export type ShowEntry = EntryView['shown'];

export interface LookUpAtOnceHow {
  readonly show: ShowEntry;
  /** Answered once all is read that was acknowledged before the question (`proof=now`). */
  readonly isNow: boolean;
}

export interface LookUpHow extends LookUpAtOnceHow {
  /** Aborted, the asker waits no more. */
  readonly abandon: AbortSignal;
}
