// Sweeps keep the log within its factor of the live state, where there are many sessions.
import { describe, expect, test } from '@jest/globals';
import { ReusedMemory, seededRandom } from '@flatline/base';
import { openSession, sessionFormat } from '@flatline/kinds/session';
import { EntryTable } from '../entries/entry-table.ts';
import { insertKey, options } from '../task.fixture.ts';
import { Changelog } from './changelog.ts';

const SESSIONS = 160_000;
const FACTOR = 4;
const SLICE_BYTES = 128 * 1024;
const limits = { blockBytesMax: 256 * 1024, changelogFactor: FACTOR, unsweptLogBytes: 1024 };
const BASE = { clock: 0, position: 0 };
const context = {
  logId: 'log',
  owner: 'me',
  commitId: 'run-1',
  sequence: 0,
  previousCommitId: '',
  inputPartitions: 1,
  inputs: [],
  clock: 0,
  heldMs: 0,
  holds: [],
};

class Sessions {
  readonly #table = new EntryTable(7, sessionFormat);
  readonly #view = this.#table.view();
  readonly changelog: Changelog;
  #offset = 0;

  constructor(sessions = SESSIONS, changelogFactor = FACTOR) {
    this.changelog = new Changelog(this.#table, { ...limits, changelogFactor }, new ReusedMemory(2 ** 26));
    const { rules } = options();
    for (let i = 0; i < sessions; i += 1) {
      const slot = insertKey(this.#table, new Uint8Array(Uint32Array.of(i).buffer));
      openSession(this.#view.at(slot), rules, { offset: i, effectiveAt: 1_000, timestamp: 1_000 });
    }
  }

  /** A heartbeat of each session from one slot to another. */
  beat(from: number, to: number): void {
    for (let slot = from; slot < to; slot += 1) this.changelog.changed(this.#view.at(slot));
  }

  /** Each session from one slot to another has seen sequence numbers, the longest: a touch says them, too. */
  number(from: number, to: number): void {
    for (let slot = from; slot < to; slot += 1)
      this.#view.at(slot).detail = {
        startedAt: 1_000,
        lastEventAt: 2_000,
        duplicateCount: 0,
        outOfOrderCount: 0,
        hasSources: false,
        texts: undefined,
        disorder: undefined,
        reduced: undefined,
        sequence: {
          lowest: 2 ** 52,
          highest: 2 ** 52 + 9,
          seenLow: 2 ** 31,
          seenHigh: 2 ** 31,
          received: 1_000,
          missingBefore: 0,
          restarts: 0,
        },
      };
  }

  /** Binds sessions again. */
  bind(from: number, to: number): void {
    for (let slot = from; slot < to; slot += 1) this.#table.reshaped.add(slot);
    this.beat(from, to);
  }

  end(from: number, to: number): void {
    for (let slot = from; slot < to; slot += 1) {
      this.changelog.removed(this.#view.at(slot));
      this.#table.remove(slot);
    }
  }

  /** How many times the live bytes the log has. */
  get factor(): number {
    return this.changelog.logBytes / this.changelog.liveBytes;
  }

  /** Commits what changed; returns how many slices there were. */
  commit(): number {
    return this.commitBytes().slices;
  }

  /** The same, and how many bytes were written. */
  commitBytes(): { readonly slices: number; readonly writtenBytes: number } {
    let slices = 1;
    while (!this.changelog.prepareCut(SLICE_BYTES, BASE)) slices += 1;
    const cut = this.changelog.cut(context);
    const offsets = cut.blocks.map(() => (this.#offset += 1));
    this.changelog.settle(cut, offsets);
    return { slices, writtenBytes: cut.blockBytes };
  }
}

describe('the sweep of a partition with many sessions', () => {
  test.each([0.5, 0.1])('[K8] keeps the log within its factor where a share of %d beats in every commit', (share) => {
    const sessions = new Sessions();
    sessions.beat(0, SESSIONS);
    sessions.commit();
    let most = 0;
    for (let written = 0; written < 6; written += share) {
      sessions.beat(0, share * SESSIONS);
      sessions.commit();
      most = Math.max(most, sessions.changelog.logBytes / sessions.changelog.liveBytes);
    }
    expect(most).toBeLessThanOrEqual(FACTOR);
    // A round was needed.
    expect(most).toBeGreaterThan(FACTOR / 2);
  });

  test('[K8] looks for old bases in slices, and touches do not leave one behind', () => {
    const sessions = new Sessions();
    const { changelog } = sessions;
    sessions.beat(0, SESSIONS);
    sessions.commit();
    // Touches move no base, until a round binds every session that beats again, and looks for the one that does not.
    const before = changelog.ledger.floor();
    let slices = 0;
    for (let commits = 0; changelog.ledger.floor() === before; commits += 1) {
      expect(commits).toBeLessThan(100);
      sessions.beat(0, SESSIONS - 1);
      slices = sessions.commit();
      changelog.ledger.floor();
    }
    // As many for entries as these weigh, and as many more as it takes to look at all slots.
    expect(slices).toBeGreaterThanOrEqual(Math.floor((36 * SESSIONS) / SLICE_BYTES));
  });

  test.each([4, 2])('[K8] keeps the log within a factor of %d where touches are long', (factor) => {
    const sessions = new Sessions(40_000, factor);
    sessions.number(0, 400);
    sessions.beat(0, 40_000);
    sessions.commit();
    let most = 0;
    for (let commits = 0; commits < 1_500; commits += 1) {
      sessions.beat(0, 400);
      const { pendingBytes } = sessions.changelog;
      const { writtenBytes } = sessions.commitBytes();
      expect(writtenBytes).toBeLessThanOrEqual(pendingBytes + 16 * 1024);
      most = Math.max(most, sessions.factor);
    }
    expect(most).toBeLessThanOrEqual(factor);
    expect(most).toBeGreaterThan(factor / 2);
  });

  test('[K8] keeps the log within its factor of what is left once most sessions have ended', () => {
    const sessions = new Sessions(40_000);
    sessions.beat(0, 40_000);
    sessions.commit();
    sessions.bind(36_000, 40_000);
    sessions.commit();
    while (sessions.factor < 0.65 * FACTOR) {
      sessions.beat(36_000, 36_500);
      sessions.commit();
    }
    sessions.end(0, 36_000);
    sessions.bind(36_000, 40_000);
    sessions.commit();
    sessions.commit();
    let most = 0;
    for (let commits = 0; commits < 500; commits += 1) {
      sessions.beat(36_000, 37_000);
      sessions.commit();
      most = Math.max(most, sessions.factor);
    }
    expect(most).toBeLessThanOrEqual(FACTOR);
  });

  test('[K8] a bare session that beats costs at most 12 bytes of the log, sweep included', () => {
    const beats = new SteadyBeats(8_000);
    beats.run(40);
    const before = beats.written;
    const most = beats.run(80);
    expect((beats.written.bytes - before.bytes) / (beats.written.touched - before.touched)).toBeLessThan(12);
    expect(most).toBeLessThanOrEqual(FACTOR);
    // Each base was swept along.
    expect(beats.floorMoved).toBe(true);
  });
});

/** Sessions with keys of 36 bytes, a quarter of which beat at some time between one commit and the next. */
class SteadyBeats {
  readonly #table = new EntryTable(7, sessionFormat);
  readonly #view = this.#table.view();
  readonly #changelog = new Changelog(this.#table, limits, new ReusedMemory(2 ** 26));
  readonly #random = seededRandom(1);
  readonly #sessions: number;
  readonly #firstFloor: number;
  #clock = 1_700_000_000_000;
  #position = 5_000_000;
  #offset = 0;
  written = { bytes: 0, touched: 0 };

  constructor(sessions: number) {
    this.#sessions = sessions;
    const { rules } = options();
    for (let i = 0; i < sessions; i += 1) {
      const slot = insertKey(this.#table, new TextEncoder().encode(`session-${String(i).padStart(28, '0')}`));
      const at = { offset: this.#position, effectiveAt: this.#clock, timestamp: this.#clock };
      openSession(this.#view.at(slot), rules, at);
      this.#changelog.changed(this.#view.at(slot));
    }
    this.#commit();
    this.#firstFloor = this.#changelog.ledger.floor();
  }

  get floorMoved(): boolean {
    return this.#changelog.ledger.floor() > this.#firstFloor;
  }

  /** Each session beats so often in the mean; returns the greatest share that the log had of its live bytes. */
  run(times: number): number {
    let most = 0;
    for (let commits = 0; commits < 4 * times; commits += 1) {
      const beating = this.#sessions / 4;
      this.#clock += 500;
      for (let i = 0; i < beating; i += 1) {
        const entry = this.#view.at(this.#random.below(this.#sessions));
        entry.lastSeenAt = this.#clock - 500 + Math.floor((500 * i) / beating);
        entry.lastOffset = this.#position + i;
        entry.eventCount += 1;
        this.#changelog.changed(entry);
      }
      this.#position += beating;
      this.#commit();
      most = Math.max(most, this.#changelog.logBytes / this.#changelog.liveBytes);
    }
    return most;
  }

  #commit(): void {
    const touched = this.#changelog.pendingChanges;
    const input = { checksum: 1, leaderEpoch: 1, batchTimestamp: this.#clock, live: true, origin: 0 };
    const inputs = [{ ...input, position: this.#position }];
    const cut = this.#changelog.cut({ ...context, clock: this.#clock, inputs });
    this.#changelog.settle(
      cut,
      cut.blocks.map(() => (this.#offset += 1)),
    );
    this.written = { bytes: this.written.bytes + cut.blockBytes, touched: this.written.touched + touched };
  }
}
