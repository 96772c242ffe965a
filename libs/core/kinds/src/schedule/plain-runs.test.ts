import { describe, expect, test } from '@jest/globals';
import { ByteWriter, ReusedMemory, utf8Of } from '@flatline/base';
import { type PackedRecord, RecordPacker } from '@flatline/ports';
import { messageIn, ONCE } from '@flatline/schedules';
import type { Effects } from '../contract.ts';
import { spanOf } from '../state-bytes.ts';
import { PlainRuns } from './plain-runs.ts';
import { type Schedule, schedulesIn, stateOf } from './schedule-state.ts';

const KEY = utf8Of('k');
const DUE: Schedule = {
  id: 'name',
  offset: 300,
  dueAt: 1_800_000_000_000,
  shiftMs: 0,
  runs: 0,
  missed: 0,
  madeUp: 0,
  paused: false,
  parked: false,
  when: ONCE,
  target: undefined,
  message: message(),
};

/** Two headers, one of them without a value, before the value. */
function message(): Uint8Array {
  const out = new ByteWriter(100);
  out.varint(2);
  out.text('trace');
  out.varint('one'.length + 1);
  out.raw(utf8Of('one'));
  out.text('none');
  out.varint(0);
  out.raw(utf8Of('value'));
  return Uint8Array.from(out.peek());
}

/** Returns what is said of a state; undefined: it is left. */
function saidOf(state: Uint8Array, at = DUE.dueAt): PackedRecord | undefined {
  const packer = new RecordPacker(new ReusedMemory(0));
  const effects: Pick<Effects, 'record' | 'recorded'> = {
    record: (bytes, headers) => {
      packer.begin(0, KEY.length + bytes, headers);
      packer.part(KEY, 0, KEY.length);
      return packer;
    },
    recorded: () => {
      packer.end();
    },
  };
  const isMade = new PlainRuns(3).make(spanOf(state), at, effects as Effects);
  const all = [...packer.takeAll()];
  expect(all).toHaveLength(isMade ? 1 : 0);
  return all[0];
}

function bytesOf(...schedules: readonly Schedule[]): Uint8Array {
  return Uint8Array.from(stateOf(schedules).bytes);
}

describe('plain runs', () => {
  test('[D1] say what they are, with the message as it came', () => {
    const said = saidOf(bytesOf(DUE))!;
    const text = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes);
    expect([text(said.key), text(said.value)]).toEqual(['k', 'value']);
    expect(said.headers!.map(({ name, value }) => [name, text(value)])).toEqual([
      ['trace', 'one'],
      ['none', null],
      ['flatline-due-at', '1800000000000'],
      ['flatline-schedule', '3-300'],
      ['flatline-schedule-id', 'name'],
      ['flatline-run', '1'],
      ['flatline-last', 'true'],
    ]);
  });

  test.each<[string, readonly Schedule[]]>([
    ['that is not due', [{ ...DUE, dueAt: DUE.dueAt + 1 }]],
    ['beside another', [DUE, { ...DUE, id: 'other' }]],
    ['that has run', [{ ...DUE, runs: 1 }]],
    ['that recurs', [{ ...DUE, when: { ...ONCE, everyMs: 5 } }]],
    ['that expires', [{ ...DUE, when: { ...ONCE, expiresMs: 5 } }]],
    ['that is paused', [{ ...DUE, paused: true }]],
    ['that has a target', [{ ...DUE, target: 'mail' }]],
    ['that is none', []],
  ])('[D1] are not made of one %s', (_, schedules) => {
    expect(saidOf(bytesOf(...schedules))).toBeUndefined();
  });

  test('[I6] are not made of a state that breaks off: whoever reads all of it says so', () => {
    const out = new ByteWriter(100);
    const whole = bytesOf(DUE);
    const outcomes = Array.from(whole.subarray(1), (_, length) => {
      out.clear();
      out.block(whole, 1, length);
      const state = Uint8Array.from(out.peek());
      return { isMade: saidOf(state) !== undefined, isSound: isSound(state) };
    });
    expect(outcomes.filter(({ isMade, isSound: sound }) => isMade !== sound)).toEqual([]);
    // The value alone may be shorter.
    expect(outcomes.filter(({ isSound: sound }) => sound)).toHaveLength(5);
  });
});

function isSound(state: Uint8Array): boolean {
  try {
    schedulesIn(spanOf(state)).map(({ message }) => messageIn(message));
    return true;
  } catch {
    return false;
  }
}
