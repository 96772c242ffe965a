// [R2] [F13] Damaged files: found out or without effect, never a wrong answer, never the end of the process.
import { Corrupt } from '@flatline/base';
import type { StateStore } from '@flatline/ports';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LmdbStore } from './lmdb-store.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { Model, rowsOf, workloadStep } from './testing/workload.ts';

const BOOT_ID = 'this boot';
const PAGE_BYTES = 4096;

/** A sound store's file, and every state it was in: damage may bring back an older snapshot, which only lags. */
let sound: Buffer;
const snapshots: { readonly rows: Map<number, string>; readonly position: number }[] = [];
const directory = temporaryDirectory();
const place = { directory: join(directory.path, '0'), bootId: BOOT_ID };
const file = join(place.directory, 'state.mdb');

beforeAll(async () => {
  mkdirSync(place.directory);
  const { store } = LmdbStore.open(place);
  const model = new Model();
  for (let position = 0; position < 4; position += 1) {
    const step = workloadStep(position, position);
    const checkpoint = {
      logId: 'log',
      changelogPosition: position,
      commitHeader: Buffer.alloc(9),
      liveEntries: 1,
      digest: 1,
    };
    store.write(step.changes, checkpoint);
    model.apply(step);
    snapshots.push({ rows: new Map(model.rows), position });
  }
  await store.close();
  sound = readFileSync(file);
});
afterAll(directory.remove);

type Outcome = 'dropped' | 'corrupt' | 'unharmed' | 'wrong';

/** Opens, reads and writes the store over the given bytes. */
async function outcomeOf(bytes: Buffer): Promise<Outcome> {
  rmSync(place.directory, { recursive: true });
  mkdirSync(place.directory);
  writeFileSync(file, bytes);
  const { store, dropped } = LmdbStore.open(place);
  try {
    if (dropped !== undefined) return 'dropped';
    if (!isSnapshot(store)) return 'wrong';
    const after = workloadStep(99, 0);
    const expected = new Model();
    for (const [slot, value] of rowsOf(store)) expected.rows.set(slot, value);
    expected.apply(after);
    store.write(after.changes, after.checkpoint);
    return same(rowsOf(store), expected.rows) && store.count() === expected.rows.size ? 'unharmed' : 'wrong';
  } catch (error) {
    if (error instanceof Corrupt) return 'corrupt';
    throw error;
  } finally {
    await store.close();
  }
}

function isSnapshot(store: StateStore): boolean {
  const found = rowsOf(store);
  const position = store.state()?.checkpoint.changelogPosition;
  return snapshots.some((snapshot) => snapshot.position === position && same(snapshot.rows, found));
}

function same(a: ReadonlyMap<number, string>, b: ReadonlyMap<number, string>): boolean {
  return a.size === b.size && [...a].every(([slot, value]) => b.get(slot) === value);
}

function damaged(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(sound);
  change(bytes);
  return bytes;
}

