// Subscribes to what becomes of a key, or of all keys with a prefix: first what there is, then what follows, over as many
// connections as it takes (SPEC, Q3).
import { type Clock, type DurationMs, Misconfigured } from '@flatline/base';
import { NoAnswer, pause } from '@flatline/system';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DirectoryAccess } from './directory-access.ts';
import type { DirectoryEntry } from './directory-entry.ts';
import type { DirectoryPipeline } from './directory-pipeline.ts';
import { eventsIn, type StreamedEvent } from './event-stream.ts';
import { InstanceTroubles, Later, RefusedBy, type WatchTrouble } from './instance-troubles.ts';

/** A record of the pipeline's output, as it was committed. */
export interface WatchedOutput {
  readonly key: string;
  /** Where the key is no UTF-8. */
  readonly keyBase64?: string;
  readonly partition: number;
  /** With the partition, a permanent name of the record. */
  readonly offset: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** A value of JSON; null: a tombstone. */
  readonly value?: unknown;
  /** A value of other text, or bytes. */
  readonly valueText?: string;
  readonly valueBase64?: string;
}

export type DirectoryChange =
  /** `emits`: of sessions, the records that the pipeline says; without `opened` those that open are not told of. */
  | { readonly kind: 'subscribed'; readonly emits?: readonly string[]; readonly detail?: string }
  /** All that lives: anything known before is out of date. Incomplete where there are too many. */
  | { readonly kind: 'snapshot'; readonly entries: readonly DirectoryEntry[]; readonly isComplete: boolean }
  | { readonly kind: 'output'; readonly output: WatchedOutput }
  /** Outputs were missed, and a snapshot follows. */
  | { readonly kind: 'gap'; readonly why: string }
  /** The snapshot waits for a partition. */
  | { readonly kind: 'waiting'; readonly partition: number; readonly detail: string };

