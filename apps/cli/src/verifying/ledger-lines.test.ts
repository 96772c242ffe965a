import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLedger } from './ledger-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-ledger-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const LINE = { sessionId: 'a', acknowledged: 3, duplicates: 0, ended: 'silence', longestGapMs: 5 };

describe('readLedger', () => {
  test('the lines of a fleet', () => {
    writeFileSync(
      join(folder, 'good.jsonl'),
      `${JSON.stringify(LINE)}\n${JSON.stringify({ ...LINE, sessionId: 'b' })}\n`,
    );
    expect(readLedger(folder, 'good.jsonl').map(({ sessionId }) => sessionId)).toEqual(['a', 'b']);
  });

  test.each([['not JSON'], ['null'], ['{"sessionId":"a"}'], ['[]']])('%s is refused with file and line', (line) => {
    writeFileSync(join(folder, 'bad.jsonl'), `${JSON.stringify(LINE)}\n${line}\n`);
    expect(() => readLedger(folder, 'bad.jsonl')).toThrow('--ledger bad.jsonl line 2 is not a line of a ledger');
  });

  test('[I4] a file that is not there is named, in words', () => {
    expect(() => readLedger(folder, 'none.jsonl')).toThrow('--ledger none.jsonl: there is no such file');
    expect(() => readLedger(folder, '.')).toThrow('--ledger .: it is a folder');
  });

  test('[I4] one without a line proves nothing, and is refused', () => {
    writeFileSync(join(folder, 'empty.jsonl'), '\n');
    expect(() => readLedger(folder, 'empty.jsonl')).toThrow('--ledger empty.jsonl: the ledger holds no sessions');
  });
});
