// The bytes of blocks, which other processes read.
import { describe, expect, test } from '@jest/globals';
import { ByteReader } from '@flatline/base';
import { readEvictions } from '@flatline/kinds';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { builtInReducer, StateReducer } from '@flatline/kinds/reducing';
import { begin, ListCursor, options, text } from '../task.fixture.ts';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import { decodeBlock, encodeClaim } from './block-format.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const context = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };

function begun(): PartitionTask {
  const task = new PartitionTask(options());
  begin(task, 0, START);
  return task;
}

const EVENTS = [
  { type: 'VIEW', sequence: 7, source: 'web' },
  { type: 'VIEW', sequence: 3, source: 'api', attributes: new Map([['page', '/']]) },
  { type: 'VIEW', sequence: 9, source: 'web' },
];

/** A task with a session of two sources, of which one lacks a sequence; and one of another key that beats twice. */
function sourced(rules = options().rules, beating?: string): PartitionTask {
  let next = 0;
  const decode = (_bytes: Uint8Array, _start: number, _length: number, target: SessionEvent): { kind: 'event' } => {
    Object.assign(target, blankEvent(), EVENTS[next++]);
    return { kind: 'event' };
  };
  const task = new PartitionTask(options({ rules, decoder: { decode, prepare: () => Promise.resolve() } }));
  begin(task, 0, START);
  const timestamp = 1_700_000_000_000;
  const records = EVENTS.map((_, offset) => ({ offset, timestamp, key: 'k', value: 'event' }));
  if (beating !== undefined)
    records.push(
      ...[3, 4].map((offset) => ({ offset, timestamp: timestamp + (offset - 3) * 900, key: beating, value: '' })),
    );
  task.step(new ListCursor(records), 10, 9e12);
  return task;
}

