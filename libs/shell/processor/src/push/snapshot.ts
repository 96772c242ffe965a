// A subscriber's first sight: the entry of its key, or all that begin as it asks, page after page, and where the outputs that
// follow begin.
//
// A page is a commit's state, and names the offset between that commit's outputs and the next one's. Of a key the output from there
// on is what follows. A list that takes several commits is as of its first; what a later page shows is as of that page's own
// offset, so outputs of those keys below it are not said again. What no page shows had no entry when its place came.
import type { Clock, DurationMs } from '@flatline/base';
import type { HerePage } from '../directory/here-pages.ts';
import { PAGE_ENTRIES_MAX } from '../directory/page-body.ts';
import { askPage, type PageSource } from '../directory/paging.ts';
import { pause } from '@flatline/system';
import { type CursorTopic, cursorText } from './cursor.ts';
import { eventBytes } from './event-text.ts';
import type { HttpSink } from './http-sink.ts';
import { latin1 } from './output.ts';
import type { Question } from './question.ts';
import type { Start } from './subscriber.ts';

export interface SnapshotParts {
  readonly pipeline: string;
  readonly topic: CursorTopic;
  readonly source: PageSource;
  readonly clock: Clock;
}

/** Entries that a snapshot shows: beyond, it says that there are more. */
const SNAPSHOT_ENTRIES_MAX = 50_000;
const RETRY_MS: DurationMs = 1_000;
const NO_PREFIX = new Uint8Array(0);

const NOT_HERE = { kind: 'moving', detail: 'no process of this port answers' } as const;
const DEPOSED = { kind: 'moving', detail: 'who answers does not own the partition any more' } as const;

type Found = Extract<HerePage['page'], { readonly kind: 'found' }>;

interface Shown {
  readonly vector: Map<number, number>;
  readonly until: Map<number, number>;
  readonly keys: Map<string, number>;
  entries: number;
  /** False: there are entries that no page shows. */
  isComplete: boolean;
}

/** Sends it. undefined: the connection is over. */
export async function sendSnapshot(
  parts: SnapshotParts,
  question: Question,
  sink: HttpSink,
): Promise<Start | undefined> {
  const shown: Shown = { vector: new Map(), until: new Map(), keys: new Map(), entries: 0, isComplete: true };
  const isSent =
    question.by === 'key'
      ? await sendEntry(parts, question, sink, shown)
      : await sendList(parts, question, sink, shown);
  return isSent ? shown : undefined;
}

async function sendEntry(
  parts: SnapshotParts,
  { bytes, partition }: Extract<Question, { readonly by: 'key' }>,
  sink: HttpSink,
  { vector, until }: Shown,
): Promise<boolean> {
  const page = await onceFound(parts, { partition, key: bytes, prefix: NO_PREFIX, fromSlot: 0, outputEnd: 0 }, sink);
  if (page === undefined) return false;
  const { entries, asOf, outputEnd } = page;
  vector.set(partition, outputEnd);
  until.set(partition, outputEnd);
  const state = entries.length === 0 ? 'none' : 'live';
  const id = cursorText(parts.topic, vector, partition);
  return sink.sent(eventBytes('snapshot', JSON.stringify({ ...entries[0], state, partition, asOf }), id));
}

async function sendList(parts: SnapshotParts, { bytes }: Question, sink: HttpSink, shown: Shown): Promise<boolean> {
  const { partitions } = parts.topic;
  for (let partition = 0; partition < partitions; partition += 1) {
    let slot: number | undefined = 0;
    while (slot !== undefined) {
      const place = { partition, prefix: bytes, fromSlot: slot, outputEnd: shown.until.get(partition) ?? 0 };
      const page: Found | undefined = await onceFound(parts, place, sink);
      if (page === undefined) return false;
      note(shown, partition, page);
      const isFull = shown.entries >= SNAPSHOT_ENTRIES_MAX;
      slot = isFull ? undefined : page.nextSlot;
      const more = slot !== undefined || partition + 1 < partitions;
      shown.isComplete &&= !isFull || page.nextSlot === undefined;
      const incomplete = !more && !shown.isComplete && { isComplete: false };
      const said = { entries: page.entries, partition, asOf: page.asOf, more, ...incomplete };
      if (page.entries.length === 0 && more) continue;
      // With pages of several commits there is no cursor before their outputs have come.
      const id = more || shown.keys.size > 0 ? undefined : cursorText(parts.topic, shown.vector);
      if (!(await sink.sent(eventBytes('snapshot', JSON.stringify(said), id)))) return false;
    }
  }
  return true;
}

function note(shown: Shown, partition: number, { entries, outputEnd }: Found): void {
  const { vector, until, keys } = shown;
  const first = vector.get(partition);
  shown.entries += entries.length;
  if (first === undefined) vector.set(partition, outputEnd);
  until.set(partition, outputEnd);
  if (first === undefined || outputEnd <= first) return;
  for (const { key, keyBase64 } of entries)
    keys.set(latin1(keyBase64 === undefined ? Buffer.from(key, 'utf8') : Buffer.from(keyBase64, 'base64')), outputEnd);
}

interface PagePlace {
  readonly partition: number;
  readonly key?: Uint8Array;
  readonly prefix: Uint8Array;
  readonly fromSlot: number;
  /** A page that is older than the one before it was said by a former owner, who does not know yet. */
  readonly outputEnd: number;
}

/** Says that it waits, and why, as often as that is another reason. undefined: the connection is over. */
async function onceFound(
  { pipeline, source, clock }: SnapshotParts,
  { outputEnd, ...place }: PagePlace,
  sink: HttpSink,
): Promise<Found | undefined> {
  let said: string | undefined;
  while (!sink.isClosed) {
    const answer = await askPage(source, { pipeline, ...place, entriesMax: PAGE_ENTRIES_MAX });
    const page = answer?.page ?? NOT_HERE;
    if (page.kind === 'found' && page.outputEnd >= outputEnd) return page;
    const { kind: state, detail } = page.kind === 'found' ? DEPOSED : page;
    const waiting = JSON.stringify({ partition: place.partition, state, detail });
    if (waiting !== said && !(await sink.sent(eventBytes('waiting', waiting)))) return undefined;
    said = waiting;
    await pause(clock, RETRY_MS);
  }
  return undefined;
}
