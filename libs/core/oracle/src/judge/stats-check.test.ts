import { expect, test } from '@jest/globals';
import type { LogPart, OutputRecord } from '../logs/history.ts';
import type { ExpectedStats } from '../rules/statistics/naive-stats.ts';
import { exactSketch, formerSketch } from '../rules/statistics/exact-sketch.ts';
import { Feed } from './feed.ts';
import { Place } from './place.ts';
import { Findings } from './report.ts';
import { StatsCheck } from './stats-check.ts';
import { TransactionWalk } from './transaction-walk.ts';

const COUNTS = new Map([
  [300, 2],
  [301, 5],
]);
const OTHERS = new Map([...COUNTS, [301, 4]]);
const expected: ExpectedStats = {
  key: 'w',
  fields: { opened: 7, duration: { count: 7, sketch: exactSketch(0, COUNTS) } },
  formerSketch: formerSketch(0, COUNTS),
};

/** Returns what is wrong with one record that says that sketch, as JSON has it or as Avro does. */
async function findingsOf(sketch: unknown): Promise<readonly string[]> {
  const findings = new Findings();
  const place = new Place('out.stats', 0, findings);
  const record: OutputRecord = {
    offset: 0,
    timestamp: 0,
    logAppendTime: true,
    key: new TextEncoder().encode('w'),
    value: new Uint8Array(0),
    incarnation: undefined,
    summary: { opened: 7, duration: { count: 7, sketch } },
  };
  const batch = { producerId: 1, producerEpoch: 0, transactional: true, marker: undefined };
  const batches = [{ ...batch, baseOffset: 0, lastOffset: 0 }];
  const parts: LogPart<OutputRecord>[] = [{ records: [record], batches }];
  const read = (): Promise<LogPart<OutputRecord> | undefined> => Promise.resolve(parts.pop());
  const source = { topic: 'out.stats', logStart: 0, read, hanging: () => Promise.resolve([]) };
  const feed = new Feed<OutputRecord>(source, new TransactionWalk(place));
  const check = new StatsCheck(place, feed, { isWhole: true, decidedBelow: Infinity });
  await check.check([expected], []);
  await check.finish();
  return findings.report().violations.map(({ rule, what }) => `${rule} ${what}`);
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

test('[S12] [K9] a sketch is judged in the form in which it was said', async () => {
  for (const form of [exactSketch, formerSketch]) {
    expect(await findingsOf(form(0, COUNTS))).toEqual([]);
    expect(await findingsOf(base64(form(0, COUNTS)))).toEqual([]);
    for (const other of [form(1, COUNTS), form(0, OTHERS), form(0, new Map())]) {
      const [found, ...rest] = await findingsOf(base64(other));
      expect(found).toMatch(/^S12 says otherwise: duration is/);
      expect(rest).toEqual([]);
    }
  }
});

test('[S12] what is neither form is none of both', async () => {
  const [sound, former] = [exactSketch(0, COUNTS), formerSketch(0, COUNTS)];
  const mixed = [Uint8Array.of(5, ...sound.subarray(1)), Uint8Array.of(133, ...former.subarray(1))];
  for (const sketch of [...mixed, Uint8Array.of(...former, 0), new Uint8Array(0), undefined, 'no base64'])
    expect(await findingsOf(sketch)).toHaveLength(1);
});
