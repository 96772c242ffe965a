// The entries that live, listed page by page, soonest due first, and the line above the list.
import { bySoonest, type Entry, keyOf } from './entry.ts';
import type { NowFact } from './facts.ts';
import { duration, number } from './words.ts';

/** Most entries that are listed, page by page: about 3 MB. */
export const LIST_MAX = 10_000;
/** As the processor gives them at once. */
const PAGE_MAX = 1_000;

export interface Page {
  readonly entries?: readonly Entry[];
  readonly after?: string;
  readonly unanswered?: readonly { readonly partition: number; readonly detail: string }[];
  readonly error?: string;
}

export interface Listed {
  readonly entries: readonly Entry[];
  /** By the instance's clock, when the last of it was asked for; milliseconds. */
  readonly atMs: number;
  /** Where it goes on; undefined: that is all. */
  readonly after: string | undefined;
  /** In words, what is missing. */
  readonly missing: readonly string[];
  /** A page was refused: what comes behind it is not known. */
  readonly isRefused: boolean;
}

export const NOTHING_LISTED: Listed = { entries: [], atMs: 0, after: '', missing: [], isRefused: false };

export function isUnderWay({ after, entries, isRefused }: Listed): boolean {
  return after !== undefined && entries.length < LIST_MAX && !isRefused;
}

export function limitOf({ entries }: Listed): number {
  return Math.min(PAGE_MAX, LIST_MAX - entries.length);
}

export function withPage(listed: Listed, status: number, page: Page, atMs: number): Listed {
  const unanswered = (page.unanswered ?? []).map(
    ({ partition, detail }) => `partition ${partition} is missing: ${detail}`,
  );
  const isRefused = status !== 200;
  const refused = isRefused ? [page.error ?? `the processor answers ${status}`] : [];
  return {
    entries: bySoonest([...listed.entries, ...(page.entries ?? [])]),
    atMs,
    after: isRefused ? listed.after : page.after,
    missing: [...new Set([...listed.missing, ...refused, ...unanswered])],
    isRefused,
  };
}

/** `noun`: one entry. */
export function listFinding(listed: Listed, noun: string): string {
  const { entries, after, missing } = listed;
  const [first] = entries;
  if (first === undefined && isUnderWay(listed)) return 'What is due next?';
  if (first === undefined) return missing.length > 0 ? 'What lives here is not known' : `No ${noun} lives here`;
  const soonest = `${keyOf(first)} is due next`;
  const count = `${number(entries.length)} ${noun}${entries.length === 1 ? '' : 's'}`;
  if (isUnderWay(listed)) return `Of ${count} so far ${soonest}`;
  return after === undefined ? `Of ${count} ${soonest}` : `Of the first ${count} ${soonest}`;
}

/** When the very next entry is due, as partitions tell: a list that ends before the last entry cannot know. undefined: none tells. */
export function soonestOfAll(nows: readonly (NowFact | undefined)[], wallMs: number): string | undefined {
  let next: { readonly partition: number; readonly dueAt: number } | undefined;
  for (const [partition, now] of nows.entries()) {
    const dueAt = now?.[5];
    if (typeof dueAt === 'number' && (next === undefined || dueAt < next.dueAt)) next = { partition, dueAt };
  }
  if (next === undefined) return undefined;
  const when = next.dueAt > wallMs ? `in ${duration(next.dueAt - wallMs)}` : 'now';
  return `Of all, the next is due ${when}, in partition ${next.partition}.`;
}
