// The state in the changelog: the content of each slot after the commits so far, folded as docs/FORMATS.md says (V5).
//
// Owns: entries, the places of their bases, the digest.
// Does not own: the state that they should be in (EntriesFold).
import { nameOf } from './byte-names.ts';
import type { BlockOperation } from './block-operation.ts';
import { NotABlock } from './block-reader.ts';
import { murmur3 } from './murmur3.ts';

export interface LoggedImage {
  readonly key: Uint8Array;
  readonly head: Uint8Array;
  readonly pages: readonly Uint8Array[];
  /** Its head, then all its pages. */
  readonly image: Uint8Array;
  /** Changelog offset of the block with its base. */
  readonly offset: number;
}

/** Header fields of the touch's commit. */
export interface TouchedAt {
  readonly clock: number;
  readonly position: number;
}

/** The bytes of a head after a touch, as the kind's format has them. @throws NotABlock */
export type HeadTouch = (head: Uint8Array, touch: Uint8Array, at: TouchedAt) => Uint8Array;

/** The commit of an operation. */
export interface OperationPlace extends TouchedAt {
  /** Changelog offset of its block. */
  readonly offset: number;
}

type Bind = Extract<BlockOperation, { readonly kind: 'bind' }>;
type Rebind = Extract<BlockOperation, { readonly kind: 'rebind' }>;
type Based = Extract<BlockOperation, { readonly kind: 'based' }>;
type PageChange = Extract<BlockOperation, { readonly page: number }>;
type Change = Exclude<BlockOperation, Bind | { readonly kind: 'remove' }>;

/** Number of pages, from the first on, that a reader would have of an entry if it began at the block with that offset. */
type Beginnings = ReadonlyMap<number, number>;

const DIGEST_SEED = 0x666c6174;
const SLOT_FACTOR = 0x9e3779b1;
const PAGE_BYTES = 16_376;
/** Parts of an entry, as its digest counts them. */
const KEY = 0;
const HEAD = 1;
const FIRST_PAGE = 2;
const NO_BEGINNINGS: Beginnings = new Map();
const NO_PAGES = { pages: [], pageHashes: [] } as const;

type Hash = (bytes: Uint8Array, seed: number) => number;

/** Carries its hashes and sums along: in a state of many pages, one page changes at a time. */
interface EntryContent {
  readonly slot: number;
  readonly key: Uint8Array;
  readonly offset: number;
  readonly head: Uint8Array;
  readonly headHash: number;
  readonly pages: readonly Uint8Array[];
  readonly pageHashes: readonly number[];
  /** Sum of the hashes of key, head and pages. */
  readonly digest: number;
  /** Their total length. */
  readonly bytes: number;
  /** False if the log begins behind its base, and not all pages have come since. */
  readonly isWhole: boolean;
  /** By offset of a rebind since its base. */
  readonly beginnings: Beginnings;
}

class Entry implements LoggedImage, EntryContent {
  readonly slot: number;
  readonly key: Uint8Array;
  readonly offset: number;
  readonly head: Uint8Array;
  readonly headHash: number;
  readonly pages: readonly Uint8Array[];
  readonly pageHashes: readonly number[];
  readonly digest: number;
  readonly bytes: number;
  readonly isWhole: boolean;
  readonly beginnings: Beginnings;

  constructor(content: EntryContent) {
    this.slot = content.slot;
    this.key = content.key;
    this.offset = content.offset;
    this.head = content.head;
    this.headHash = content.headHash;
    this.pages = content.pages;
    this.pageHashes = content.pageHashes;
    this.digest = content.digest;
    this.bytes = content.bytes;
    this.isWhole = content.isWhole;
    this.beginnings = content.beginnings;
  }

  get image(): Uint8Array {
    return joined(this.head, ...this.pages);
  }

