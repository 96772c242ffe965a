import { describe, expect, test } from '@jest/globals';
import type { LetterRecord, LogSource } from '../logs/history.ts';
import { Feed } from './feed.ts';
import { LetterCheck } from './letter-check.ts';
import { Place } from './place.ts';
import { Findings } from './report.ts';

const BAD = 'invalid-json';
const UNROUTABLE = 'unroutable';

interface Said {
  readonly topic: string;
  readonly offset: number;
  readonly reason: string;
}

/** Reads them beside two inputs, `beats` and `carts`, that are judged from there on. */
function checkOf(letters: readonly Said[], inputFrom: readonly [number, number] = [0, 0]) {
  const records = letters.map((subject, offset): LetterRecord => ({ offset, key: null, value: null, subject }));
  const parts = [{ records, batches: [] }];
  const read = () => Promise.resolve(parts.shift());
  const source: LogSource<LetterRecord> = { topic: 'dead', logStart: 0, read, hanging: () => Promise.resolve([]) };
  const findings = new Findings();
  const inputs = ['beats', 'carts'].map((topic, i) => ({ topic, logStart: inputFrom[i]! }));
  return { check: new LetterCheck(new Place('dead', 0, findings), new Feed(source), true, inputs), findings };
}

describe('[P3] the dead letter of an output', () => {
  const outputAt = (offset: number): Said => ({ topic: 'visits', offset, reason: UNROUTABLE });

  test('[P3] is read where the first input is empty, and keeps no letter behind it from being read', async () => {
    const { check, findings } = checkOf([outputAt(0), { topic: 'carts', offset: 3, reason: BAD }]);
    await check.read([0, 4]);
    expect(check.takeUnroutable()).toMatchObject({ offset: 0 });
    expect(await check.finish([0, 4])).toBe(0);
    // No record was bad.
    expect(findings.report().violations).toMatchObject([{ rule: 'I1', offset: 1 }]);
  });

  test('[P3] is read where its commit covers nothing that is judged of the first input', async () => {
    const { check } = checkOf([outputAt(3), outputAt(4)], [5, 0]);
    await check.read([5, 1]);
    expect(check.takeUnroutable()).toMatchObject({ offset: 1 });
    expect(check.takeUnroutable()).toBeUndefined();
  });

  test('[P3] waits for its commit', async () => {
    const { check } = checkOf([outputAt(0), outputAt(4)]);
    await check.read([4, 0]);
    expect(check.takeUnroutable()).toMatchObject({ offset: 0 });
    expect(check.takeUnroutable()).toBeUndefined();
    await check.read([5, 0]);
    expect(check.takeUnroutable()).toMatchObject({ offset: 1 });
  });
});
