import { describe, expect, test } from '@jest/globals';
import { AssertionError, type Random, randomBytes, seededRandom } from '@flatline/base';
import { PAGE_BYTES_MAX, PageArena } from './page-arena.ts';
import { PageBytes } from './page-bytes.ts';
import { SlotSet } from './slot-set.ts';
import { StatePages } from './state-pages.ts';

/** Where places change size, a page ends, and states have a page more. */
const EDGES = [1, 8, 9, 16, 17, 88, 248, 249, 280, 281, 8_184, 8_185, 10_896, PAGE_BYTES_MAX - 1];
const LENGTHS = [0, ...EDGES, PAGE_BYTES_MAX, PAGE_BYTES_MAX + 1, 2 * PAGE_BYTES_MAX, 3 * PAGE_BYTES_MAX + 7];

const read = (pages: StatePages, slot: number): Uint8Array => {
  const all = new Uint8Array(pages.lengthOf(slot));
  pages.read(slot, all);
  return all;
};

const isDirty = (pages: StatePages, slot: number, page: number): boolean =>
  pages.arena.isDirty(pages.pageAt(slot, page));

const clean = (pages: StatePages, slot: number, page: number): void => {
  pages.arena.clean(pages.pageAt(slot, page), 7);
};

const cut = (state: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(state.length / PAGE_BYTES_MAX) }, (_, page) =>
    state.slice(page * PAGE_BYTES_MAX, (page + 1) * PAGE_BYTES_MAX),
  );

const shown = ({ bytes, start, length }: PageBytes): Uint8Array => bytes.slice(start, start + length);

function spliced(state: Uint8Array, at: number, removed: number, put: Uint8Array): Uint8Array {
  return Uint8Array.from([...state.subarray(0, at), ...put, ...state.subarray(at + removed)]);
}

/** One random edit of the slot's state, made in pages and in the model. */
function edit(random: Random, pages: StatePages, bytes: PageBytes, model: Map<number, Uint8Array>, slot: number): void {
  const before = model.get(slot) ?? new Uint8Array(0);
  const length = random.chance(0.3) ? LENGTHS[random.below(LENGTHS.length)]! : random.below(300);
  const kind = random.below(before.length === 0 ? 1 : 8);
  if (kind === 0) {
    // As a kind sets what it has made elsewhere.
    const whole = randomBytes(random, length);
    pages.write(slot, whole, length);
    model.set(slot, whole);
  } else if (kind === 1) {
    pages.clear(slot);
    model.delete(slot);
  } else if (kind === 2) {
    const at = random.below(before.length);
    bytes.at(slot).setUint8(at, 7);
    model.set(slot, spliced(before, at, 1, Uint8Array.of(7)));
  } else if (kind === 3 && before.length >= 4) {
    const at = random.below(before.length - 3);
    bytes.at(slot).setUint32(at, 0xfedcba98);
    model.set(slot, spliced(before, at, 4, Uint8Array.of(0x98, 0xba, 0xdc, 0xfe)));
  } else {
    const at = random.below(before.length + 1);
    const removed = random.chance(0.2) ? before.length - at : random.below(Math.min(64, before.length - at) + 1);
    // The same length as often as another, and up to an edge, to shrink or grow by one page and one place.
    const wanted = kind === 4 ? removed : kind === 5 ? Math.max(0, length - before.length + removed) : random.below(64);
    const put = randomBytes(random, wanted);
    bytes.at(slot).splice(at, removed, put, put.length);
    model.set(slot, spliced(before, at, removed, put));
  }
  if (model.get(slot)?.length === 0) model.delete(slot);
}

/** Writes what a cut would: of dirty pages what they have not kept, or all where none is written. */
function writeDown(pages: StatePages, written: StatePages, slot: number, appended: { count: number }): void {
  const { arena } = pages;
  const isNew = written.countOf(slot) === 0;
  for (let page = 0; page < pages.countOf(slot); page += 1) {
    const reference = pages.pageAt(slot, page);
    const start = arena.startOf(reference);
    const kept = isNew ? 0 : arena.keptOf(reference);
    const isDirty = arena.isDirty(reference);
    const span = { bytes: arena.bytes, start: start + kept, end: start + arena.lengthOf(reference) };
    if (isNew || isDirty) expect(written.restorePage(slot, page, kept, span)).toBe(true);
    appended.count += Number(isDirty && kept > 0);
    arena.clean(reference, 7);
  }
}

