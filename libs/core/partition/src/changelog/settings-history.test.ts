// By which settings a log was written, told by its commits however often it changed hands and was truncated.
import { ReusedMemory } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import { PartitionTask, Restoration, type TaskCut } from '../index.ts';
import { begin, ListCursor, options } from '../task.fixture.ts';
import { type CommitHeader, decodeBlock, NO_BATCH, type SettingsStretch, storedHeader } from './block-format.ts';
import { SettingsHistory, STRETCHES_MAX } from './settings-history.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

/** One log, written by one owner after another. */
class Log {
  readonly blocks: { readonly bytes: Uint8Array; readonly offset: number }[] = [];
  readonly said: (readonly SettingsStretch[])[] = [];
  #task: PartitionTask | undefined;
  #last: CommitHeader | undefined;
  #offset = 0;

  /** The next owner reads what is there, and goes on by these settings. */
  own(settings: string | undefined, format?: number): void {
    const changelog = { ...options().changelog, unsweptLogBytes: 1024 * 1024, settings, format };
    const task = new PartitionTask(options({ changelog, blockMemory: new ReusedMemory(0) }));
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    for (const { bytes, offset } of this.blocks) {
      restoration.take(bytes.slice(), offset);
      while (restoration.applyNext() > 0);
    }
    this.#last = restoration.last;
    if (this.#last !== undefined) restoration.finish();
    begin(task, this.#last?.clock ?? 0, this.#last?.inputs[0] ?? START);
    this.#task = task;
  }

  /** A heartbeat of each key; behind a `-` its end. */
  commit(...keys: readonly string[]): TaskCut {
    const task = this.#task!;
    const { position } = task.input;
    const records = keys.map((name, at) => {
      const isEnd = name.startsWith('-');
      const place = { offset: position + at, timestamp: 1e12 + position + at };
      return { ...place, key: isEnd ? name.slice(1) : name, value: isEnd ? null : '' };
    });
    task.restartReading();
    task.step(new ListCursor(records), 100, 9e12);
    const sequence = (this.#last?.sequence ?? -1) + 1;
    const previousCommitId = this.#last?.commitId ?? '';
    const names = { logId: 'log', owner: 'me', commitId: `c-${sequence}`, previousCommitId };
    const cut = task.cut({ ...names, sequence, inputPartitions: 1 });
    const offsets = cut.blocks.map(({ bytes }) => {
      this.blocks.push({ bytes: bytes.slice(), offset: this.#offset });
      return (this.#offset += 2) - 2;
    });
    const block = decodeBlock(cut.blocks.at(-1)!.bytes);
    if (block.kind !== 'state') throw new Error('it is a commit');
    this.#last = block.header;
    this.said.push(block.header.settings ?? []);
    task.settle(cut, offsets);
    return cut;
  }

  get header(): CommitHeader {
    return this.#last!;
  }

  get known(): readonly SettingsStretch[] {
    return this.#task!.changelog.settings.stretches;
  }

  /** Below the floor of the last commit nothing is left. */
  truncate(): void {
    const { floor } = this.header;
    while (this.blocks[0]!.offset < floor) this.blocks.shift();
  }
}

const first = { sequence: 0, from: 0, text: 'a' };
const second = { sequence: 2, from: 3, text: 'b' };

describe('[K1] the settings by which commits were made', () => {
  test('stand in the first commit, and in the first by others, from which input position on; not where nothing changed', () => {
    const log = new Log();
    log.own('a');
    log.commit('x', 'y');
    log.commit('z');
    log.own('b');
    log.commit('x');
    log.own('b');
    log.commit('y');
    expect(log.said).toEqual([[first], [], [first, second], []]);
  });

  test('[K3] are said again before the floor passes the block that had them, and are known after any truncation', () => {
    const log = new Log();
    log.own('a');
    log.commit('old');
    log.own('b');
    log.commit('old');
    for (let i = 0; i < 10; i += 1) {
      log.commit('new', '-old');
      log.commit('old', '-new');
      log.truncate();
      expect(log.blocks.length).toBeLessThan(6);
      const kept = log.blocks.map(({ bytes }) => decodeBlock(bytes));
      expect(kept.some((block) => block.kind === 'state' && block.header.settings?.length === 2)).toBe(true);
    }
  });

  test('[K3] are said again once eight times their length was written, with nothing alive, whoever owns the log then', () => {
    const log = new Log();
    const text = 'long'.repeat(4_000);
    log.own(text);
    const sizes: number[] = [];
    const floors: number[] = [];
    for (let i = 0; i < 6_000; i += 1) {
      if (i % 1_000 === 500) log.own(text);
      sizes.push(log.commit('-x').blockBytes);
      floors.push(log.header.floor);
      log.truncate();
    }
    const bytes = sizes.reduce((sum, each) => sum + each, 0);
    const saying = sizes.filter((each) => each > text.length);
    expect(saying.length).toBeGreaterThan(2);
    expect(saying.length * text.length).toBeLessThan(bytes / 4);
    expect(floors).toEqual(floors.toSorted((a, b) => a - b));
  });

  test('[K3] hold no floor back behind one that was stated by an owner that says none, as where a format is pinned', () => {
    const log = new Log();
    const text = 'long'.repeat(1_000);
    log.own(text);
    log.commit('-x');
    log.own(text, 2);
    for (let i = 0; i < 3; i += 1) log.commit('-x');
    const { floor } = log.header;
    expect(floor).toBeGreaterThan(0);
    log.own(text);
    log.commit('-x');
    expect(log.header.floor).toBeGreaterThanOrEqual(floor);
    // Whoever begins at that floor has them, too.
    expect(log.said.at(-1)).toEqual([{ ...first, text }]);
  });

  test('[K8] hold no more of the log than is left alone, and none where none are said', () => {
    const offset = 7;
    const said = { sequence: 1, inputs: [], floor: 0, settings: [{ sequence: 0, from: 0, text: 'a'.repeat(100) }] };
    const kept = (text: string | undefined, keptBytesMax: number, bytes: number): number => {
      const history = new SettingsHistory(text, keptBytesMax);
      history.logged(said, offset, 200);
      history.logged({ ...said, settings: [] }, 9, bytes);
      return history.keptFloor(20);
    };
    expect([kept('a', 1_000, 799), kept('a', 1_000, 800)]).toEqual([offset, 20]);
    expect([kept('a', 150, 49), kept('a', 150, 50)]).toEqual([offset, 20]);
    expect(kept(undefined, 1_000, 1)).toBe(20);
    const behind = new SettingsHistory('a', 1_000);
    behind.logged(said, offset, 200);
    expect(behind.keptFloor(3)).toBe(3);
  });

  test('[R1] are known to whoever restores from a local store, whatever the log has above it', () => {
    const log = new Log();
    log.own('a');
    log.commit('x');
    log.commit('y');
    const history = new SettingsHistory('b', Infinity);
    const block = decodeBlock(storedHeader({ ...log.header }, log.known));
    if (block.kind !== 'state') throw new Error('it is a commit');
    history.stored(block.header);
    expect(history.stretches).toEqual([first]);
    const next = { sequence: 2, inputs: log.header.inputs };
    expect(history.toSay(next, 0)).toEqual([first, { sequence: 2, from: 2, text: 'b' }]);
    // The same settings: where the log has them is not known, so they are said again.
    const same = new SettingsHistory('a', Infinity);
    same.stored(block.header);
    expect(same.toSay(next, 0)).toEqual([first]);
  });

  test('of many changes the last are kept', () => {
    const log = new Log();
    for (let i = 0; i <= STRETCHES_MAX + 3; i += 1) {
      log.own(`settings ${i}`);
      log.commit('x');
    }
    expect(log.known).toHaveLength(STRETCHES_MAX);
    expect(log.known.at(-1)).toEqual({ sequence: STRETCHES_MAX + 3, from: STRETCHES_MAX + 3, text: 'settings 35' });
    log.own('long'.repeat(20_000));
    log.commit('x');
    expect(log.known).toHaveLength(1);
  });

  test('[K9] are not said in the format that has not got them, nor by a task that says none', () => {
    const log = new Log();
    log.own('a', 2);
    log.commit('x');
    log.own(undefined);
    log.commit('x');
    expect(log.said).toEqual([[], []]);
    expect(log.blocks.map(({ bytes }) => bytes[1])).toEqual([2, 2]);
    log.own('a', 3);
    log.commit('x');
    expect(log.blocks.at(-1)!.bytes[1]).toBe(3);
  });
});
