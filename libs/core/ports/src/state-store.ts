// The port of the local store: a checkpoint of committed state, a cache of the changelog (architecture, Local store).
//
// It may lag behind the changelog and is never ahead of it. Writing is a *fuzzy checkpoint*: a flush is a series of
// `write` calls, each atomic, of images that are all committed; the checkpoint comes with the last. A crash between them
// leaves the former checkpoint with some newer images, and rolling the changelog forward from that checkpoint writes
// each of them again: images are absolute. `clean` tells the two apart, since only then count and digest must agree.
import type { Millis } from '@flatline/base';
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
  /** False while a flush was under way: count and digest then hold only after rolling forward. */
  readonly clean: boolean;
}

export interface StoredImage {
  readonly key: Uint8Array;
  /** The committed image bytes. */
  readonly image: Uint8Array;
  /** Changelog offset of the block that holds this image. */
  readonly changelogOffset: number;
}

/**
 * An image where it lies in a block, to be copied: the memory is used again. Places, since making views of key and image takes
 * longer than copying what they show.
 */
export interface ImagePlace {
  readonly bytes: Uint8Array;
  readonly keyStart: number;
  readonly keyLength: number;
  readonly imageStart: number;
  readonly imageLength: number;
  readonly changelogOffset: number;
}

export interface StoreChanges {
  readonly puts: readonly ImagePlace[];
  readonly removals: readonly Uint8Array[];
}

export interface StateStore {
  /** undefined: nothing has ever been checkpointed. */
  state(): StoreState | undefined;
  /**
   * All entries, each once, in an order of the store's own. A group, and its bytes, are valid until the next step of the
   * iteration; it may pause, but does not outlive a write. Taking the last group proves that the store is sound.
   * @throws Corrupt
   */
  scan(): Iterable<StoredGroup>;
  /** Number of entries. */
  count(): number;
  /**
   * One atomic step of a flush; without a checkpoint it marks the store as not clean. Removals are applied before puts.
   * @throws Retriable, Corrupt, Fatal: nothing of it is then in the store.
   */
  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void;
  /** Drops everything (R2). */
  wipe(): Promise<void>;
  /** Makes the store durable and marks a clean shutdown. */
  close(): Promise<void>;
}

/** Why a store that was found could not be trusted (R2). */
export type StoreDistrust =
  'format' | 'checksum' | 'unreadable' | 'unclean-after-reboot' | 'other-log' | 'behind-log-start';

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
}

export interface StateStores {
  /** Opens the store of one partition task. @throws Retriable where the disk is full, Fatal where it cannot be used. */
  open(partition: number): Promise<OpenedStore>;
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