export interface WatchParts {
  readonly pipeline: DirectoryPipeline;
  /** `key=…` or `prefix=…`; empty: all. */
  readonly query: string;
  /** In the order in which they are tried. */
  readonly urls: () => readonly string[];
  readonly access: Pick<DirectoryAccess, 'stream'>;
  readonly clock: Clock;
  readonly timeoutMs: DurationMs;
  readonly onTrouble: (trouble: WatchTrouble) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The processor says every 15 s that it is there. */
const SILENT_MS: DurationMs = 45_000;
const PAUSE_FIRST_MS: DurationMs = 100;
const PAUSE_MAX_MS: DurationMs = 5_000;

/** @throws Error where the subscription is refused */
export async function* watching(parts: WatchParts): AsyncGenerator<DirectoryChange, void> {
  const { clock, signal, pipeline, onTrouble } = parts;
  const isOver = (): boolean => signal.aborted;
  const troubles = new InstanceTroubles(pipeline);
  let [id, pauseMs, at]: [string | undefined, DurationMs, number] = [undefined, PAUSE_FIRST_MS, 0];
  while (!signal.aborted) {
    const urls = parts.urls();
    const url = urls[at % urls.length]!;
    const connection = new AbortController();
    const end = (): void => {
      connection.abort();
    };
    signal.addEventListener('abort', end);
    // Until it has given an event.
    let failure: unknown = new Error('it answered with no event');
    try {
      const snapshot: DirectoryEntry[] = [];
      for await (const event of connected(parts, { url, id, connection })) {
        pauseMs = PAUSE_FIRST_MS;
        failure = undefined;
        troubles.answered(url);
        const change = changeIn(event, snapshot);
        // After the event is handed on: a reader that stops in between has not gone past it.
        if (change !== undefined) yield change;
        id = event.id;
      }
    } catch (error) {
      if (isOver()) return;
      if (error instanceof Misconfigured) throw error;
      if (failure !== undefined) failure = error;
      if (error instanceof Later) pauseMs = Math.max(pauseMs, error.afterMs);
    } finally {
      signal.removeEventListener('abort', end);
      connection.abort();
    }
    if (isOver()) return;
    const trouble = troubles.hear(url, failure, clock.monotonicMs());
    if (trouble !== undefined) onTrouble(trouble);
    at += 1;
    await pause(clock, pauseMs, signal);
    pauseMs = Math.min(PAUSE_MAX_MS, 2 * pauseMs);
  }
}

interface Connecting {
  readonly url: string;
  readonly id: string | undefined;
  readonly connection: AbortController;
}

/** Rejects once the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

async function* connected(
  { pipeline, query, access, clock, timeoutMs }: WatchParts,
  { url, id, connection }: Connecting,
): AsyncGenerator<StreamedEvent> {
  const name = await Promise.race([pipeline.name(), aborted(connection.signal)]);
  const silence = new NoAnswer(`no answer within ${timeoutMs} ms`);
  const giveUp = (): void => {
    connection.abort(silence);
  };
  let cancel = clock.after(timeoutMs, giveUp);
  try {
    const path = `/api/v1/events/${encodeURIComponent(name)}${query === '' ? '' : `?${query}`}`;
    const headers = { accept: 'text/event-stream', ...(id !== undefined && { 'last-event-id': id }) };
    const answer = await access.stream(url, path, { headers, signal: connection.signal });
    if (answer.statusCode !== 200) throw await refusalOf(answer);
    for await (const event of eventsIn(answer as AsyncIterable<Buffer>, id)) {
      cancel();
      cancel = clock.after(SILENT_MS, giveUp);
      yield event;
    }
  } catch (error) {
    throw connection.signal.reason === silence ? silence : error;
  } finally {
    cancel();
  }
}

async function refusalOf(answer: IncomingMessage): Promise<Error> {
  const { statusCode, headers } = answer;
  if (statusCode === 400) {
    const said = saidIn(await text(answer));
    if (said !== undefined) return new Misconfigured(said);
  }
  answer.destroy();
  const after = headers['retry-after'];
  return after === undefined ? new RefusedBy(statusCode ?? 0) : new Later(1_000 * Number(after));
}

/** undefined: no processor says it. */
function saidIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Notes pages of a snapshot until it is whole. undefined: nothing to tell. */
function changeIn({ name, data }: StreamedEvent, pages: DirectoryEntry[]): DirectoryChange | undefined {
  if (data === undefined) return undefined;
  const said = JSON.parse(data) as never;
  switch (name) {
    case 'subscribed':
      return subscribed(said);
    case 'snapshot':
      return snapshotOf(said, pages);
    case 'output':
      return { kind: 'output', output: said };
    case 'gap':
      pages.length = 0;
      return { kind: 'gap', why: (said as { readonly why: string }).why };
    case 'waiting':
      return { kind: 'waiting', ...(said as { readonly partition: number; readonly detail: string }) };
    // `lagged` ends the connection, and the next one goes on from there. What a later version says is passed over.
    default:
      return undefined;
  }
}

function subscribed({
  emits,
  detail,
}: {
  readonly emits?: readonly string[];
  readonly detail?: string;
}): DirectoryChange {
  return { kind: 'subscribed', ...(emits && { emits }), ...(detail !== undefined && { detail }) };
}

type Page =
  | DirectoryEntry
  | {
      readonly entries: readonly DirectoryEntry[];
      readonly partition: number;
      readonly more: boolean;
      readonly isComplete?: false;
    };

function snapshotOf(page: Page, pages: DirectoryEntry[]): DirectoryChange | undefined {
  if (!('more' in page) || typeof page['more'] !== 'boolean')
    return { kind: 'snapshot', entries: [page as DirectoryEntry], isComplete: true };
  const { entries, partition, more, isComplete = true } = page as Exclude<Page, DirectoryEntry>;
  for (const entry of entries) pages.push({ ...entry, partition });
  if (more) return undefined;
  // A key that ended and opened again while it was listed comes twice: the later one counts.
  const newest = new Map(pages.splice(0).map((entry) => [`${entry.keyBase64 ?? ''} ${entry.key}`, entry]));
  return { kind: 'snapshot', entries: [...newest.values()], isComplete };
}
