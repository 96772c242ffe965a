// What the changelog holds of a window as its state (docs/FORMATS.md, Changelog).
import { ByteWriter } from '@flatline/base';
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import type { HeadTouch, LoggedImage } from '../../logs/changelog-fold.ts';
import type { FoldableItem, WindowState } from './naive-window.ts';

interface Counts {
  readonly waitMs: number;
  readonly items: number;
  readonly valueBytes: number;
  readonly batchBytes: number;
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
  return { waitMs: bytes.varint(), items: bytes.varint(), valueBytes: bytes.varint(), batchBytes: bytes.varint() };
}

function readHead(bytes: BlockReader): WindowHead {
  const [form, firstOffset, endAt, waitsFrom] = [bytes.varint(), bytes.varint(), bytes.varint(), bytes.varint()];
  return { form, firstOffset, endAt, waitsFrom, ...readCounts(bytes) };
}

export const touchedWindow: HeadTouch = (head, touch, { clock }) => {
  const { form, firstOffset, endAt } = readHead(new BlockReader(head));
  const bytes = new BlockReader(touch);
  const waitsFrom = clock - bytes.signed();
  const { waitMs, items, valueBytes, batchBytes } = readCounts(bytes);
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind a touch');
  const out = new ByteWriter(64);
  for (const number of [form, firstOffset, endAt, waitsFrom, waitMs, items, valueBytes, batchBytes]) {
    if (number < 0) throw new NotABlock('is touched before its beginning');
    out.varint(number);
  }
  return out.copy();
};

/** Forms that keep one item at most. */
const REDUCED = new Set([1, 2, 3, 7]);

/** @throws NotABlock */
export function windowIn({ key, image }: Pick<LoggedImage, 'key' | 'image'>): WindowState {
  const bytes = new BlockReader(image);
  const { form, firstOffset, endAt, waitMs, waitsFrom, items: count, valueBytes, batchBytes } = readHead(bytes);
  const at = bytes.varint();
  const isReduced = REDUCED.has(form);
  const taken = isReduced && !bytes.isAtEnd ? [firstOffset + bytes.varint(), firstOffset + bytes.varint()] : undefined;
  const items: FoldableItem[] = [];
  while (!bytes.isAtEnd) items.push(readItem(bytes, firstOffset, key));
  return {
    offset: firstOffset,
    at,
    most: endAt === 0 ? Infinity : endAt,
    waitMs,
    lastAt: waitsFrom,
    items,
    kept: items.length,
    count,
    bytes: valueBytes,
    firstTaken: taken?.[0] ?? items[0]?.offset ?? -1,
    lastTaken: taken?.[1] ?? items.at(-1)?.offset ?? -1,
    size: batchBytes,
  };
}

function readItem(bytes: BlockReader, firstOffset: number, key: Uint8Array): FoldableItem {
  const [offset, timestamp] = [firstOffset + bytes.varint(), bytes.varint()];
  const hasIdentity = bytes.varint() % 2 === 1;
  const identity = hasIdentity ? bytes.bytes(bytes.varint()).join(' ') : undefined;
  const value = bytes.bytes(bytes.varint());
  return { offset, timestamp, value, alike: identity, record: { key, headers: [] } };
}
