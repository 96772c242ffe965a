// A question for a page of a partition, as instances put it to each other.
import type { PageAsking } from './here-pages.ts';

/** As it goes over HTTP. */
interface PageBody {
  readonly partition: number;
  readonly key?: string;
  readonly prefix: string;
  readonly attribute?: PageAsking['attribute'];
  readonly fromSlot: number;
  readonly entriesMax: number;
}

export function pageBody({ key, prefix, attribute, partition, fromSlot, entriesMax }: PageAsking): PageBody {
  return {
    partition,
    ...(key && { key: Buffer.from(key).toString('base64') }),
    prefix: Buffer.from(prefix).toString('base64'),
    ...(attribute && { attribute }),
    fromSlot,
    entriesMax,
  };
}

/** undefined: it is no question for a page. */
export function pageAsked(pipeline: string, body: unknown): PageAsking | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { partition, key, prefix, attribute, fromSlot, entriesMax } = body as Readonly<Record<string, unknown>>;
  if (![partition, fromSlot, entriesMax].every((each) => Number.isSafeInteger(each) && (each as number) >= 0))
    return undefined;
  if (typeof prefix !== 'string' || (key !== undefined && typeof key !== 'string')) return undefined;
  const is = attribute as PageAsking['attribute'];
  if (is !== undefined && (typeof is.name !== 'string' || typeof is.equals !== 'string')) return undefined;
  return {
    pipeline,
    partition: partition as number,
    key: key === undefined ? undefined : Buffer.from(key, 'base64'),
    prefix: Buffer.from(prefix, 'base64'),
    attribute: is && { name: is.name, equals: is.equals },
    fromSlot: fromSlot as number,
    entriesMax: Math.min(entriesMax as number, PAGE_ENTRIES_MAX),
  };
}

/** Entries of one page. */
export const PAGE_ENTRIES_MAX = 500;
