// What keeps the log within its factor of the live state, where there are many sessions.
import { describe, expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import { openSession, sessionFormat } from '@flatline/kinds';
import { EntryTable } from '../entries/entry-table.ts';
import { insertKey, options } from '../task.fixture.ts';
import { Changelog } from './changelog.ts';

const SESSIONS = 320_000;
const FACTOR = 4;
const SLICE_BYTES = 128 * 1024;
const limits = { blockBytesMax: 256 * 1024, changelogFactor: FACTOR, unsweptLogBytes: 1024 };
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
  readonly changelog = new Changelog(this.#table, limits, new ReusedMemory(2 ** 26));
  #offset = 0;

  constructor() {
    const { rules } = options();
    for (let i = 0; i < SESSIONS; i += 1) {
      const slot = insertKey(this.#table, new Uint8Array(Uint32Array.of(i).buffer));
      openSession(this.#view.at(slot), rules, { offset: i, effectiveAt: 1_000, timestamp: 1_000 });
    }
  }

  /** A heartbeat of each session from one slot to another. */
  beat(from: number, to: number): void {
    for (let slot = from; slot < to; slot += 1) this.changelog.changed(this.#view.at(slot));
  }

  /** Commits what changed; returns how many slices there were. */
  commit(): number {
    let slices = 1;
    while (!this.changelog.prepareCut(SLICE_BYTES)) slices += 1;
    const cut = this.changelog.cut(context);
    const offsets = cut.blocks.map(() => (this.#offset += 1));
    this.changelog.settle(cut, offsets);
    return slices;
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

  test('[K8] looks for old images in slices', () => {
    const sessions = new Sessions();
    sessions.beat(0, SESSIONS);
    sessions.commit();
    // The last session alone does not beat, so that a round has to look through all of them.
    for (let i = 0; i < 2; i += 1) {
      sessions.beat(0, SESSIONS - 1);
      sessions.commit();
    }
    const before = sessions.changelog.ledger.floor();
    sessions.beat(0, 1);
    expect(sessions.commit()).toBeGreaterThanOrEqual((4 * SESSIONS) / SLICE_BYTES);
    expect(sessions.changelog.ledger.floor()).toBeGreaterThan(before);
  });
});
