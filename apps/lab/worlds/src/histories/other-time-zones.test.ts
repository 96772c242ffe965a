// Runs computed by another version of the time-zone database than the checker's.
import { expect, test } from '@jest/globals';
import { headersOf, type HistorySubject, type RecordedPartition, schedules } from '@flatline/lab-kinds/histories';
import { type VerificationReport, verifyHistories } from '@flatline/oracle';
import type { SchedulePipelineRules } from '@flatline/oracle/anatomy';
import { historyOf, INPUT, record } from './recorded-history.fixture.ts';

const plain = schedules();
const plainRules = plain.rules;
const ours = plainRules.calendar;

/** Every third key's expressions are of a zone. */
const isZoned = (key: string): boolean => Number(key.slice(1)) % 3 === 0;

const subject: HistorySubject = {
  ...plain,
  producers: {
    act: (key, ...others) => {
      const act = plain.producers.act(key, ...others);
      const isCron = act.headers?.some(({ name }) => name === 'flatline-cron') === true;
      return isCron && isZoned(key)
        ? { ...act, headers: [...act.headers, ...headersOf({ 'time-zone': 'Europe/Berlin' })] }
        : act;
    },
  },
};

/** In a zone, leaves out every other instant. */
const calendar: SchedulePipelineRules['calendar'] = {
  ...ours,
  version: '2027a',
  next: (cron, zone, after) => {
    const first = ours.next(cron, zone, after);
    return zone === 'UTC' || first === undefined ? first : ours.next(cron, zone, first);
  },
};

const judge = (recorded: RecordedPartition): Promise<VerificationReport> =>
  verifyHistories([historyOf(recorded)], { rules: { ...plainRules, calendar }, inputTopic: INPUT });

test('[D3][V1][V4][V5] leave undecided what the keys of their zones show, and nothing else', async () => {
  const [recorded] = (await record({ seed: 3, subject })) as [RecordedPartition];
  const right = await judge(recorded);
  expect(right.violations).toEqual([]);
  expect(right.violationCount).toBe(0);
  expect(right.undecided).toContainEqual(
    expect.stringContaining('the time-zone database 2026z, this checker by 2027a'),
  );
  for (const zoned of [true, false]) {
    const changed = structuredClone(recorded);
    const at = changed.output.records.findIndex(
      ({ key, headers }) =>
        isZoned(new TextDecoder().decode(key)) === zoned && headers!.some(({ name }) => name === 'flatline-tz'),
    );
    const [lost] = changed.output.records.splice(at, 1);
    const { violations } = await judge(changed);
    const key = new TextDecoder().decode(lost!.key);
    const found = violations.map((each) => [each.rule, each.key]);
    if (zoned) expect(found).toEqual([]);
    else expect(found).toContainEqual(['V1', key]);
  }
});
