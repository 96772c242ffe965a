// Bases that come in parts, in the second reading.
import { describe, expect, test } from '@jest/globals';
import type { BlockOperation } from './block-operation.ts';
import { ChangelogFold } from './changelog-fold.ts';
import { murmur3 } from './murmur3.ts';

const PAGE = 16_376;
const key = Uint8Array.of(7);
const head = Uint8Array.of(1);
const bytes = (length: number, value = 0): Uint8Array => new Uint8Array(length).fill(value);
const bind: BlockOperation = { kind: 'bind', slot: 3, key, head };
const rebind = (pages: number): BlockOperation => ({ kind: 'rebind', slot: 3, pages, key, head });
const page = (number: number, length = PAGE, value = 0): BlockOperation => ({
  kind: 'page',
  slot: 3,
  page: number,
  at: 0,
  bytes: bytes(length, value),
});
const append = (number: number, at: number, length: number): BlockOperation => ({
  kind: 'append',
  slot: 3,
  page: number,
  at,
  bytes: bytes(length, 9),
});
const based = (base: number): BlockOperation => ({ kind: 'based', slot: 3, base });

type Step = readonly [offset: number, ...operations: BlockOperation[]];

function folded(...steps: readonly Step[]): ChangelogFold {
  const fold = new ChangelogFold(() => head);
  for (const [offset, ...operations] of steps)
    for (const operation of operations) fold.apply(operation, { offset, clock: 0, position: 0 });
  return fold;
}

const BASE: Step = [0, bind, page(0), page(1), page(2, 10)];

describe('a base in parts', () => {
  test('[K3] is one once all pages have followed its head, wherever they changed meanwhile', () => {
    const steps: readonly Step[] = [
      [10, rebind(3), page(0)],
      [11, append(2, 10, 5)],
      [12, page(1, PAGE, 4), page(1, PAGE, 4)],
      [13, page(2, 15, 9)],
      [14, append(2, 15, 1)],
      [15, based(10)],
    ];
    const whole = folded(BASE, ...steps);
    expect([whole.basesAt(0), whole.basesAt(10)]).toEqual([0, 1]);
    expect(folded(BASE, ...steps.slice(0, -1)).basesAt(0)).toBe(1);
    // A log that begins with it ends in the same state.
    const behind = folded(...steps);
    expect(behind.basesAt(10)).toBe(1);
    expect(behind.digest).toBe(whole.digest);
    expect([...behind.images.values()].map(({ image }) => image)).toEqual(
      [...whole.images.values()].map(({ image }) => image),
    );
  });

  test('[K1][K3] is none where a page is missing, came before its head, or went on from one that did', () => {
    const wrong: readonly (readonly Step[])[] = [
      [[10, rebind(3), page(0), page(1), based(10)]],
      [
        [9, page(2, 10)],
        [10, rebind(3), page(0), page(1), based(10)],
      ],
      [[10, rebind(3), page(0), page(1), append(2, 10, 1), based(10)]],
      [[10, rebind(3), page(1), page(0), page(2, 10), based(10)]],
      [
        [10, rebind(3), page(0), page(1)],
        [11, page(2, 10), based(11)],
      ],
      [[10, bind, based(0)]],
    ];
    for (const steps of wrong) expect(() => folded(BASE, ...steps)).toThrow('not all of it lies there');
  });

  test('[K1] a head keeps as many pages as it says, of its own key', () => {
    const fold = folded(BASE, [10, rebind(1), append(0, 100, 20)]);
    expect([...fold.images.values()][0]!.pages.map(({ length }) => length)).toEqual([120]);
    expect(() => folded(BASE, [10, { ...rebind(3), key: Uint8Array.of(8) } as BlockOperation])).toThrow('another key');
    expect(folded(BASE).apply(rebind(3), { offset: 1, clock: 0, position: 0 })).toBeDefined();
    expect(folded().apply(rebind(3), { offset: 1, clock: 0, position: 0 })).toBeUndefined();
  });

  test('[K5] a log that begins behind a head knows the entry from its next one on', () => {
    const fold = folded(
      [11, page(2, 10), based(10)],
      [20, rebind(2), based(10), append(1, 3, 4), page(0)],
      [21, page(1, 9)],
      [22, based(20)],
    );
    expect(fold.basesAt(20)).toBe(1);
    expect([...fold.images.values()][0]!.pages.map(({ length }) => length)).toEqual([PAGE, 9]);
  });
});

test('[R1] the digest of an entry costs the bytes that change, not the bytes that it has: counted', () => {
  let hashed = 0;
  const fold = new ChangelogFold(
    () => head,
    (part, seed) => {
      hashed += part.length;
      return murmur3(part, seed);
    },
  );
  const costOf = (operation: BlockOperation): number => {
    const before = hashed;
    fold.apply(operation, { offset: 0, clock: 0, position: 0 });
    return hashed - before;
  };
  const pages = 200;
  expect(costOf(bind)).toBe(key.length + head.length);
  for (let number = 0; number < pages; number += 1) expect(costOf(page(number))).toBe(PAGE);
  const least = [page(7, PAGE, 1), append(pages, 0, 5), { kind: 'touch', slot: 3, touch: head } as const];
  expect(least.map(costOf)).toEqual([PAGE, 5, head.length]);
  const { digest, liveBytes } = fold;
  expect([costOf(rebind(pages)), fold.liveBytes]).toEqual([head.length, liveBytes - 5]);
  costOf(append(pages, 0, 5));
  expect([fold.digest, fold.liveBytes]).toEqual([digest, liveBytes]);
  expect([costOf({ kind: 'remove', slot: 3 }), fold.digest, fold.liveBytes]).toEqual([0, 0, 0]);
});