// A failure prints its seed: FUZZ_SEED=<seed> npm test -- store
describe('[F13]', () => {
  test('the undamaged file is unharmed', async () => {
    expect(await outcomeOf(sound)).toBe('unharmed');
  });

  test('one flipped bit anywhere', async () => {
    const seen = new Map<Outcome, number>();
    await fc.assert(
      fc.asyncProperty(fc.nat(sound.length * 8 - 1), async (bit) => {
        const outcome = await outcomeOf(damaged((bytes) => void (bytes[bit >> 3]! ^= 1 << (bit & 7))));
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        expect(outcome).not.toBe('wrong');
      }),
      { numRuns: 120 },
    );
    // The test would prove nothing if no flip did harm.
    expect(seen.get('corrupt')).toBeGreaterThan(0);
  }, 120_000);

  test('bytes of page headers, pointers and node headers, set to anything', async () => {
    const structural = fc.record({
      // The two headers as often as all other pages together.
      page: fc.oneof(fc.constantFrom(0, 1), fc.nat(sound.length / PAGE_BYTES - 1)),
      at: fc.nat(199),
      value: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0xff), fc.nat(255)),
      count: fc.integer({ min: 1, max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(structural, async ({ page, at, value, count }) => {
        const start = page * PAGE_BYTES + at;
        expect(await outcomeOf(damaged((bytes) => bytes.fill(value, start, start + count)))).not.toBe('wrong');
      }),
      // The example makes transaction 4 of the first header 257, newer than the other's and odd, where LMDB expects an even one.
      { numRuns: 120, examples: [[{ page: 0, at: 152, value: 1, count: 2 }]] },
    );
  }, 120_000);

  test('pages zeroed, and pages in the place of others', async () => {
    const page = fc.nat(sound.length / PAGE_BYTES - 1);
    await fc.assert(
      fc.asyncProperty(page, page, fc.boolean(), async (from, to, zero) => {
        const bytes = damaged((copy) => {
          if (zero) copy.fill(0, to * PAGE_BYTES, (to + 1) * PAGE_BYTES);
          else sound.copy(copy, to * PAGE_BYTES, from * PAGE_BYTES, (from + 1) * PAGE_BYTES);
        });
        expect(await outcomeOf(bytes)).not.toBe('wrong');
      }),
      { numRuns: 80 },
    );
  }, 120_000);

  test('a file cut off anywhere, or longer than it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: sound.length - 1 }), async (length) => {
        const outcome = await outcomeOf(sound.subarray(0, length));
        expect(['dropped', 'corrupt']).toContain(outcome === 'unharmed' && onlyFreePages(length) ? 'corrupt' : outcome);
      }),
      { numRuns: 60 },
    );
    expect(await outcomeOf(Buffer.concat([sound, Buffer.alloc(5000, 0xaa)]))).toBe('unharmed');
    expect(await outcomeOf(Buffer.from('not LMDB at all'))).toBe('dropped');
    expect(await outcomeOf(Buffer.alloc(100_000, 0xff))).toBe('dropped');
  }, 120_000);
});

/** True if the snapshot needs no byte from `length` on: then nothing was lost. */
function onlyFreePages(length: number): boolean {
  truncateSync(file, sound.length);
  return sound.subarray(length).every((byte) => byte === 0) || length >= sound.length - PAGE_BYTES;
}

describe('[R2] a store that cannot be trusted is dropped, with the reason', () => {
  const openOver = async (bytes: Buffer, mark?: string) => {
    rmSync(place.directory, { recursive: true });
    mkdirSync(place.directory);
    writeFileSync(file, bytes);
    if (mark !== undefined) writeFileSync(join(place.directory, 'unsynced'), mark);
    const { store, dropped } = LmdbStore.open(place);
    const count = store.count();
    await store.close();
    return { dropped, empty: count === 0 && store.state() === undefined };
  };

  test('unclean and of another boot of the machine', async () => {
    expect(await openOver(sound, 'another boot')).toEqual({ dropped: 'unclean-after-reboot', empty: true });
    expect(await openOver(sound, '')).toEqual({ dropped: 'unclean-after-reboot', empty: true });
  });

  test('unclean and of this boot is kept: the kernel has every page', async () => {
    expect(await openOver(sound, BOOT_ID)).toEqual({ dropped: undefined, empty: false });
  });

  test('another data version of LMDB', async () => {
    const other = damaged((bytes) => bytes.writeUInt32LE(999, 28));
    expect(await openOver(other)).toEqual({ dropped: 'format', empty: true });
  });

  test('a checkpoint record whose checksum does not hold', async () => {
    const at = sound.indexOf(Buffer.from([3, ...Buffer.from('log')]));
    expect(at).toBeGreaterThan(0);
    const other = damaged((bytes) => {
      for (let found = at; found >= 0; found = bytes.indexOf(Buffer.from([3, ...Buffer.from('log')]), found + 1))
        bytes.write('lug', found + 1);
    });
    expect(await openOver(other)).toEqual({ dropped: 'checksum', empty: true });
  });

  test('no header', async () => {
    expect(await openOver(Buffer.alloc(20_000))).toEqual({ dropped: 'unreadable', empty: true });
  });
});
