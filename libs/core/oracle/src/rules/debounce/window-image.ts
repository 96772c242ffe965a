// State of a window in the changelog (docs/FORMATS.md, Changelog).
import { ByteWriter } from '@flatline/base';
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import type { HeadTouch, LoggedImage } from '../../logs/changelog-fold.ts';
import { hexOf } from '../reducing/naive-reducer.ts';
import type { FoldableItem, WindowState } from './naive-window.ts';

const OWING = 2 ** 28;
const PART = 2 ** 21;
/** Indexed by form. */
const REDUCERS = ['all', 'first', 'last', 'count', 'first', 'last', 'count', 'custom'];
/** By form: true if at most one item is kept, behind the offsets of the first and the last that were taken. */
const KEEPS_ONE = [false, true, true, true, false, false, false, true];
/** Each form in JSON and in Avro. */
const FORMS = 2 * KEEPS_ONE.length;
const REASONS = 8;
/** Codes of what the open window does behind an owed one: release its first item and go on (`LEADS`), or the batch that ends it. */
const LEADS = 1;
const NEXT_MOST = 5;

/** The rest of a head, which is also the rest of a touch: numbers in their order there. */
interface Counts {
  readonly waitMs: number;
  readonly items: number;
  readonly valueBytes: number;
  readonly batchBytes: number;
  /** Fields of the open window, and of the one whose parts are owed. */
  readonly owed: Owed | undefined;
}

interface Owed {
  readonly form: number;
  readonly firstOffset: number;
  readonly endAt: number;
  readonly stateBytes: number;
  /** First offset of the owed window. */
  readonly offset: number;
  readonly progress: number;
  /** 0: nothing follows it. */
  readonly next: number;
  /** All of them. */
  readonly numbers: readonly number[];
}

interface WindowHead extends Counts {
  /** How its items are kept. */
  readonly form: number;
  readonly firstOffset: number;
  /** 0: none. */
  readonly endAt: number;
  readonly waitsFrom: number;
}

function readCounts(bytes: BlockReader): Counts {
  const [waitMs, items, valueBytes] = [bytes.varint(), bytes.varint(), bytes.varint()];
  const batchBytes = bytes.varint();
  const owed = batchBytes >= OWING ? readOwed(bytes) : undefined;
  return { waitMs, items, valueBytes, batchBytes: batchBytes % OWING, owed };
}

/** Form, first offset and end; then of the owed window: form, reason, bytes, first offset, instant, items, bytes, in batches, progress. */
function readOwed(bytes: BlockReader): Owed {
  const numbers = Array.from({ length: 12 }, () => bytes.varint());
  const [form, firstOffset, endAt, , reason, stateBytes, offset] = numbers as [number, number, number, ...number[]];
  const next = Math.floor(reason! / REASONS);
  if (next > NEXT_MOST) throw new NotABlock(`owes a window with the reason ${reason}`);
  return { form, firstOffset, endAt, stateBytes: stateBytes!, offset: offset!, progress: numbers[11]!, next, numbers };
}

function readHead(bytes: BlockReader): WindowHead {
  const [form, firstOffset, endAt, waitsFrom] = [bytes.varint(), bytes.varint(), bytes.varint(), bytes.varint()];
  if (form >= FORMS) throw new NotABlock(`has a window of form ${form}`);
  return { form, firstOffset, endAt, waitsFrom, ...readCounts(bytes) };
}

export const touchedWindow: HeadTouch = (head, touch, { clock }) => {
  const former = readHead(new BlockReader(head));
  const bytes = new BlockReader(touch);
  const waitsFrom = clock - bytes.signed();
  const { waitMs, items, valueBytes, batchBytes, owed } = readCounts(bytes);
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind a touch');
  const { form, firstOffset, endAt } = owed ?? former;
  const counts = [waitMs, items, valueBytes, batchBytes + (owed === undefined ? 0 : OWING)];
  const out = new ByteWriter(64);
  for (const number of [form, firstOffset, endAt, waitsFrom, ...counts, ...(owed?.numbers ?? [])]) {
    if (number < 0) throw new NotABlock('is touched before its beginning');
    out.varint(number);
  }
  return out.copy();
};

/** Returns the window that has fired and is still owed, and its first part that is. @throws NotABlock */
export function owedIn({
  head,
}: Pick<LoggedImage, 'head'>): { readonly offset: number; readonly part: number } | undefined {
  const { owed } = readHead(new BlockReader(head));
  return owed && { offset: owed.offset, part: Math.floor(owed.progress / PART) };
}

/** Returns the open window. @throws NotABlock */
export function windowIn({ key, image }: Pick<LoggedImage, 'key' | 'image'>): WindowState | undefined {
  const bytes = new BlockReader(image);
  const { form, firstOffset, endAt, waitMs, waitsFrom, items: count, valueBytes, batchBytes, owed } = readHead(bytes);
  if (owed !== undefined) bytes.bytes(owed.stateBytes);
  if (owed !== undefined && (bytes.isAtEnd || owed.next > LEADS)) return undefined;
  const from = bytes.position;
  const at = bytes.varint();
  const kept = form % KEEPS_ONE.length;
  const keepsOne = KEEPS_ONE[kept]!;
  const taken = keepsOne && !bytes.isAtEnd ? [firstOffset + bytes.varint(), firstOffset + bytes.varint()] : undefined;
  const items: FoldableItem[] = [];
  while (!bytes.isAtEnd) items.push(readItem(bytes, firstOffset, key, REDUCERS[kept] === 'custom'));
  const asOpened = { reducer: REDUCERS[kept]!, keepsOne, format: form === kept ? 'json' : 'avro' };
  const window = {
    form: asOpened,
    offset: firstOffset,
    at,
    most: endAt === 0 ? Infinity : endAt,
    waitMs,
    lastAt: waitsFrom,
  };
  // The item is there only to be released, and no others wait with it.
  if (owed?.next === LEADS)
    return { ...window, items: [], kept: 0, count: 0, bytes: 0, firstTaken: -1, lastTaken: -1, size: 0, stateBytes: 0 };
  return {
    ...window,
    items,
    kept: items.length,
    count,
    bytes: valueBytes,
    firstTaken: taken?.[0] ?? items[0]?.offset ?? -1,
    lastTaken: taken?.[1] ?? items.at(-1)?.offset ?? -1,
    size: batchBytes,
    stateBytes: bytes.position - from,
  };
}

/** `isReduced`: its identity is a reducer's state (S10). */
function readItem(bytes: BlockReader, firstOffset: number, key: Uint8Array, isReduced: boolean): FoldableItem {
  const [offset, timestamp] = [firstOffset + bytes.varint(), bytes.varint()];
  const hasIdentity = bytes.varint() % 2 === 1;
  const identity = hasIdentity ? bytes.bytes(bytes.varint()) : undefined;
  const value = bytes.bytes(bytes.varint());
  const said = isReduced ? { alike: undefined, state: identity && hexOf(identity) } : { alike: identity?.join(' ') };
  return { offset, timestamp, value, ...said, record: { key, headers: [] } };
}
