// Where a subscriber is in the output: of each partition that it hears, the offset from which on nothing was said yet (Q3).
//
//   <first eight digits of the topic's id>.<partitions>.<partition>.<offset>          of one partition
//   <first eight digits of the topic's id>.<partitions>.all.<offset>-<offset>-…       of all
//
// Offsets to the base of 36. Any instance reads it, and one of a topic that was deleted and made again, or has other partitions, says so.

/** By partition. */
export type Vector = Map<number, number>;

/** The topic that cursors are of. */
export interface CursorTopic {
  /** 32 hexadecimal digits. */
  readonly topicId: string;
  readonly partitions: number;
}

export type CursorReading =
  | { readonly kind: 'cursor'; readonly vector: Vector }
  /** It was one, of a log that is no more. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'none' };

/** `partition`: the only one; undefined: all. An offset that the vector lacks is 0. */
export function cursorText(topic: CursorTopic, vector: ReadonlyMap<number, number>, partition?: number): string {
  const head = `${topic.topicId.slice(0, TAG_LENGTH)}.${topic.partitions}`;
  const of = (each: number): string => (vector.get(each) ?? 0).toString(RADIX);
  if (partition !== undefined) return `${head}.${partition}.${of(partition)}`;
  return `${head}.all.${Array.from({ length: topic.partitions }, (_, each) => of(each)).join('-')}`;
}

/** `partition`: the only one that is asked for; undefined: all are. A cursor of the other sort is none. */
export function readCursor(text: string, topic: CursorTopic, partition?: number): CursorReading {
  const [, tag = '', count = '', which = '', said = ''] = FORM.exec(text) ?? [];
  const offsets = said.split('-').map((each) => Number.parseInt(each, RADIX));
  const partitions = which === 'all' ? [...offsets.keys()] : [Number(which)];
  if (said === '' || offsets.length !== (which === 'all' ? Number(count) : 1)) return { kind: 'none' };
  if (!offsets.every(Number.isSafeInteger)) return { kind: 'none' };
  if (tag !== topic.topicId.slice(0, TAG_LENGTH) || Number(count) !== topic.partitions) return { kind: 'foreign' };
  const isAsked = partition === undefined ? which === 'all' : which === String(partition);
  if (!isAsked) return { kind: 'none' };
  return { kind: 'cursor', vector: new Map(partitions.map((each, i) => [each, offsets[i]!])) };
}

const RADIX = 36;
const TAG_LENGTH = 8;
/** Longest cursor that is looked at. */
export const CURSOR_LENGTH_MAX = 16_384;
const FORM = /^([0-9a-f]{8})\.(\d{1,6})\.(all|\d{1,6})\.([0-9a-z]{1,11}(?:-[0-9a-z]{1,11})*)$/;