describe('pages of states', () => {
  test.each(Array.from({ length: 8 }, (_, seed) => seed))(
    '[K1] hold what a map of arrays would hold, and what they write down of changes makes them again, seed %i',
    (seed) => {
      const random = seededRandom(seed);
      const reshaped = new SlotSet();
      const pages = new StatePages(reshaped);
      const written = new StatePages(new SlotSet());
      const windows = [new PageBytes(pages), new PageBytes(pages)];
      const model = new Map<number, Uint8Array>();
      const appended = { count: 0 };
      for (let step = 0; step < 300; step += 1) {
        const slot = random.below(6);
        edit(random, pages, windows[step % 2]!, model, slot);
        const state = model.get(slot) ?? new Uint8Array(0);
        expect(Buffer.compare(read(pages, slot), state)).toBe(0);
        for (const window of windows) expect(Buffer.compare(shown(window.at(slot)), state)).toBe(0);
        expect(pages.countOf(slot)).toBe(cut(state).length);
        if (random.chance(0.4)) {
          if (reshaped.delete(slot)) written.clear(slot);
          writeDown(pages, written, slot, appended);
          expect(Buffer.compare(read(written, slot), state)).toBe(0);
        }
      }
      expect(appended.count).toBeGreaterThan(5);
      for (const [slot, state] of model) expect(Buffer.compare(read(pages, slot), state)).toBe(0);
      for (const slot of model.keys()) pages.clear(slot);
      expect(pages.arena.takenBytes).toBe(0);
    },
  );

  test('an edit of one page of several leaves the others clean', () => {
    const pages = new StatePages(new SlotSet());
    pages.write(3, randomBytes(seededRandom(1), 3 * PAGE_BYTES_MAX), 3 * PAGE_BYTES_MAX);
    for (let page = 0; page < 3; page += 1) clean(pages, 3, page);
    const bytes = new PageBytes(pages).at(3);
    bytes.splice(PAGE_BYTES_MAX + 5, 2, Uint8Array.of(1, 2), 2);
    expect([0, 1, 2].map((page) => isDirty(pages, 3, page))).toEqual([false, true, false]);
    bytes.setUint8(0, 1);
    expect([0, 1, 2].map((page) => isDirty(pages, 3, page))).toEqual([true, true, false]);
  });

  test('[K1] an append to several pages writes the last, and new ones, and gathers nothing', () => {
    const pages = new StatePages(new SlotSet());
    const state = randomBytes(seededRandom(4), 5 * PAGE_BYTES_MAX);
    const [first, second] = [2 * PAGE_BYTES_MAX + 9, 4 * PAGE_BYTES_MAX + 1];
    pages.write(3, state, first);
    for (let page = 0; page < 3; page += 1) clean(pages, 3, page);
    const bytes = new PageBytes(pages);
    const readings = { count: 0 };
    const readWhole = pages.read.bind(pages);
    pages.read = (slot, into) => {
      readings.count += 1;
      readWhole(slot, into);
    };
    bytes.at(3).splice(first, 0, state.subarray(first), second - first);
    expect([0, 1, 2, 3, 4].map((page) => isDirty(pages, 3, page))).toEqual([false, false, true, true, true]);
    expect(pages.arena.keptOf(pages.pageAt(3, 2))).toBe(9);
    for (let at = second; at < state.length; at += 1) bytes.at(3).splice(bytes.length, 0, state.subarray(at), 1);
    expect(readings.count).toBe(0);
    expect(Buffer.compare(shown(bytes), state)).toBe(0);
    expect(readings.count).toBe(1);
  });

  test('a state of one page is edited where it lies, one beyond is gathered, and back', () => {
    const pages = new StatePages(new SlotSet());
    const bytes = new PageBytes(pages);
    pages.write(0, new Uint8Array(PAGE_BYTES_MAX).fill(1), PAGE_BYTES_MAX);
    expect(bytes.at(0).bytes).toBe(pages.arena.bytes);
    bytes.splice(PAGE_BYTES_MAX, 0, Uint8Array.of(2), 1);
    expect(bytes.bytes).not.toBe(pages.arena.bytes);
    expect([pages.countOf(0), bytes.length]).toEqual([2, PAGE_BYTES_MAX + 1]);
    bytes.splice(0, 1, Uint8Array.of(), 0);
    expect(bytes.bytes).toBe(pages.arena.bytes);
    expect([pages.countOf(0), shown(bytes).at(-1)]).toEqual([1, 2]);
  });

  test('[R3] a page that would follow none, or leave another short, is not restored', () => {
    const pages = new StatePages(new SlotSet());
    const bytes = randomBytes(seededRandom(2), PAGE_BYTES_MAX + 1);
    expect(pages.restorePage(1, 1, 0, { bytes, start: 0, end: 5 })).toBe(false);
    expect(pages.restorePage(1, 0, 1, { bytes, start: 0, end: 5 })).toBe(false);
    expect(pages.restorePage(1, 0, 0, { bytes, start: 0, end: PAGE_BYTES_MAX + 1 })).toBe(false);
    expect(pages.restorePage(1, 0, 0, { bytes, start: 0, end: 5 })).toBe(true);
    expect(pages.restorePage(1, 1, 0, { bytes, start: 0, end: 5 })).toBe(false);
    expect(pages.restorePage(1, 0, 6, { bytes, start: 0, end: 5 })).toBe(false);
    expect(pages.restorePage(1, 0, 5, { bytes, start: 5, end: PAGE_BYTES_MAX })).toBe(true);
    expect(pages.restorePage(1, 1, 0, { bytes, start: 0, end: 5 })).toBe(true);
    expect(pages.restorePage(1, 0, 0, { bytes, start: 0, end: 5 })).toBe(false);
    expect(
      Buffer.compare(read(pages, 1), Uint8Array.from([...bytes.slice(0, PAGE_BYTES_MAX), ...bytes.slice(0, 5)])),
    ).toBe(0);
  });

  test('[X6] a state of more pages than can be listed is refused before it takes any', () => {
    const pages = new StatePages(new SlotSet());
    pages.write(1, Uint8Array.of(7), 1);
    const pagesMax = Math.floor(PAGE_BYTES_MAX / 4);
    expect(() => {
      pages.write(0, new Uint8Array(0), pagesMax * PAGE_BYTES_MAX + 1, 0, 0);
    }).toThrow(AssertionError);
    expect(pages.restorePage(0, pagesMax, 0, { bytes: new Uint8Array(1), start: 0, end: 1 })).toBe(false);
    expect([...read(pages, 1)]).toEqual([7]);
  });

  test('slots without pages cost nothing, and may be asked about', () => {
    const pages = new StatePages(new SlotSet());
    expect([pages.isUsed, pages.countOf(9), pages.lengthOf(9), pages.onlyPage(9)]).toEqual([false, 0, 0, -1]);
    pages.clear(9);
    expect(pages.isUsed).toBe(false);
    expect(pages.arena.heldBytes).toBe(0);
  });
});

