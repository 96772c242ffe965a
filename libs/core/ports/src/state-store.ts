// The port of the local store: a checkpoint of committed state, a cache of the changelog (architecture, Local store).
//
// It may lag behind the changelog and is never ahead of it. Writing is a *fuzzy checkpoint* (Lin, Dunham, ICDE 1997): a flush is
// a series of `write` calls, each atomic, of rows that are all committed, each as of the checkpoint or a later commit; the
// checkpoint comes with the last. Each row says as of which, so that rolling the changelog forward passes over what a row has
// already. A crash in the middle leaves the former checkpoint with some rows that are newer still. Count and digest therefore
// agree only once the newest row's commit is reached.
import { type Millis, Retriable } from '@flatline/base';
import type { StoredGroup } from './stored-group.ts';
import type { LocalCheckpoint } from './membership.ts';

export interface StoreCheckpoint {
  /** Random id of the changelog this caches, made once with its first commit. */
  readonly logId: string;
  /** Changelog offset to read on from: everything below is in the store. */
  readonly changelogPosition: number;
  /** Opaque to the store: the header bytes of the commit this checkpoint stands at. */
  readonly commitHeader: Uint8Array;
  readonly liveEntries: number;
  readonly digest: number;
}

export interface StoreState {
  readonly checkpoint: StoreCheckpoint;
}

/** A row that lies somewhere, to be copied: the memory is used again. Places, since making views takes longer than copying what they show. */
export interface RowPlace {
  readonly slot: number;
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly keyStart: number;
  readonly keyLength: number;
  readonly imageStart: number;
  readonly imageLength: number;
  readonly changelogOffset: number;
}

export interface StoreChanges {
  /** By ascending slot, each at most once. */
  readonly puts: readonly RowPlace[];
  /** Slots whose row goes, if they have one; in ascending order, none with a put. */
  readonly removals: readonly number[];
}

export interface StateStore {
  /** undefined: nothing has ever been checkpointed. */
  state(): StoreState | undefined;
  /**
   * All rows, by ascending slot. A group, and its bytes, are valid until the next step of the
   * iteration; it may pause, but does not outlive a write. Taking the last group proves that the store is sound.
   * @throws Corrupt
   */
  scan(): Iterable<StoredGroup>;
  /** Number of rows. */
  count(): number;
  /**
   * One atomic step of a flush; without a checkpoint the former one stands.
   * @throws Retriable, Corrupt, Fatal: nothing of it is then in the store.
   */
  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void;
  /** Drops everything (R2). */
  wipe(): Promise<void>;
  /** Makes the store durable and marks a clean shutdown. */
  close(): Promise<void>;
}

/**
 * Why a store that was found could not be trusted (R2). `given-up`: its changelog was another one, as a reset leaves it;
 * `other-log`: the log names itself as the store does, and is not what the store was made of.
 */
export type StoreDistrust =
  'format' | 'checksum' | 'unreadable' | 'unclean-after-reboot' | 'other-log' | 'given-up' | 'behind-log-start';

/** A store that was dropped and rebuilt. */
export interface StoreDrop {
  readonly partition: number;
  readonly reason: StoreDistrust;
  /** By this machine's wall clock. */
  readonly at: Millis;
}

export interface OpenedStore {
  readonly store: StateStore;
  /** Set where what was found was dropped on opening. */
  readonly dropped: StoreDistrust | undefined;
}

/** A store as it lies on this machine, not opened. */
export interface LocalStore extends LocalCheckpoint {
  /** When it was last written to, by this machine's wall clock. */
  readonly writtenAt: Millis;
  /** Another process that shares the directory had it open last, and may have it now. */
  readonly isSiblings?: boolean;
}

/** Another process of this machine has the partition's store open: it gives the store up when the partition moves away. */
export class StoreOccupied extends Retriable {}

export interface StateStores {
  /**
   * Several processes of this machine share the directory. One at a time has a partition's store, so a task that moves away
   * closes its store before it ends: the next owner may be another of them.
   */
  readonly isShared: boolean;
  /**
   * Opens the store of one partition task. `waits`: for a process that is about to give it up. Default: true.
   * @throws StoreOccupied, Retriable where the disk is full, Fatal where it cannot be used.
   */
  open(partition: number, how?: { readonly waits: boolean }): Promise<OpenedStore>;
  /**
   * The stores on this machine that can be trusted as far as is known without opening them: what membership tells the
   * assigner, and what a start begins to load.
   */
  localCheckpoints(): Promise<readonly LocalStore[]>;
  /** Notes that a store was dropped, for `drops`, also of later processes. */
  noteDrop(drop: StoreDrop): void;
  /** Drops noted on this machine, the oldest first; a bounded number of the newest. */
  drops(): readonly StoreDrop[];
}
