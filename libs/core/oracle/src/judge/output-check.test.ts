import { expect, test } from '@jest/globals';
import type { LogPart, OutputRecord } from '../logs/history.ts';
import { DelayCauses } from './delay-cause.ts';
import { Feed } from './feed.ts';
import { readingOf } from './kinds.ts';
import { OutputCheck } from './output-check.ts';
import { Place } from './place.ts';
import { Findings } from './report.ts';
import { blankReach } from './reach.ts';
import { TransactionWalk } from './transaction-walk.ts';
import { RULES } from '../rules/session/rules.fixture.ts';

const RECORDS = 200;
const key = new TextEncoder().encode('k');

function check(): OutputCheck {
  const findings = new Findings();
  const place = new Place('out', 0, findings);
  const records = Array.from({ length: RECORDS }, (_, offset): OutputRecord => ({
    offset,
    timestamp: 0,
    logAppendTime: true,
    key,
    value: key,
    incarnation: undefined,
    summary: { incarnation: `0-${offset}` },
  }));
  const batch = { producerId: 1, producerEpoch: 0, transactional: true, marker: undefined };
  let part: LogPart<OutputRecord> | undefined = {
    records,
    batches: [{ ...batch, baseOffset: 0, lastOffset: RECORDS - 1 }],
  };
  const read = (): Promise<typeof part> => {
    const next = part;
    part = undefined;
    return Promise.resolve(next);
  };
  const source = { topic: 'out', logStart: 0, read, hanging: () => Promise.resolve([]) };
  return new OutputCheck({
    place,
    feed: new Feed<OutputRecord>(source, new TransactionWalk(place)),
    reading: readingOf(0, RULES, blankReach()),
    findings,
    delayCauses: new DelayCauses(),
    isWhole: true,
    decidedBelow: Infinity,
    rules: RULES,
    settingsVary: false,
  });
}

test('[V1] a transaction whose records come to stand one after another is looked through once', async () => {
  const output = check();
  let looks = 0;
  let standing = 0;
  const stands = (_name: string, id: string): boolean => {
    looks += 1;
    return Number(id.slice(2)) < standing;
  };
  for (; standing < RECORDS; standing += 1) await output.follow([RECORDS], stands, () => undefined);
  expect(looks).toBeLessThanOrEqual(2 * RECORDS);
  // Records that stood may no longer do so.
  looks = 0;
  standing = 0;
  output.rulesChanged();
  await output.follow([RECORDS], stands, () => undefined);
  expect(looks).toBe(1);
  standing = RECORDS;
  await output.follow([RECORDS], stands, () => undefined);
  expect(looks).toBe(1 + RECORDS);
});
