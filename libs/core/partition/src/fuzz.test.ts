// Changelog blocks and entry images, damaged (F14). `npm run fuzz` runs more of it.
import { describe, expect, test } from '@jest/globals';
import { ByteWriter, MalformedBytes } from '@flatline/base';
import { fuzz } from '@flatline/base/fuzz';
import { sessionFormat } from '@flatline/kinds/session';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import { decodeBlock, OP_BASED, OP_REBIND } from './changelog/block-format.ts';
import { Changelog } from './changelog/changelog.ts';
import { Checkpoints } from './checkpoint/checkpoints.ts';
import { EntryTable } from './entries/entry-table.ts';
import { encodeClaim, NO_BATCH, PartitionTask, Restoration } from './index.ts';
import { applyBlock, begin, bytes, insertKey, ListCursor, options, type TestRecord } from './task.fixture.ts';

const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
const { changelog: LIMITS, blockMemory: NO_MEMORY } = options();

/** A task that has seen bare heartbeats, events with details, and ends. */
function busyTask(): PartitionTask {
  const decode = (_bytes: Uint8Array, start: number, _length: number, target: SessionEvent): { kind: 'event' } => {
    Object.assign(target, blankEvent(), {
      type: `T${start % 3}`,
      eventId: `e${start}`,
      sequence: start,
      timeoutMs: 7e5,
    });
    target.attributes = new Map([['country', 'NL']]);
    return { kind: 'event' };
  };
  const task = new PartitionTask(options({ decoder: { decode, prepare: () => Promise.resolve() } }));
  begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  const records = Array.from({ length: 40 }, (_, offset): TestRecord => ({
    offset,
    timestamp: 1_700_000_000_000 + offset,
    key: `key-${'x'.repeat(offset % 7)}${offset % 12}`,
    value: offset % 3 === 0 ? 'event' : '',
  }));
  task.step(new ListCursor(records), 1e6, 2e12);
  return task;
}

/** A task of two inputs, with early data. */
function severalInputs(): PartitionTask {
  const { input, decoder } = options();
  const decode = (_bytes: Uint8Array, _start: number, _length: number, target: SessionEvent): { kind: 'event' } => {
    Object.assign(target, blankEvent(), { attributes: new Map([['plan', 'pro']]) });
    return { kind: 'event' };
  };
  const inputs = [
    { decoder, touches: true, unknownKey: 'open' as const, holdMs: 0 },
    { decoder: { ...decoder, decode }, touches: false, unknownKey: 'hold' as const, holdMs: 9_000 },
  ];
  const task = new PartitionTask(options({ inputs, furtherInputs: [input] }));
  const start = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
  begin(task, 0, [start, start]);
  const row = new ListCursor([{ offset: 3, timestamp: 1_700_000_000_000, key: 'k', value: 'row' }]);
  const beat = new ListCursor([{ offset: 7, timestamp: 1_700_000_000_001, key: 'beat', value: '' }]);
  task.stepMerged([beat, row], 10, 2e12);
  return task;
}

/** A task with evictions under way. */
function evicting(): PartitionTask {
  const task = busyTask();
  const headers = [{ name: 'flatline-command', value: bytes('EVICT') }];
  const acts = ['NL', 'BE', 'é'].map((equals, i): TestRecord => {
    const value = JSON.stringify({ attribute: 'country', equals });
    return { offset: 60 + i, timestamp: 1_700_000_000_100, key: null, value, headers };
  });
  task.step(new ListCursor(acts), 10, 2e12);
  return task;
}

function blocks(): Uint8Array[] {
  const task = busyTask();
  const context = { logId: 'log', owner: 'me', previousCommitId: '', inputPartitions: 4 };
  const first = task.cut({ ...context, commitId: 'run-1', sequence: 0 });
  task.settle(
    first,
    first.blocks.map((_, i) => i),
  );
  const ends = Array.from({ length: 5 }, (_, i): TestRecord => ({
    offset: 50 + i,
    timestamp: 1_700_000_000_100,
    key: `key-${'x'.repeat(i)}${i}`,
    value: null,
  }));
  task.step(new ListCursor(ends), 1e6, 2e12);
  const second = task.cut({ ...context, commitId: 'run-2', sequence: 1, previousCommitId: 'run-1' });
  const claim = encodeClaim({ owner: 'me', claimId: 'c-1' });
  const adopted = new PartitionTask(options());
  begin(adopted, 0, { position: 9, checksum: 7, leaderEpoch: 1, batchTimestamp: 5, live: false, origin: 9 });
  const third = adopted.cut({ ...context, commitId: 'run-3', sequence: 0 });
  const fourth = severalInputs().cut({ ...context, commitId: 'run-4', sequence: 0 });
  const fifth = evicting().cut({ ...context, commitId: 'run-5', sequence: 0 });
  const cuts = [first, second, third, fourth, fifth];
  return [claim, ...cuts.flatMap((cut) => cut.blocks).map((block) => block.bytes)];
}

