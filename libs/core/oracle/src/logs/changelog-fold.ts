// The state that the changelog holds: what each slot is after the commits so far, folded as docs/FORMATS.md says (V5).
//
// Owns: entries, the places of their bases, the digest.
// Does not own: what they should be (NaiveFold).
import { ByteWriter } from '@flatline/base';
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

/** Number of pages, from the first on, that a reader would have of an entry that begins at the block with that offset. */
type Beginnings = ReadonlyMap<number, number>;

const DIGEST_SEED = 0x666c6174;
const SLOT_FACTOR = 0x9e3779b1;
const PAGE_BYTES = 16_376;

interface EntryContent {
  readonly slot: number;
  readonly key: Uint8Array;
  readonly offset: number;
  readonly head: Uint8Array;
  readonly pages: readonly Uint8Array[];
  /** False where the log begins behind its base, and not all pages have come since. */
  readonly isWhole: boolean;
  /** By the offset of a rebind since its base. */
  readonly beginnings: Beginnings;
}

class Entry implements LoggedImage, EntryContent {
  readonly slot: number;
  readonly key: Uint8Array;
  readonly offset: number;
  readonly pages: readonly Uint8Array[];
  readonly head: Uint8Array;
  readonly isWhole: boolean;
  readonly beginnings: Beginnings;
  readonly digest: number;

  constructor({ slot, key, offset, head, pages, isWhole, beginnings }: EntryContent) {
    this.slot = slot;
    this.key = key;
    this.offset = offset;
    this.head = head;
    this.pages = pages;
    this.isWhole = isWhole;
    this.beginnings = beginnings;
    this.digest = digestOf(slot, [key, head, ...pages]);
  }

  get image(): Uint8Array {
    return joined(this.head, ...this.pages);
  }

  with(changes: Partial<EntryContent>): Entry {
    const { slot, key, offset, head, pages, isWhole, beginnings } = this;
    return new Entry({ slot, key, offset, head, pages, isWhole, beginnings, ...changes });
  }
}

const NO_BEGINNINGS: Beginnings = new Map();

function digestOf(slot: number, parts: readonly Uint8Array[]): number {
  const seed = DIGEST_SEED + Math.imul(slot, SLOT_FACTOR);
  return parts.reduce((sum, bytes, part) => (sum + murmur3(bytes, (seed + part) | 0)) | 0, 0);
}

export class ChangelogFold {
  /** By the name of the key. */
  readonly images = new Map<string, LoggedImage>();
  readonly #touched: HeadTouch;
  readonly #slots = new Map<number, Entry>();
  #digest = 0;
  /** Keys, heads and pages of the live entries (K8). */
  liveBytes = 0;
  /** By the offset of their block. */
  readonly #bases = new Map<number, number>();

  constructor(touched: HeadTouch) {
    this.#touched = touched;
  }

  /** How many of the live entries have their base in the block at that offset (K3). */
  basesAt(offset: number): number {
    return this.#bases.get(offset) ?? 0;
  }

  /** Unsigned, over the live entries, in any order (R1). */
  get digest(): number {
    return this.#digest >>> 0;
  }

