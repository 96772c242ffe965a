// An erasure's way through the changelog: all that lives is written again, and the floor passes what said it before.
import { ReusedMemory } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import { type CommitHeader, decodeBlock, NO_BATCH } from './block-format.ts';
import { PartitionTask, Restoration, type TaskCut } from '../index.ts';
import { applyBlock, begin, hold, ListCursor, options, type TestRecord } from '../task.fixture.ts';
import { resetEvent, type EventDecoder } from '@flatline/ports/formats';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const ERASE = { name: 'flatline-command', value: Buffer.from('ERASE') };
const KEYS = 400;

/** Any value is an event with an attribute of many bytes: entries have states. */
const decoder: EventDecoder = {
  decode: (_bytes, _start, length, event) => {
    resetEvent(event);
    event.attributes = new Map([['long', 'x'.repeat(length)]]);
    return { kind: 'event' };
  },
  prepare: () => Promise.resolve(),
};

class Log {
  readonly blocks: { readonly bytes: Uint8Array; readonly offset: number; readonly header: CommitHeader }[] = [];
  readonly task: PartitionTask;
  outputs = 0;
  #offset = 0;
  #read = 0;

  constructor(settings?: string) {
    // A log so short is never swept for its length.
    const changelog = { blockBytesMax: 4_096, changelogFactor: 4, unsweptLogBytes: 1e9, settings };
    const { rules } = options();
    this.task = new PartitionTask(
      options({ changelog, decoder, rules: { ...rules, timeoutMs: 1e9 }, blockMemory: new ReusedMemory(0) }),
    );
    begin(this.task, 0, START);
  }

  take(...records: readonly Pick<TestRecord, 'key' | 'value' | 'headers'>[]): this {
    const taken = records.map((record) => ({ ...record, offset: this.#read++, timestamp: 1e12 }));
    this.task.restartReading();
    this.task.step(new ListCursor(taken), 1e6, 9e12);
    return this;
  }

  commit(): TaskCut {
    const sequence = this.blocks.length === 0 ? 0 : this.last.sequence + 1;
    const previousCommitId = sequence === 0 ? '' : this.last.commitId;
    const names = { logId: 'log', owner: 'me', commitId: `c-${sequence}`, previousCommitId };
    const cut = this.task.cut({ ...names, sequence, inputPartitions: 1 });
    this.outputs += cut.outputs.packed.length;
    const offsets = cut.blocks.map(({ bytes }) => {
      const block = decodeBlock(bytes);
      if (block.kind !== 'state') throw new Error('it is a commit');
      this.blocks.push({ bytes: bytes.slice(), offset: (this.#offset += 2), header: block.header });
      return this.#offset;
    });
    this.task.settle(cut, offsets);
    hold(this.task.inspect());
    return cut;
  }

  /** Commits for as long as the task has something to commit; returns how many times. */
  rest(): number {
    let commits = 0;
    for (; this.task.hasUncut; commits += 1) {
      if (commits > 100) throw new Error('it does not come to rest');
      this.commit();
    }
    return commits;
  }

  get last(): CommitHeader {
    return this.blocks.at(-1)!.header;
  }

  /** Blocks that the last floor leaves. */
  get left(): typeof this.blocks {
    return this.blocks.filter(({ offset }) => offset >= this.last.floor);
  }

  holds(text: string): boolean {
    return this.left.some(({ bytes }) => Buffer.from(bytes).includes(text));
  }

  /** How many entries a reader finds in what is left. */
  restored(): number {
    const task = new PartitionTask(options({ decoder }));
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    for (const { bytes, offset } of this.left) applyBlock(restoration, bytes.slice(), offset);
    expect(restoration.finish()).toBeUndefined();
    return task.table.size;
  }
}

const heartbeats = (value: string, keys = KEYS) =>
  Array.from({ length: keys }, (_, i) => ({ key: `key-${i}.`, value }));

describe('what is erased', () => {
  test.each([
    ['heartbeats alone', '', 1],
    ['entries with states', 'x'.repeat(40), 1],
    ['entries that change in many commits', 'x'.repeat(200), 30],
  ])('[E1][K3] is in no block above the floor, once all else is written again: %s', (_what, value, rounds) => {
    const log = new Log();
    for (let i = 0; i < rounds; i += 1) {
      log.take({ key: 'anna-smith', value }, ...heartbeats(value));
      log.commit();
    }
    expect(log.holds('anna-smith')).toBe(true);
    const outputs = log.outputs;
    log.take({ key: 'anna-smith', value: null, headers: [ERASE] });
    expect(log.rest()).toBeGreaterThan(1);
    expect(log.holds('anna-smith')).toBe(false);
    expect(log.outputs).toBe(outputs);
    expect(log.restored()).toBe(KEYS);
    expect(log.task.counters).toMatchObject({ erasures: 1 });
  });

  test('[E1] goes from a log in which nothing else lives, and where the key is not known any more', () => {
    const log = new Log();
    log.take({ key: 'anna-smith', value: '' }).commit();
    log.take({ key: 'anna-smith', value: null }).commit();
    expect(log.holds('anna-smith')).toBe(true);
    log.take({ key: 'anna-smith', value: null, headers: [ERASE] });
    expect(log.rest()).toBeLessThan(5);
    expect(log.holds('anna-smith')).toBe(false);
    expect(log.restored()).toBe(0);
  });

  test('[E1] is asked for again and again, and the log still comes to rest', () => {
    const log = new Log();
    log.take(...heartbeats('x'.repeat(40), 4_000)).commit();
    for (let i = 0; i < 30; i += 1) {
      log.take({ key: `key-${i}.`, value: null, headers: [ERASE] });
      log.commit();
    }
    expect(log.rest()).toBeLessThan(30);
    for (let i = 0; i < 30; i += 1) expect(log.holds(`key-${i}.`)).toBe(false);
    expect(log.restored()).toBe(4_000 - 30);
  });

  test('[E1][K1] does not take the settings of the commits with it', () => {
    const log = new Log('{"timeoutMs":7}');
    log.take(...heartbeats('')).commit();
    log.take({ key: 'key-7.', value: null, headers: [ERASE] });
    log.rest();
    expect(log.left.flatMap(({ header }) => header.settings ?? [])).toMatchObject([{ text: '{"timeoutMs":7}' }]);
    expect(log.left[0]!.header.inputs[0]!.position).toBe(KEYS + 1);
  });

  test('[E1][I1] an act with a value is refused, and changes nothing', () => {
    const log = new Log();
    log.take({ key: 'anna-smith', value: '' });
    log.take({ key: 'anna-smith', value: 'x', headers: [ERASE] });
    const { deadLetters } = log.commit();
    expect(deadLetters).toMatchObject([{ reason: 'invalid-command' }]);
    expect(log.task.hasUncut).toBe(false);
    expect(log.restored()).toBe(1);
  });
});
