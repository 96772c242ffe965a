import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { type BrokerState, decodeState, encodeState, readState, stateFileOf, writeState } from './broker-state.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const state: BrokerState = {
  bootstrap: '127.0.0.1:9092',
  ports: [9092],
  registryUrl: 'http://127.0.0.1:8081/apis/ccompat/v7',
  source: 'java',
  mode: 'detached',
  supervisor: { pid: 7, startedAt: 'boot/100' },
  processes: [
    { name: 'node-1', identity: { pid: 8, startedAt: 'boot/101' } },
    { name: 'registry', identity: undefined },
  ],
};

describe('a state file', () => {
  test('gives back what was written', () => {
    const dataDir = temporaryFolder();
    writeState(dataDir, state);
    expect(readState(dataDir)).toEqual({ form: 1, ...state });
  });

  test('that is not there, cut off or foreign is no state', () => {
    const dataDir = temporaryFolder();
    expect(readState(dataDir)).toBeUndefined();
    const text = encodeState(state);
    for (let length = 0; length < text.trimEnd().length; length += 1)
      expect(decodeState(text.slice(0, length))).toBeUndefined();
    writeFileSync(stateFileOf(dataDir), '[]');
    expect(readState(dataDir)).toBeUndefined();
  });

  test.each([
    ['form', 2],
    ['supervisor', { pid: '7', startedAt: 'boot/100' }],
    ['supervisor', { pid: 7 }],
    ['ports', ['9092']],
    ['processes', [{ name: 'node-1', identity: { pid: 8.5, startedAt: 'boot/101' } }]],
    ['mode', 'forever'],
    ['source', 'environment'],
  ])('with %s = %j is no state: a wrong pid must never be signalled', (field, value) => {
    const parsed = JSON.parse(encodeState(state)) as object;
    expect(decodeState(JSON.stringify(parsed))).toBeDefined();
    expect(decodeState(JSON.stringify({ ...parsed, [field]: value }))).toBeUndefined();
  });
});