  with(changes: Partial<EntryContent>): Entry {
    const { slot, key, offset, head, headHash, pages, pageHashes, digest, bytes, isWhole, beginnings } = this;
    const former = { slot, key, offset, head, headHash, pages, pageHashes, digest, bytes, isWhole, beginnings };
    return new Entry({ ...former, ...changes });
  }
}
export class ChangelogFold {
  /** By the name of the key. */
  readonly images = new Map<string, LoggedImage>();
  readonly #touched: HeadTouch;
  readonly #hash: Hash;
  readonly #slots = new Map<number, Entry>();
  #digest = 0;
  /** Keys, heads and pages of the live entries (K8). */
  liveBytes = 0;
  /** By the offset of their block. */
  readonly #bases = new Map<number, number>();

  constructor(touched: HeadTouch, hash: Hash = murmur3) {
    this.#touched = touched;
    this.#hash = hash;
  }

  /** Number of live entries whose base is in the block at that offset (K3). */
  basesAt(offset: number): number {
    return this.#bases.get(offset) ?? 0;
  }

  /** Unsigned, over the live entries, in any order (R1). */
  get digest(): number {
    return this.#digest >>> 0;
  }

  /**
   * Returns the name of the slot's key; undefined: it has none, so its base lay below the log's beginning and it lives no more.
   * @throws NotABlock where the operation cannot follow what was there
   */
  apply(operation: BlockOperation, place: OperationPlace): string | undefined {
    const { slot } = operation;
    const former = this.#slots.get(slot);
    if (operation.kind === 'bind') return this.#bind(operation, former, place);
    if (operation.kind === 'rebind') this.#mayHold(operation, former);
    if (former === undefined) {
      if (operation.kind === 'rebind') this.#begin(operation, place);
      return undefined;
    }
    const after = operation.kind === 'remove' ? undefined : this.#changed(former, operation, place);
    this.#drop(former);
    if (after !== undefined) this.#put(after);
    return nameOf(former.key);
  }