describe('[K1] the block format', () => {
  test('[K9][Q4] golden bytes with an eviction under way', () => {
    const task = begun();
    const said = Buffer.from('{"attribute":"gateway","equals":"g7"}').toString();
    const command = { name: 'flatline-command', value: Buffer.from('EVICT') };
    const records = [
      { offset: 41, timestamp: 1_700_000_000_000, key: 'k', value: '' },
      { offset: 42, timestamp: 1_700_000_000_500, key: null, value: said, headers: [command] },
    ];
    task.step(new ListCursor(records), 10, 9e12);
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460508036c6f67026d650572756e2d310000000104012b1204000008e8a7abfef96200f4d395ffbc31000001d5763e3d140000000000130107676174657761790267372af4d395ffbc3101016b0d0080d095ffbc3100290001e807"`,
    );
    const decoded = decodeBlock(block!.bytes);
    if (decoded.kind !== 'state') throw new Error('it is a commit');
    expect(decoded.header).toMatchObject({ clock: 1_700_000_000_500, liveEntries: 1 });
    expect(decoded.header).not.toHaveProperty('kept');
    expect(readEvictions(new ByteReader(decoded.header.evictions!))).toMatchObject([
      { attribute: 'gateway', equals: 'g7', place: 42, at: 1_700_000_000_500 },
    ]);
  });

  test('[K9] golden bytes of version 2', () => {
    const task = begun();
    const records = [
      { offset: 41, timestamp: 1_700_000_000_000, key: 'k', value: '' },
      { offset: 42, timestamp: 1_700_000_000_500, key: 'second', value: '' },
    ];
    task.step(new ListCursor(records), 10, 9e12);
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460201036c6f67026d650572756e2d310000000104012b1204000008e8a7abfef96200f4d395ffbc31000002da26631e2d0001016b0d0080d095ffbc3100290001e80711067365636f6e640d00f4d395ffbc31002a0001e807"`,
    );
    const decoded = decodeBlock(block!.bytes);
    expect(decoded).toMatchObject({
      kind: 'state',
      header: { ...context, part: 0, parts: 1, liveEntries: 2, clock: 1_700_000_000_500 },
    });
  });

  test('[K9] golden bytes of an application that did not begin at 0', () => {
    const task = new PartitionTask(options());
    begin(task, 0, { ...START, position: 300, origin: 300 });
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460204036c6f67026d650572756e2d31000000010401ac020000000003000000000000000000000000ac0200"`,
    );
    const decoded = decodeBlock(block!.bytes);
    if (decoded.kind !== 'state') throw new Error('it is a commit');
    expect(decoded.header.inputs).toEqual([{ ...START, position: 300, origin: 300 }]);
    expect(decoded.bodyStart).toBe(block!.bytes.length);
  });

  test('[K9] golden bytes of version 3: a commit that says by which settings this one and others were made', () => {
    const task = new PartitionTask(options({ changelog: { ...options().changelog, settings: '{"timeoutMs":1000}' } }));
    begin(task, 0, { ...START, position: 300, origin: 300 });
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460305036c6f67026d650572756e2d31000000010401ac020000000003000000000000000000000000ac02000100ac02127b2274696d656f75744d73223a313030307d"`,
    );
    const decoded = decodeBlock(block!.bytes);
    if (decoded.kind !== 'state') throw new Error('it is a commit');
    expect(decoded.header.settings).toEqual([{ sequence: 0, from: 300, text: '{"timeoutMs":1000}' }]);
    expect(decoded.bodyStart).toBe(block!.bytes.length);
  });

  test('[K9][S5] golden bytes of version 4: a session with sources', () => {
    const task = sourced();
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460401036c6f67026d650572756e2d3100000001040103ea0300000880a0abfef9620080d095ffbc310000015c24ad3a710001016b1c0280d095ffbc3100000203e8070580a0abfef96280a0abfef962000002004805000080330000003a00000032000000000203617069030001000000000000000100037765620702050000000000000002000001045649455703010470616765012f80a0abfef962"`,
    );
    expect(decodeBlock(block!.bytes)).toMatchObject({ kind: 'state', header: { ...context, liveEntries: 1 } });
  });

  test('[K9][C7] golden bytes of version 5: a key with three open sessions, the first absorbed another, the last has ended', () => {
    const rules = { ...options().rules, graceMs: 10_000 };
    const task = new PartitionTask(options({ rules, input: { ...options().input, timestampType: 'CreateTime' } }));
    begin(task, 0, START);
    const times = [0, 1_500, 900, 4_000, 8_000, 8_001];
    const records = times.map((time, offset) => ({
      offset,
      timestamp: 1_700_000_000_000 + time,
      key: 'k',
      value: offset === 5 ? null : '',
      logAppendTime: false,
    }));
    task.step(new ListCursor(records), 10, 9e12);
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460501036c6f67026d650572756e2d3100000001040106ed03000008829dacfef96200c18e96ffbc3100000148c8771c91010001016b1d0280d095ffbc31dc0b000203e8070880a0abfef962b8b7abfef962000102006763000000000101021c02a0ef95ffbc3100030001e80700c0deabfef962c0deabfef96200004103c08e96ffbc31010401020009809dacfef962829dacfef96200000c00000001e80700829dacfef9620000000000000d00000015000000000105454e4445440100"`,
    );
    expect(decodeBlock(block!.bytes)).toMatchObject({ kind: 'state', header: { ...context, liveEntries: 1 } });
  });

  test('[K9][S11] golden bytes of version 5: a session that was told of, and one with a source besides', () => {
    const task = sourced({ ...options().rules, updateIntervalMs: 500 }, 'told');
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460501036c6f67026d650572756e2d3100000001040105ec0300000888aeabfef9620084d795ffbc31000002b1daff46c1010001016b1c0280d095ffbc3100000203e8070580a0abfef96280a0abfef9620000020050050000803b000000420000003a0000800068e5cf8b010000000203617069030001000000000000000100037765620702050000000000000002000001045649455703010470616765012f80a0abfef9621104746f6c641d0280d095ffbc318407030102e8070180a0abfef96288aeabfef962000002001b00000080190000001a00000018000080846be5cf8b010000000000"`,
    );
    expect(decodeBlock(block!.bytes)).toMatchObject({ kind: 'state', header: { ...context, liveEntries: 2 } });
  });

  test('[K9][S10] golden bytes of version 5: what a session came to, alone, with texts, and of two open sessions of a key', () => {
    const builtIn = { s: { sum: '/n' }, l: { last: '/v' }, d: { set: { field: '/v', max: 2 } } };
    const reducer = new StateReducer({ reducer: builtInReducer(builtIn), builtIn });
    const decode = (all: Uint8Array, start: number, length: number, target: SessionEvent): { kind: 'event' } => {
      Object.assign(target, blankEvent(), JSON.parse(text(all.subarray(start, start + length))));
      return { kind: 'event' };
    };
    const fields = (all: Uint8Array, start: number, length: number): Record<string, unknown> =>
      JSON.parse(text(all.subarray(start, start + length))) as Record<string, unknown>;
    const rules = { ...options().rules, graceMs: 10_000, reducer };
    const input = { ...options().input, timestampType: 'CreateTime' as const };
    const decoder = { decode, fields, prepare: () => Promise.resolve() };
    const task = new PartitionTask(options({ rules, input, decoder }));
    begin(task, 0, START);
    const values = [
      ['alone', 0, '{"n":0.1,"v":"a"}'],
      ['alone', 1, '{"n":1e16,"v":true}'],
      ['typed', 2, '{"type":"VIEW","n":2}'],
      ['two', 3, '{"v":1}'],
      ['two', 5_000, '{"type":"VIEW","v":2}'],
    ] as const;
    const records = values.map(([key, time, value], offset) => {
      return { offset, timestamp: 1_700_000_000_000 + time, key, value, logAppendTime: false };
    });
    task.step(new ListCursor(records), 10, 9e12);
    const [block] = task.cut(context).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460501036c6f67026d650572756e2d3100000001040105ec0300000890eeabfef9620088f795ffbc31000003fa15bbbc8003000105616c6f6e651c0280d095ffbc3101000102e8071080a0abfef96282a0abfef962000002003b37000000241e0d43040080e03779c341439a9999999999b93f000402000182a0abfef962020404026180a0abfef96200000182a0abfef962020000110574797065641c0282d095ffbc3100020001e8071184a0abfef96284a0abfef962000002002b12000000241e0d430200000000000000400002000000000000000d00000014000000000104564945570100110374776f1c0283d095ffbc3100030001e8071886a0abfef96286a0abfef962000002009501630000000000015f0288f795ffbc3100040001e8071190eeabfef96290eeabfef96200002a000000241e0d4300000202000000000000004090eeabfef962080202000000000000004090eeabfef962080000000000000d000000140000000001045649455701002a000000241e0d4300000202000000000000f03f86a0abfef962060202000000000000f03f86a0abfef962060000"`,
    );
    expect(block!.bytes[1]).toBe(5);
    expect(decodeBlock(block!.bytes)).toMatchObject({ kind: 'state', header: { ...context, liveEntries: 3 } });
  });

  test('[K9][S5] what comes once a session with sources is gone is of a former version', () => {
    const task = sourced();
    task.settle(task.cut(context), [0]);
    task.step(new ListCursor([{ offset: 3, timestamp: 1_700_000_000_000, key: 'k', value: null }]), 10, 9e12);
    const [block] = task.cut({ ...context, commitId: 'run-2', sequence: 1, previousCommitId: 'run-1' }).blocks;
    expect(block!.bytes[1]).toBe(2);
  });

  test('[K9][S9] golden bytes of version 5: a closed session that was revised, and waits', () => {
    const rules = {
      ...options().rules,
      timeoutMs: 1_000,
      graceMs: 500,
      late: 'revise',
      revisionWindowMs: 60_000,
    } as const;
    const task = new PartitionTask(options({ rules, input: { ...options().input, timestampType: 'CreateTime' } }));
    begin(task, 0, START);
    const times = [0, 2_000, 300];
    const records = times.map((time, offset) => ({
      offset,
      timestamp: 1_700_000_000_000 + time,
      key: offset === 1 ? 'other' : 'k',
      value: '',
      logAppendTime: false,
    }));
    task.step(new ListCursor(records), 10, 9e12);
    const cut = task.cut(context);
    expect(cut.outputs.packed).toHaveLength(2);
    const [block] = cut.blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460501036c6f67026d650572756e2d3100000001040103ea03000008d8a4abfef96200d0df95ffbc31000002b9218df84f0001016b1c0a80d095ffbc31dc0b000202000880a0abfef962d8a4abfef962000002000e0a000000000000e012e80700000111056f746865720d00d0df95ffbc3100010001e807"`,
    );
    expect(decodeBlock(block!.bytes)).toMatchObject({ kind: 'state', header: { ...context, liveEntries: 2 } });
  });

  test('[K9] golden bytes of version 5: several inputs, and early data of a session that has not come', () => {
    const { input, decoder: first } = options();
    const decode = (_bytes: Uint8Array, _start: number, _length: number, target: SessionEvent): { kind: 'event' } => {
      Object.assign(target, blankEvent(), { attributes: new Map([['plan', 'pro']]) });
      return { kind: 'event' };
    };
    const inputs = [
      { decoder: first, touches: true, unknownKey: 'open' as const, holdMs: 0 },
      {
        decoder: { decode, prepare: () => Promise.resolve() },
        touches: false,
        unknownKey: 'hold' as const,
        holdMs: 9_000,
      },
    ];
    const task = new PartitionTask(options({ inputs, furtherInputs: [input] }));
    begin(task, 0, [START, { ...START, position: 300, origin: 300 }]);
    const beats = new ListCursor([
      { offset: 41, timestamp: 1_700_000_000_000, key: 'beats', value: '' },
      { offset: 42, timestamp: 1_700_000_001_000, key: 'beats', value: '' },
    ]);
    const table = new ListCursor([{ offset: 301, timestamp: 1_700_000_000_500, key: 'k', value: 'row' }]);
    expect(task.stepMerged([beats, table], 10, 9e12)).toMatchObject({ kind: 'of', input: 1 });
    const [block] = task.cut({ ...context, inputPartitions: 4 }).blocks;
    expect(Buffer.from(block!.bytes).toString('hex')).toMatchInlineSnapshot(
      `"460506036c6f67026d650572756e2d310000000104022a110400000880a0abfef96200ae021505000008e8a7abfef96200f4d395ffbc31000002e41de9935f0000ac0280d095ffbc31f4d395ffbc310000010562656174730d0080d095ffbc3100290001e80711016b1c06f4d395ffbc3100000001a84601e8a7abfef962e8a7abfef962000002001e070000000d0000000e00000000000104706c616e0370726fe8a7abfef962"`,
    );
    const decoded = decodeBlock(block!.bytes);
    if (decoded.kind !== 'state') throw new Error('it is a commit');
    const [t0, t1] = [1_700_000_000_000, 1_700_000_000_500];
    expect(decoded.header.inputs).toMatchObject([
      { position: 42, origin: 0, clock: t0 },
      { position: 302, origin: 300, clock: t1 },
    ]);
  });

  test('[K9] claims and commits are written in the format that is pinned, and in none that is not read', () => {
    const claim = { owner: 'me', claimId: 'c-1' };
    expect(encodeClaim(claim, 2)).toEqual(encodeClaim(claim));
    expect(() => encodeClaim(claim, 7)).toThrow('a changelog format that is written is one that is read');
    const pinned = (format: number): PartitionTask =>
      new PartitionTask(options({ changelog: { ...options().changelog, format } }));
    const tasks = [begun(), pinned(2), pinned(7)];
    for (const task of tasks.slice(1)) begin(task, 0, START);
    expect(tasks[1]!.cut(context).blocks).toEqual(tasks[0]!.cut(context).blocks);
    expect(() => tasks[2]!.cut(context)).toThrow('a changelog format that is written is one that is read');
  });

  test('[K9] another version stops the reader', () => {
    const [block] = begun().cut(context).blocks;
    block!.bytes[1] = 7;
    expect(() => decodeBlock(block!.bytes)).toThrow(
      'changelog format version 7, this build reads 2, 3, 4, 5 and 6: run the newer Flatline',
    );
    block!.bytes[1] = 1;
    expect(() => decodeBlock(block!.bytes)).toThrow(
      'changelog format version 1, this build reads 2, 3, 4, 5 and 6: no release wrote that',
    );
  });
});
