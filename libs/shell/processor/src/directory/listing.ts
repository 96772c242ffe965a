// A list over all partitions, page after page, bounded in entries, bytes and time: what is left begins at `after`.
import type { Clock, DurationMs, KindName, Millis } from '@flatline/base';
import type { AttributeIs, EntryFields } from './here-pages.ts';
import { PAGE_ENTRIES_MAX } from './page-body.ts';
import { askPage, type PageSource } from './paging.ts';

export interface ListAsking {
  readonly pipeline: string;
  readonly partitionCount: number;
  readonly prefix: Uint8Array;
  readonly attribute: AttributeIs | undefined;
  readonly limit: number;
  readonly after: ListPlace;
}

export interface ListPlace {
  readonly partition: number;
  readonly slot: number;
}

export interface EntryList {
  readonly pipeline: string;
  readonly kind: KindName | undefined;
  readonly entries: readonly (EntryFields & { readonly partition: number })[];
  /** Where they are of, by partition: as of the first page of each. */
  readonly asOf: readonly { readonly partition: number; readonly clock: Millis; readonly position: number }[];
  /** Partitions whose entries are missing here, and why: each to be asked for again. */
  readonly unanswered: readonly {
    readonly partition: number;
    readonly state: 'moving' | 'restoring';
    readonly owner?: string;
    readonly detail: string;
  }[];
  /** There is more from here on. */
  readonly after?: string;
}

/** Entries of an answer. */
export const LIST_LIMIT_MAX = 1_000;
/** Bytes of keys and states in an answer, but for its last page. */
const BYTES_MAX = 1024 * 1024;
/** After so long it answers with what it has. */
const WITHIN_MS: DurationMs = 2_000;

export async function listOf(
  source: PageSource,
  clock: Pick<Clock, 'monotonicMs'>,
  asking: ListAsking,
): Promise<EntryList> {
  const { pipeline, partitionCount, prefix, attribute, limit } = asking;
  const entries: EntryList['entries'][number][] = [];
  const asOf: EntryList['asOf'][number][] = [];
  const unanswered: EntryList['unanswered'][number][] = [];
  const until = clock.monotonicMs() + WITHIN_MS;
  let [bytes, kind]: [number, KindName | undefined] = [0, undefined];
  let place: ListPlace | undefined = asking.after.partition < partitionCount ? asking.after : undefined;
  while (place !== undefined && entries.length < limit && bytes < BYTES_MAX && clock.monotonicMs() < until) {
    const { partition, slot }: ListPlace = place;
    const entriesMax = Math.min(limit - entries.length, PAGE_ENTRIES_MAX);
    const answer = await askPage(source, { pipeline, partition, prefix, attribute, fromSlot: slot, entriesMax });
    const next = partition + 1 < partitionCount ? { partition: partition + 1, slot: 0 } : undefined;
    kind ??= answer?.kind;
    const page = answer?.page ?? ({ kind: 'moving', detail: 'no process of this port answers' } as const);
    if (page.kind !== 'found') {
      const owner = answer?.owner?.name;
      unanswered.push({ partition, state: page.kind, ...(owner !== undefined && { owner }), detail: page.detail });
      place = next;
      continue;
    }
    for (const entry of page.entries) entries.push({ ...entry, partition });
    if (asOf.at(-1)?.partition !== partition) asOf.push({ partition, ...page.asOf });
    bytes += page.bytes;
    place = page.nextSlot === undefined ? next : { partition, slot: page.nextSlot };
  }
  const after = place && `${place.partition}.${place.slot}`;
  return { pipeline, kind, entries, asOf, unanswered, ...(after !== undefined && { after }) };
}

const PLACE = /^(\d{1,9})\.(\d{1,10})$/;

/** undefined: it is no place that a list has named. */
export function listPlace(text: string | undefined): ListPlace | undefined {
  if (text === undefined) return { partition: 0, slot: 0 };
  const [, partition, slot] = PLACE.exec(text) ?? [];
  return slot === undefined ? undefined : { partition: Number(partition), slot: Number(slot) };
}