describe('places for pages', () => {
  test('every length has a place that overlaps no other, with little to spare', () => {
    const arena = new PageArena();
    const random = seededRandom(7);
    const taken: [number, number][] = [];
    for (let length = 1; length <= PAGE_BYTES_MAX; length += length < 300 ? 1 : 1 + random.below(150)) {
      const before = arena.takenBytes;
      const reference = arena.take(length);
      const spare = arena.takenBytes - before - length;
      expect(spare).toBeLessThan(16 + length / 4);
      if (length < 240) expect(spare).toBeLessThan(8 + 8);
      expect(arena.lengthOf(reference)).toBe(length);
      taken.push([arena.startOf(reference), length]);
    }
    taken.sort(([a], [b]) => a - b);
    for (let i = 1; i < taken.length; i += 1)
      expect(taken[i]![0] - 4).toBeGreaterThanOrEqual(taken[i - 1]![0] + taken[i - 1]![1]);
  });

  test('[I7] states of any one length have places for as many of them as may live', () => {
    const [entriesMax, bytesMax, memoryBytes] = [33_000_000, 3 * 2 ** 30, 2 ** 32];
    const arena = new PageArena();
    const placeOf = (length: number): number => {
      const reference = arena.take(length);
      const { takenBytes } = arena;
      arena.release(reference);
      return takenBytes;
    };
    const lengths = Array.from({ length: PAGE_BYTES_MAX }, (_, i) => i + 1);
    const beyond = lengths.filter((length) => Math.min(entriesMax, bytesMax / length) * placeOf(length) > memoryBytes);
    expect(beyond).toEqual([]);
  });

  test('a population whose states grow together leaves no copy of itself behind', () => {
    const arena = new PageArena();
    let references = Array.from({ length: 40_000 }, () => arena.take(20));
    for (let length = 28; length <= 108; length += 8)
      references = references.map((reference) => {
        arena.release(reference);
        return arena.take(length);
      });
    expect(arena.takenBytes).toBe(40_000 * 120);
    expect(arena.heldBytes).toBeLessThan(1.05 * arena.takenBytes);
  });

  test('what is released is handed out again before the memory grows', () => {
    const arena = new PageArena();
    const lengths = [20, 90, 5_000, PAGE_BYTES_MAX];
    const held = (): number => {
      const references = Array.from({ length: 3_000 }, (_, i) => arena.take(lengths[i % lengths.length]!));
      for (const reference of references.reverse()) arena.release(reference);
      return arena.heldBytes;
    };
    const first = held();
    lengths.reverse();
    expect(held()).toBe(first);
    expect(arena.takenBytes).toBe(0);
  });
});
