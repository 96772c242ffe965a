// The life of one key, from what the page is told of it: the record that opened it, what is heard while the page looks, what came
// out, and, where its life is over, what that output tells of it.
import { dueOf, type Entry, openedOf, originOf, plain } from './entry.ts';
import { duration, number } from './words.ts';

export interface Mark {
  readonly atMs: number;
  readonly what: string;
}

/** A record of the output, as it is pushed (docs/PUSH.md). */
export interface Output {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly value?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
}

const MARKS_MAX = 50;
/** The header of each run (docs/FORMATS.md). */
const OF_SCHEDULES = 'flatline-schedule';

/** Marks by the entry's own fields. */
export function lifeOf(entry: Entry, wallMs: number): readonly Mark[] {
  const opened = openedOf(entry);
  const due = dueOf(entry);
  const heard = entry['lastSeenAt'] ?? entry['renewedAt'];
  return [
    ...(opened === undefined ? [] : [{ atMs: opened, what: `opened ${originOf(entry) ?? ''}`.trim() }]),
    ...(typeof heard === 'number' ? [{ atMs: heard, what: 'last heard' }] : []),
    ...(due === undefined
      ? []
      : [{ atMs: due, what: due > wallMs ? `due, in ${duration(due - wallMs)}` : 'due: waits for proof of silence' }]),
  ];
}

/** A mark of events heard between two looks; undefined: none were. */
export function heardBetween(before: Entry | undefined, after: Entry): Mark | undefined {
  if (before === undefined || originOf(before) !== originOf(after)) return undefined;
  for (const [seen, counter] of [
    ['lastSeenAt', 'eventCount'],
    ['renewedAt', 'renewals'],
  ] as const) {
    const at = after[seen];
    if (typeof at !== 'number' || before[seen] === at) continue;
    const more = Number(after[counter]) - Number(before[counter]);
    return { atMs: at, what: `heard${more > 1 ? `, ${number(more)} times` : ''}` };
  }
  return undefined;
}

/** An output that ends a life tells all of it: who looks afterwards sees it from the record that opened it. */
export function outputMarks(output: Output): readonly Mark[] {
  const said = saidIn(output);
  if (!isOver(said)) return [outputMark(output)];
  const opened = openedOf(said);
  const origin = originOf({ incarnation: output.headers?.['flatline-incarnation'], ...said });
  return [
    ...(opened === undefined ? [] : [{ atMs: opened, what: `opened ${origin ?? ''}`.trim() }]),
    ...lastHeard(said),
    outputMark(output),
  ];
}

/** The fields of what a kind says. The message of a schedule has fields, too, but they are those of whoever made it. */
function saidIn({ value, headers = {} }: Output): Entry {
  const isSaid = typeof value === 'object' && value !== null && !(OF_SCHEDULES in headers);
  return isSaid ? (value as Entry) : {};
}

function isOver({ state, type, reason }: Entry): boolean {
  if (type !== undefined) return type === 'EXPIRED' || type === 'RELEASED';
  return state === 'CLOSED' || (state === undefined && Boolean(reason));
}

function lastHeard({ lastSeenAt, lastOffset, eventCount }: Entry): readonly Mark[] {
  if (typeof lastSeenAt !== 'number' || typeof lastOffset !== 'number') return [];
  return [{ atMs: lastSeenAt, what: `last heard by the record at offset ${lastOffset}, ${plain(eventCount)} in all` }];
}

export function outputMark(output: Output): Mark {
  const { partition, offset, timestamp, value } = output;
  const place = `at offset ${offset} of partition ${partition} of the output`;
  if (value === null) return { atMs: timestamp, what: `tombstone ${place}` };
  const { state, reason, type } = saidIn(output);
  const word = [state ?? type, reason].filter((each) => each !== undefined).map(plain);
  return { atMs: timestamp, what: `${word.join(' by ') || 'said'} ${place}` };
}

/** Oldest first, each once. */
export function inOrder(marks: readonly Mark[]): readonly Mark[] {
  const distinct = new Map(marks.map((mark) => [`${mark.atMs} ${mark.what}`, mark]));
  return [...distinct.values()].sort((a, b) => a.atMs - b.atMs).slice(-MARKS_MAX);
}