  /**
   * Returns the name of the key of the slot; undefined: it has none, so its base lay below the log's beginning and lives no more.
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
    const { slot, key, head } = operation;
    this.#mayHold(operation, former);
    if (former !== undefined) this.#drop(former);
    this.#put(new Entry({ slot, key, offset, head, pages: [], isWhole: true, beginnings: NO_BEGINNINGS }));
    return nameOf(key);
  }

  #mayHold({ slot, key }: Bind | Rebind, former: Entry | undefined): void {
    const name = nameOf(key);
    if (former !== undefined && nameOf(former.key) !== name)
      throw new NotABlock(`binds slot ${slot} to another key, and its entry was not removed`);
    if (former === undefined && this.images.has(name)) throw new NotABlock(`binds slot ${slot} to a key that has one`);
  }

  /** Its base lay below the log's beginning, unless this becomes one. */
  #begin({ slot, key, head }: Rebind, { offset }: OperationPlace): void {
    this.#put(new Entry({ slot, key, offset, head, pages: [], isWhole: false, beginnings: new Map([[offset, 0]]) }));
  }

  #put(entry: Entry): void {
    this.#slots.set(entry.slot, entry);
    this.images.set(nameOf(entry.key), entry);
    this.#digest = (this.#digest + entry.digest) | 0;
    this.liveBytes += bytesIn(entry);
    this.#bases.set(entry.offset, this.basesAt(entry.offset) + 1);
  }

  #drop(entry: Entry): void {
    this.#slots.delete(entry.slot);
    this.images.delete(nameOf(entry.key));
    this.#digest = (this.#digest - entry.digest) | 0;
    this.liveBytes -= bytesIn(entry);
    const left = this.basesAt(entry.offset) - 1;
    if (left > 0) this.#bases.set(entry.offset, left);
    else this.#bases.delete(entry.offset);
  }

  #changed(entry: Entry, operation: Change, place: OperationPlace): Entry {
    switch (operation.kind) {
      case 'touch':
        return entry.with({ head: this.#touched(entry.head, operation.touch, place) });
      case 'rebind':
        return rebound(entry, operation, place.offset);
      case 'based':
        return based(entry, operation);
      case 'page':
      case 'append':
        return paged(entry, operation);
    }
  }
}

function rebound(entry: Entry, { head, pages: kept }: Rebind, offset: number): Entry {
  const beginnings = [...entry.beginnings].map(([at, known]): [number, number] => [at, Math.min(known, kept)]);
  return entry.with({
    head,
    pages: entry.pages.slice(0, kept),
    beginnings: new Map([...beginnings, [offset, 0]]),
  });
}

function based(entry: Entry, { slot, base }: Based): Entry {
  // Begun behind it, where this log does, it is the base of what is not here.
  if (!entry.isWhole && base < entry.offset) return entry;
  if (entry.beginnings.get(base) !== entry.pages.length)
    throw new NotABlock(`says that the base of slot ${slot} is at ${base}, and not all of it lies there or behind`);
  return entry.with({ offset: base, isWhole: true, beginnings: NO_BEGINNINGS });
}

/** Applies a page change. One that a reader without the page cannot follow is said again, whole, before the entry is. */
function paged(entry: Entry, operation: PageChange): Entry {
  const { pages, isWhole } = entry;
  const { page, at, kind } = operation;
  if (!isWhole && (page > pages.length || (page === pages.length && at > 0))) return entry;
  const after = pagesAfter(pages, operation);
  if (kind === 'append') return entry.with({ pages: after });
  const beginnings = [...entry.beginnings].map(([from, known]): [number, number] => [
    from,
    page === known ? known + 1 : known,
  ]);
  return entry.with({ pages: after, beginnings: new Map(beginnings) });
}

function bytesIn({ key, head, pages }: Entry): number {
  return pages.reduce((sum, { length }) => sum + length, key.length + head.length);
}

function pagesAfter(pages: readonly Uint8Array[], { slot, page, at, bytes }: PageChange): readonly Uint8Array[] {
  const where = `page ${page} of slot ${slot}`;
  const former = pages[page] ?? new Uint8Array(0);
  if (page > pages.length) throw new NotABlock(`writes ${where}, which has ${pages.length}`);
  if (at > former.length) throw new NotABlock(`goes on at byte ${at} of ${where}, which has ${former.length}`);
  const after = [...pages];
  after[page] = joined(former.subarray(0, at), bytes);
  if (
    after.some(
      ({ length }, number) => length === 0 || length > PAGE_BYTES || (number + 1 < after.length && length < PAGE_BYTES),
    )
  )
    throw new NotABlock(`leaves ${where} with ${after[page].length} bytes`);
  return after;
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  const out = new ByteWriter();
  for (const piece of pieces) out.raw(piece);
  return out.copy();
}
