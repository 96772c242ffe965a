// Logs that no longer begin at their first offset: everything that can be judged is, and the rest is reported.
import { describe, expect, test } from '@jest/globals';
import { type RecordedLog, type RecordedPartition, SESSION_RULES } from '@flatline/lab-kinds/histories';
import { type PartitionHistory, type VerificationReport, verifyHistories } from '@flatline/oracle';
import { blankReach, readingOf } from '@flatline/oracle/anatomy';
import { after, from } from './cut-logs.fixture.ts';
import { historyOf, INPUT, record } from './recorded-history.fixture.ts';

const [whole] = (await record({ seed: 1 })) as [RecordedPartition];

/** Keeps the log up to `last`, and appends all of it again. */
function sayAgain<R extends { readonly offset: number }>(log: RecordedLog<R>, last: number): void {
  const shift = log.batches.at(-1)!.lastOffset + 1;
  const moved = log.records.map((each) => ({ ...each, offset: each.offset + shift }));
  log.records = [...log.records.filter(({ offset }) => offset <= last), ...moved];
  const places = log.batches.map((each) => ({
    ...each,
    baseOffset: each.baseOffset + shift,
    lastOffset: each.lastOffset + shift,
  }));
  log.batches = [...log.batches, ...places];
}

const judge = (history: PartitionHistory): Promise<VerificationReport> =>
  verifyHistories([history], { rules: SESSION_RULES, inputTopic: INPUT });

describe('an application that began on an input that was there', () => {
  test('[R3][C6] is judged from where its commits say that it began; what was there before is passed', async () => {
    const [recorded] = (await record({ seed: 3, storm: true, adopted: true })) as [RecordedPartition];
    const report = await judge(historyOf(recorded));
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([]);
    expect(report.reach.recordsBeforeOrigin).toBeGreaterThan(20);
    expect(report.closed).toBeGreaterThan(10);
    // The same where its first commits are gone, and where the input lacks records that were never read.
    const history = historyOf(recorded);
    const changelog = from(history.changelog, recorded.changelog, after(recorded.changelog, 0.5));
    expect((await judge({ ...history, changelog })).violations).toEqual([]);
    const again = historyOf(recorded);
    const first = recorded.input.records[report.reach.recordsBeforeOrigin]!.offset;
    const input = from(again.input, recorded.input, first);
    expect(await judge({ ...again, input })).toMatchObject({ violations: [], undecided: [], closed: report.closed });
  });

  test('[C6] what came before the input had its timestamp type is passed from its first record on, and not later', async () => {
    const [recorded] = (await record({ seed: 4 })) as [RecordedPartition];
    const { records } = recorded.input;
    const shift = 3;
    const former = Array.from({ length: shift }, (_, offset) => ({ ...records[0]!, offset, logAppendTime: false }));
    const moved = records.map((each) => ({ ...each, offset: each.offset + shift }));
    const { fold } = readingOf(0, SESSION_RULES, blankReach());
    for (const each of [...former, ...moved]) fold.record(each);
    const { fold: alone } = readingOf(0, SESSION_RULES, blankReach());
    for (const each of records) alone.record(each);
    expect([...fold.names()]).toEqual([...alone.names()]);
    expect(fold.takeExpected()).toHaveLength(alone.takeExpected().length);
    expect(fold.clock).toBe(alone.clock);
    // A later record of the other type means that the partition had to stop there.
    const late = structuredClone(recorded);
    const at = late.input.records.length >> 1;
    late.input.records[at] = { ...late.input.records[at]!, logAppendTime: false };
    expect((await judge(historyOf(late))).undecided).toContainEqual(expect.stringContaining('another timestamp type'));
  });
});

describe('logs without their beginning', () => {
  test('an output without its oldest records: the rest is judged', async () => {
    const history = historyOf(whole);
    const output = from(history.output, whole.output, after(whole.output, 0.3));
    const report = await judge({ ...history, output });
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([expect.stringContaining('closes before its first record')]);
    expect(report.closed).toBeGreaterThan(10);
    expect(report.closed).toBeLessThan(report.incarnations);
  });

  test('an input without its oldest records: judged from the first state in the changelog on', async () => {
    const history = historyOf(whole);
    const input = from(history.input, whole.input, whole.input.records[60]!.offset);
    const report = await judge({ ...history, input });
    expect(report.violations).toEqual([]);
    expect(report.undecided).toContainEqual(expect.stringContaining('the input begins from'));
    expect(report.closed).toBeGreaterThan(10);
    expect(report.reach.truncations).toBe(1);
  });

  test('[I1][V4] what a state that was given up said of the records before is not judged, though it is said twice', async () => {
    const since = whole.input.records[60]!.offset;
    const recorded = structuredClone(whole);
    const { deadLetters, output } = recorded;
    const former = deadLetters.records.filter(({ subject }) => subject !== undefined && subject.offset < since);
    expect(former.length).toBeGreaterThan(0);
    // As after a reset with `startFrom: earliest`: all of it again, behind the former output.
    sayAgain(deadLetters, former.at(-1)!.offset);
    sayAgain(output, output.batches[output.batches.length >> 3]!.lastOffset);
    const history = historyOf(recorded);
    const input = from(history.input, recorded.input, since);
    const report = await judge({ ...history, input, inputLogStart: 0, outputDecidedBelow: Infinity });
    expect(report.violations).toEqual([]);
    expect(report.closed).toBeGreaterThan(10);
  });

  test('a changelog that was truncated: judged from the first commit on whose whole state it holds', async () => {
    const history = historyOf(whole);
    const changelog = from(history.changelog, whole.changelog, after(whole.changelog, 0.5));
    const report = await judge({ ...history, changelog });
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([]);
    expect(report.closed).toBe(report.incarnations - report.open);
    expect(report.reach.truncations).toBe(1);
  });

  test('[K3] a changelog without its last commit was cut where its floor forbids it', async () => {
    const history = historyOf(whole);
    const changelog = from(history.changelog, whole.changelog, after(whole.changelog, 1));
    const report = await judge({ ...history, changelog, isComplete: false });
    expect(report.commits).toBe(0);
    expect(report.closed).toBe(0);
    expect(report.violations).toEqual([
      expect.objectContaining({ rule: 'K3', what: expect.stringContaining('holds no commit') }),
    ]);
    expect(report.undecided).toContainEqual(expect.stringContaining('no commit'));
  });

  test('[K3] one that begins above the floor of its last commit, too, though nothing else can be judged', async () => {
    const history = historyOf(whole);
    const [last] = whole.changelog.records.slice(-1);
    const changelog = { ...from(history.changelog, whole.changelog, last!.offset), logStart: last!.offset };
    const report = await judge({ ...history, changelog });
    expect(report.violations.map(({ rule }) => rule)).toContain('K3');
  });

  test('[X3] an input from which records were deleted before a commit covered them', async () => {
    const end = whole.input.batches.at(-1)!.lastOffset + 8;
    for (const isComplete of [true, false]) {
      const history = historyOf(whole);
      const report = await judge({ ...history, input: from(history.input, whole.input, end), isComplete });
      const said = expect.stringMatching(/records from offset \d+ to \d+ were deleted before a commit covered them/);
      expect(report.violations.map(({ rule }) => rule)).toEqual(isComplete ? ['X3'] : []);
      if (isComplete) expect(report.violations[0]!.what).toEqual(said);
      else expect(report.undecided).toContainEqual(said);
    }
  });
});
