import { expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import { letterLog, refused } from './letter-log.fixture.ts';
import { replayMark } from './letter.ts';
import { scanLetters } from './letter-scan.ts';
import { listedLetter } from './listed-letter.ts';
import { untilSettled } from './settled.ts';

const PLACE = { topic: 'dead', partition: 0 };
const RECORDS = [refused('a'), replayMark({ offset: 0 }, 1)];
const HELD = { lastStableOffset: 1, highWatermark: 2 };
const FREE = { lastStableOffset: 2, highWatermark: 2 };

/** Lets what is ready go on. */
const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

test('[I1] a mark behind an open transaction is waited for', async () => {
  const clock = new ManualClock();
  const log = letterLog(RECORDS, HELD, HELD, FREE);
  let isSettled = false;
  const settling = untilSettled(log, PLACE, { clock, withinMs: 1_000 }).then(() => (isSettled = true));
  await turn();
  expect(isSettled).toBe(false);
  clock.advance(500);
  await settling;
  const found = await scanLetters(log, PLACE, { from: (start) => start, keep: listedLetter, most: 1 });
  expect(found).toMatchObject([{ offset: 0, replays: 1 }]);
});

test('[I1] one that does not end in time is named with its partition, and what comes meanwhile is not waited for', async () => {
  const clock = new ManualClock();
  const growing = { lastStableOffset: 2, highWatermark: 9 };
  await untilSettled(letterLog(RECORDS, FREE, growing), PLACE, { clock, withinMs: 1_000 });
  const settling = untilSettled(letterLog(RECORDS, HELD), PLACE, { clock, withinMs: 0 });
  await expect(settling).rejects.toThrow(Retriable);
  await expect(settling).rejects.toThrow('dead-0 has an open transaction at offset 1');
});
