// Entries of a partition as one process shows them: pages of a list, and what subscribers begin with.
//
// Owns: turns at the partitions: one list is looked at in a partition at a time, however many ask for one.
// Does not own: entries, when they are looked at (the runtime).
import type { Clock, DurationMs, KindName } from '@flatline/base';
import type { InstancePartitions } from '@flatline/ports';
import type { EntryPage, EntryPageHow, ShowEntry } from '@flatline/runtime';
import { entryFields, type KeyFields, keyFields } from './entry-json.ts';
import type { Holder } from './here.ts';

/** Entries of a partition that are asked for: those of one key, or of all with a prefix from a slot on. */
export interface PageAsking {
  readonly pipeline: string;
  readonly partition: number;
  readonly key?: Uint8Array | undefined;
  readonly prefix: Uint8Array;
  /** Lists only entries with this value of the attribute. Default: all. */
  readonly attribute?: AttributeIs | undefined;
  readonly fromSlot: number;
  readonly entriesMax: number;
}

export interface AttributeIs {
  readonly name: string;
  readonly equals: string;
}

/** One key's entry in JSON: the fields of docs/FORMATS.md, and `entries` where it has several. */
export interface EntryFields extends KeyFields {
  readonly state: 'live';
  readonly entries?: readonly Readonly<Record<string, unknown>>[];
}

type Found = Extract<EntryPage, { readonly kind: 'found' }>;
export type Page =
  (Omit<Found, 'rows'> & { readonly entries: readonly EntryFields[] }) | Exclude<EntryPage, { readonly kind: 'found' }>;

/** Plain data: a worker sends it to its supervisor. */
export interface HerePage {
  readonly kind: KindName;
  readonly group: string;
  readonly owner: Holder | undefined;
  readonly page: Page;
}

/** One pipeline of this process. */
export interface PagedPipeline {
  readonly name: string;
  readonly kind: KindName;
  readonly group: string;
  readonly instances: readonly InstancePartitions[];
  show: ShowEntry;
  page(partition: number, how: EntryPageHow): Promise<EntryPage>;
}

/** Slots that one look goes through: some milliseconds, in which nothing else happens. */
const SLOTS_MAX = 32_768;
/** Bytes of keys and states on one page, but for its last entry. */
const BYTES_MAX = 256 * 1024;
/** A commit takes some milliseconds, and who waits for his turn waits for those of others. */
const WITHIN_MS: DurationMs = 1_500;
/** Pages that are asked of this process at once. */
const WAITING_MAX = 4_096;

const SLOW = { kind: 'restoring', detail: 'the commit that it would be of has not come through yet' } as const;
const CROWDED = { kind: 'restoring', detail: `${WAITING_MAX} pages are waited for here already` } as const;

export class HerePages {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #turns = new Map<string, Promise<unknown>>();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  async page(pipeline: PagedPipeline, asking: PageAsking): Promise<HerePage> {
    const { kind, group, instances } = pipeline;
    const owner = instances.find(({ partitions }) => partitions.includes(asking.partition));
    const held = owner && { name: owner.name, endpoint: owner.endpoint };
    if (this.#waiting >= WAITING_MAX) return { kind, group, owner: held, page: CROWDED };
    this.#waiting += 1;
    const abandon = new AbortController();
    const cancel = this.#clock.after(WITHIN_MS, () => {
      abandon.abort();
    });
    // Its turn may come after it was given up.
    const look = async (): Promise<EntryPage> =>
      abandon.signal.aborted ? SLOW : this.#look(pipeline, asking, abandon.signal);
    try {
      const found =
        asking.key === undefined ? await this.#inTurn(`${pipeline.name} ${asking.partition}`, look) : await look();
      return { kind, group, owner: held, page: pageOf(found) };
    } finally {
      cancel();
      this.#waiting -= 1;
    }
  }

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name);
    const own = (before ?? Promise.resolve()).then(work);
    const ended = own.catch(() => undefined);
    this.#turns.set(name, ended);
    try {
      return await own;
    } finally {
      if (this.#turns.get(name) === ended) this.#turns.delete(name);
    }
  }

  async #look(pipeline: PagedPipeline, asking: PageAsking, abandon: AbortSignal): Promise<EntryPage> {
    const { partition, key, prefix, fromSlot, entriesMax, attribute } = asking;
    // A closed session that may still be revised is an entry, and lives no more (S9).
    const show: ShowEntry = (entry, place) =>
      pipeline
        .show(entry, place)
        .filter((shown) => shown['state'] !== 'CLOSED' && hasAttribute(shown, attribute))
        .map(entryFields);
    const asked = key ?? { prefix, fromSlot, slotsMax: SLOTS_MAX, entriesMax, bytesMax: BYTES_MAX };
    const found = await pipeline.page(partition, { asked, show, abandon });
    return abandon.aborted && found.kind !== 'found' ? SLOW : found;
  }
}

function hasAttribute(shown: Readonly<Record<string, unknown>>, attribute: AttributeIs | undefined): boolean {
  if (attribute === undefined) return true;
  const { attributes } = shown;
  return attributes instanceof Map && attributes.get(attribute.name) === attribute.equals;
}

function pageOf(found: EntryPage): Page {
  if (found.kind !== 'found') return found;
  const { rows, ...rest } = found;
  const entries = rows.map(({ key, entries: all }) => ({
    ...all[0],
    ...keyFields(key),
    state: 'live' as const,
    ...(all.length > 1 && { entries: all }),
  }));
  return { ...rest, entries };
}
