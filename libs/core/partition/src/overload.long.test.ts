import { describe, expect, test } from '@jest/globals';
import { NO_BATCH, PartitionTask } from './index.ts';
import type { KeyGroup, RecordCursor } from '@flatline/ports';
import { begin, closedIn, ListCursor, options } from './task.fixture.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const AT = 1_000_000;

/** Records that are made as they are read: a million of them as objects would measure the objects. */
class MadeCursor implements RecordCursor {
  readonly bytes: Uint8Array;
  readonly keyStart = 0;
  readonly keyLength: number;
  readonly valueStart: number;
  readonly valueLength: number;
  readonly logAppendTime = true;
  readonly hasHeaders = false;
  readonly batchChecksum = 1;
  readonly batchLeaderEpoch = 1;
  offset: number;
  readonly #end: number;
  readonly #timestamp: (offset: number) => number;
  readonly #view: DataView;
  readonly group: KeyGroup;
  readonly groupIndex = 0;

  /** A key for each offset, of eight bytes or null, and values of `valueLength` bytes. */
  constructor(from: number, count: number, timestamp: (offset: number) => number, value?: { readonly bytes: number }) {
    this.offset = from - 1;
    this.#end = from + count;
    this.#timestamp = timestamp;
    this.keyLength = value === undefined ? 8 : -1;
    this.valueStart = 8;
    this.valueLength = value?.bytes ?? 0;
    this.bytes = new Uint8Array(8 + this.valueLength);
    this.#view = new DataView(this.bytes.buffer);
    this.group = {
      count: 1,
      starts: Int32Array.of(0),
      lengths: Int32Array.of(this.keyLength),
      offsetDeltas: Int32Array.of(0),
      valueStarts: Int32Array.of(this.valueStart),
      valueLengths: Int32Array.of(this.valueLength),
      headersStarts: Int32Array.of(0),
      headersEnds: Int32Array.of(0),
    };
  }

  skip(): never {
    throw new Error('nothing follows in a group of one');
  }

  next(): boolean {
    if (this.offset + 1 >= this.#end) return false;
    this.offset += 1;
    this.#view.setFloat64(0, this.offset);
    return true;
  }

  get timestamp(): number {
    return this.#timestamp(this.offset);
  }
  get batchTimestamp(): number {
    return this.timestamp;
  }
  get position(): number {
    return this.offset + 1;
  }
  headers(): [] {
    return [];
  }
  headersOf(): [] {
    return [];
  }
}

function begun(changes: Parameters<typeof options>[0]): PartitionTask {
  const task = new PartitionTask(options(changes));
  begin(task, 0, START);
  return task;
}

const context = { logId: 'l', owner: 'o', commitId: 'c', sequence: 0, previousCommitId: '', inputPartitions: 1 };

describe('more comes in than goes out', () => {
  test('[X6][I1] dead letters wait up to a number of bytes, whatever their number', () => {
    const [records, bytes] = [100, 500_000];
    const waitingBytesMax = options().deadLetters.waitingBytesMax();
    const task = begun({});
    // In one run, as of a batch that unpacks to fifty times what the reader fetches.
    const cursor = new MadeCursor(0, records, () => AT, { bytes });
    let letters = 0;
    for (let cuts = 0, done = false; !done; cuts += 1) {
      for (let outcome = task.step(cursor, 2_048, AT); ; outcome = task.step(cursor, 2_048, AT)) {
        done = outcome.kind === 'exhausted';
        if (outcome.kind !== 'limit') break;
      }
      const cut = task.cut(context);
      const waiting = cut.deadLetters.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      expect(waiting).toBeLessThanOrEqual(waitingBytesMax + bytes);
      letters += cut.deadLetters.length;
      task.settle(cut, [cuts]);
    }
    expect(letters).toBe(records);
  });

  test('[X6] stepping pauses at the bound of changes, and goes on after a cut', () => {
    const task = begun({ pendingChangesMax: 1_000, changelog: { ...options().changelog, blockBytesMax: 1e6 } });
    const cursor = new MadeCursor(0, 10_000, () => AT);
    let cuts = 0;
    while (task.step(cursor, 1e6, AT).kind === 'full') {
      expect(task.changelog.pendingChanges).toBeLessThanOrEqual(1_000);
      task.settle(task.cut(context), [cuts]);
      cuts += 1;
    }
    expect(cuts).toBeGreaterThanOrEqual(10);
    expect(task.liveEntries).toBe(10_000);
  });
});

test("[W3][X5] a turn of expiring ends with the wheel's own fill of moved timers, however few of them are due", () => {
  const task = begun({});
  const sessions = 20_000;
  const beatAll = (from: number, timestamp: number): void => {
    const keys = new ListCursor(
      Array.from({ length: sessions }, (_, i) => ({ offset: from + i, timestamp, key: `k${i}`, value: '' })),
      32,
    );
    expect(task.step(keys, sessions, 9e12).kind).not.toBe('full');
  };
  beatAll(0, AT);
  beatAll(sessions, AT + 900);
  task.step(new ListCursor([{ offset: 2 * sessions, timestamp: AT + 1_100, key: 'k0', value: '' }]), 1, 9e12);
  let turns = 1;
  while (task.expire(1_024, 9e12)) turns += 1;
  expect(turns).toBeGreaterThan(3);
  expect(task.liveEntries).toBe(sessions);
});

describe('[F18] a million sessions that die in the same second', () => {
  const DYING = 1_000_000;
  const SLICE = 1_024;

  test('[F18][W3] go in slices of the limit, and whoever beats meanwhile is applied between any two of them', () => {
    const task = begun({
      hashSeed: 3,
      changelog: { blockBytesMax: 262_144, changelogFactor: 4, unsweptLogBytes: 1e9 },
    });
    task.step(new MadeCursor(0, DYING, (offset) => AT + Math.floor(offset / 1_000)), DYING, AT);
    expect(task.liveEntries).toBe(DYING);
    const opened = task.cut(context);
    task.settle(
      opened,
      opened.blocks.map((_, part) => part),
    );
    task.checkpoints.discard();
    let closed = 0;
    let slices = 0;
    let offset = DYING;
    for (let more = true; more;) {
      // A beat of a new session at every slice: it is read although a million are due.
      task.step(new MadeCursor(offset, 1, () => AT + 3_000), 1, AT);
      offset += 1;
      expect(task.input.position).toBe(offset);
      const before = task.liveEntries;
      more = task.expire(SLICE, AT);
      expect(before - task.liveEntries).toBeLessThanOrEqual(SLICE);
      slices += 1;
      const cut = task.cut(context);
      closed += closedIn(cut).length;
      task.settle(
        cut,
        cut.blocks.map((_, part) => slices * 10_000 + part),
      );
      task.checkpoints.discard();
    }
    expect(closed).toBe(DYING);
    expect(slices).toBeGreaterThanOrEqual(DYING / SLICE);
    expect(task.liveEntries).toBe(offset - DYING);
  });
});