/** Commits of a session of several pages: its base, and a head that keeps them. */
function longCommits(): readonly (readonly Uint8Array[])[] {
  let timeoutMs = 7e5;
  const decode = (_bytes: Uint8Array, _start: number, _length: number, target: SessionEvent): { kind: 'event' } => {
    timeoutMs += 1;
    Object.assign(target, blankEvent(), { type: 'T', timeoutMs, attributes: new Map([['text', 'x'.repeat(20_000)]]) });
    return { kind: 'event' };
  };
  const rules = { ...options().rules, maxAttributeBytes: 50_000 };
  const changelog = { ...LIMITS, blockBytesMax: 1e6 };
  const task = new PartitionTask(options({ rules, changelog, decoder: { decode, prepare: () => Promise.resolve() } }));
  begin(task, 0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  return [0, 1].map((sequence) => {
    const record = { offset: sequence, timestamp: 1_700_000_000_000, key: 'k', value: 'event' };
    task.step(new ListCursor([record]), 1, 2e12);
    const ids = { logId: 'log', owner: 'me', commitId: `c-${sequence}`, previousCommitId: sequence === 0 ? '' : 'c-0' };
    const cut = task.cut({ ...ids, sequence, inputPartitions: 4 });
    const written = cut.blocks.map((block) => block.bytes.slice());
    task.settle(
      cut,
      written.map((_, part) => 10 * sequence + part),
    );
    return written;
  });
}

function refuses(decode: () => void): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
  }
}

function emptyRestoration(): { readonly table: EntryTable; readonly restoration: Restoration } {
  const table = new EntryTable(1, sessionFormat);
  const changelog = new Changelog(table, LIMITS, NO_MEMORY);
  const checkpoints = new Checkpoints(table, changelog, options().takenRowBytesMax);
  return { table, restoration: new Restoration(table, changelog, checkpoints) };
}

describe('[F14] a damaged changelog', () => {
  test('[F14][K9] blocks: each is applied, or refused as malformed or as breaking the chain', () => {
    const corpus = blocks();
    const feed = (damaged: Uint8Array): void => {
      const { restoration } = emptyRestoration();
      refuses(() => applyBlock(restoration, damaged, 0));
    };
    fuzz({ name: 'partition/session', corpus, regressions, feed }, 15_000);
  });

  test('[F14] what goes on from an entry of several pages, or says where its base is', () => {
    const [base, rebound] = longCommits() as [readonly Uint8Array[], readonly Uint8Array[]];
    const block = decodeBlock(rebound[0]!);
    expect([rebound.length, block.kind === 'state' && rebound[0]![block.bodyStart]]).toEqual([1, OP_REBIND]);
    const corpus = [
      rebound[0]!,
      Uint8Array.from([...rebound[0]!, OP_BASED, 10]),
      Uint8Array.from([...rebound[0]!, OP_BASED, 0]),
    ];
    const feed = (damaged: Uint8Array): void => {
      const { table, restoration } = emptyRestoration();
      base.forEach((block, offset) => applyBlock(restoration, block, offset));
      expect(table.size).toBe(1);
      refuses(() => applyBlock(restoration, damaged, 10));
    };
    for (const whole of corpus) feed(whole);
    fuzz({ name: 'partition/long', corpus, regressions, feed }, 3_000);
  });

  test('[F14] entry images', () => {
    const { table } = busyTask();
    const entry = table.view();
    const corpus = Array.from({ length: table.slotsEnd }, (_, slot) => {
      const out = new ByteWriter();
      table.format.encode(entry.at(slot), out);
      return out.copy();
    });
    const target = new EntryTable(1, sessionFormat);
    const key = bytes('k');
    const view = target.view().at(insertKey(target, key));
    const feed = (damaged: Uint8Array): void => {
      refuses(() => {
        target.format.decode(damaged, 0, damaged.length, view);
      });
    };
    fuzz({ name: 'partition/image', corpus, regressions, feed }, 5_000);
  });
});