  #bind(operation: Bind, former: Entry | undefined, { offset }: OperationPlace): string {
    this.#mayHold(operation, former);
    if (former !== undefined) this.#drop(former);
    this.#put(this.#bound(operation, { offset, isWhole: true, beginnings: NO_BEGINNINGS }));
    return nameOf(operation.key);
  }

  /** Binds an entry without pages. */
  #bound(
    { slot, key, head }: Pick<EntryContent, 'slot' | 'key' | 'head'>,
    at: Pick<EntryContent, 'offset' | 'isWhole' | 'beginnings'>,
  ): Entry {
    const headHash = this.#partHash(slot, HEAD, head);
    const digest = (this.#partHash(slot, KEY, key) + headHash) | 0;
    return new Entry({ slot, key, head, headHash, digest, bytes: key.length + head.length, ...NO_PAGES, ...at });
  }

  #partHash(slot: number, part: number, bytes: Uint8Array): number {
    return this.#hash(bytes, (DIGEST_SEED + Math.imul(slot, SLOT_FACTOR) + part) | 0);
  }

  #mayHold({ slot, key }: Bind | Rebind, former: Entry | undefined): void {
    const name = nameOf(key);
    if (former !== undefined && nameOf(former.key) !== name)
      throw new NotABlock(`binds slot ${slot} to another key, and its entry was not removed`);
    if (former === undefined && this.images.has(name)) throw new NotABlock(`binds slot ${slot} to a key that has one`);
  }

  /** Its base lay below the log's beginning, unless this operation becomes one. */
  #begin(operation: Rebind, { offset }: OperationPlace): void {
    this.#put(this.#bound(operation, { offset, isWhole: false, beginnings: new Map([[offset, 0]]) }));
  }

  #put(entry: Entry): void {
    this.#slots.set(entry.slot, entry);
    this.images.set(nameOf(entry.key), entry);
    this.#digest = (this.#digest + entry.digest) | 0;
    this.liveBytes += entry.bytes;
    this.#bases.set(entry.offset, this.basesAt(entry.offset) + 1);
  }

  #drop(entry: Entry): void {
    this.#slots.delete(entry.slot);
    this.images.delete(nameOf(entry.key));
    this.#digest = (this.#digest - entry.digest) | 0;
    this.liveBytes -= entry.bytes;
    const left = this.basesAt(entry.offset) - 1;
    if (left > 0) this.#bases.set(entry.offset, left);
    else this.#bases.delete(entry.offset);
  }

  #changed(entry: Entry, operation: Change, place: OperationPlace): Entry {
    switch (operation.kind) {
      case 'touch':
        return entry.with(this.#headed(entry, this.#touched(entry.head, operation.touch, place)));
      case 'rebind':
        return this.#rebound(entry, operation, place.offset);
      case 'based':
        return based(entry, operation);
      case 'page':
      case 'append':
        return this.#paged(entry, operation);
    }
  }

  #headed({ slot, headHash: former, digest, bytes, head: { length } }: Entry, head: Uint8Array): Partial<EntryContent> {
    const headHash = this.#partHash(slot, HEAD, head);
    return { head, headHash, digest: (digest - former + headHash) | 0, bytes: bytes - length + head.length };
  }

  #rebound(entry: Entry, { head, pages: kept }: Rebind, offset: number): Entry {
    const beginnings = [...entry.beginnings].map(([at, known]): [number, number] => [at, Math.min(known, kept)]);
    const bound = entry.with({ ...this.#headed(entry, head), beginnings: new Map([...beginnings, [offset, 0]]) });
    const { pages, pageHashes } = bound;
    return bound.with({
      pages: pages.slice(0, kept),
      pageHashes: pageHashes.slice(0, kept),
      digest: pageHashes.slice(kept).reduce((sum, hash) => (sum - hash) | 0, bound.digest),
      bytes: pages.slice(kept).reduce((sum, { length }) => sum - length, bound.bytes),
    });
  }

  /** Applies a page change. A change that a reader without the page cannot follow is repeated, whole, before the entry is. */
  #paged(entry: Entry, operation: PageChange): Entry {
    const { slot, pages, pageHashes, isWhole } = entry;
    const { page, at, kind } = operation;
    if (!isWhole && (page > pages.length || (page === pages.length && at > 0))) return entry;
    const after = pageAfter(pages, operation);
    const hash = this.#partHash(slot, FIRST_PAGE + page, after);
    const [formerHash = 0, formerBytes = 0] = [pageHashes[page], pages[page]?.length];
    const changed = entry.with({
      pages: replaced(pages, page, after),
      pageHashes: replaced(pageHashes, page, hash),
      digest: (entry.digest - formerHash + hash) | 0,
      bytes: entry.bytes - formerBytes + after.length,
    });
    if (kind === 'append') return changed;
    const beginnings = [...entry.beginnings].map(([from, known]): [number, number] => [
      from,
      page === known ? known + 1 : known,
    ]);
    return changed.with({ beginnings: new Map(beginnings) });
  }
}

function based(entry: Entry, { slot, base }: Based): Entry {
  // A base behind it, where this log begins, is the base of the parts that are missing here.
  if (!entry.isWhole && base < entry.offset) return entry;
  if (entry.beginnings.get(base) !== entry.pages.length)
    throw new NotABlock(`says that the base of slot ${slot} is at ${base}, and not all of it lies there or behind`);
  return entry.with({ offset: base, isWhole: true, beginnings: NO_BEGINNINGS });
}

/** All pages but the last are full: only the changed one and the one before it may violate that. */
function pageAfter(pages: readonly Uint8Array[], { slot, page, at, bytes }: PageChange): Uint8Array {
  const where = `page ${page} of slot ${slot}`;
  const former = pages[page] ?? new Uint8Array(0);
  if (page > pages.length) throw new NotABlock(`writes ${where}, which has ${pages.length}`);
  if (at > former.length) throw new NotABlock(`goes on at byte ${at} of ${where}, which has ${former.length}`);
  const after = joined(former.subarray(0, at), bytes);
  const { length } = after;
  const isLast = page + 1 >= pages.length;
  const isBehindFull = page === 0 || pages[page - 1]!.length === PAGE_BYTES;
  if (length === 0 || length > PAGE_BYTES || (!isLast && length < PAGE_BYTES) || !isBehindFull)
    throw new NotABlock(`leaves ${where} with ${length} bytes`);
  return after;
}

function replaced<T>(list: readonly T[], at: number, by: T): readonly T[] {
  const after = [...list];
  after[at] = by;
  return after;
}

export function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
