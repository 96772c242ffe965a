// Changelogs whose oldest commits are gone, as every task leaves them: their effects are judged all the same.
import { describe, expect, test } from '@jest/globals';
import { KIND_NAMES } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import { commits, edit, type HistorySubject, type RecordedPartition, takeApart } from '@flatline/lab-kinds/histories';
import { type LogSource, type VerificationReport, verifyHistories } from '@flatline/oracle';
import { after, from } from './cut-logs.fixture.ts';
import { historyOf, INPUT, record } from './recorded-history.fixture.ts';

const SHARES = [0.2, 0.4, 0.6, 0.8, 0.95];

/** An offset at which a task may have begun the log, at about the given share of it. */
function startOf({ changelog }: RecordedPartition, share: number): number | undefined {
  const last = takeApart(commits(changelog.records).at(-1)!.value!)!;
  const start = after(changelog, share);
  return start <= last.header.floor ? start : undefined;
}

/** `read`: told of each offset up to which a log has been read. */
function judge(
  subject: HistorySubject,
  recorded: RecordedPartition,
  logStart: number,
  read: (log: 'input' | 'output', offset: number) => void = () => undefined,
): Promise<VerificationReport> {
  const history = historyOf(recorded);
  const watched = <R extends { readonly offset: number }>(
    log: 'input' | 'output',
    source: LogSource<R>,
  ): LogSource<R> => ({
    ...source,
    read: async () => {
      const part = await source.read();
      if (part !== undefined) read(log, part.batches.at(-1)!.lastOffset);
      return part;
    },
  });
  const cut = {
    ...history,
    input: watched('input', history.input),
    output: watched('output', history.output),
    changelog: from(history.changelog, recorded.changelog, logStart),
  };
  return verifyHistories([cut], { rules: subject.rules, inputTopic: INPUT });
}

/** The output begins at `share` of it, and hardly any record that it may have lost is remembered. */
function judgeBoth(
  subject: HistorySubject,
  recorded: RecordedPartition,
  logStart: number,
  share: number,
): Promise<VerificationReport> {
  const history = historyOf(recorded);
  const changelog = from(history.changelog, recorded.changelog, logStart);
  const output = from(history.output, recorded.output, after(recorded.output, share));
  return verifyHistories([{ ...history, changelog, output }], {
    rules: subject.rules,
    inputTopic: INPUT,
    unsaidMax: 3,
  });
}

describe.each(KIND_NAMES)('a truncated changelog of kind %s', (kind) => {
  test.each([1, 3, 9])('[V1][V5] is judged as the whole one is (seed %d)', async (seed) => {
    for (const { subject } of KIND_LABS[kind].histories.subjects)
      for (const recorded of await record({ seed, storm: seed !== 1, subject })) {
        const whole = await verifyHistories([historyOf(recorded)], { rules: subject.rules, inputTopic: INPUT });
        for (const share of SHARES) {
          const start = startOf(recorded, share);
          if (start === undefined) continue;
          const report = await judge(subject, recorded, start);
          expect({ start, ...report }).toMatchObject({ start, violations: [], undecided: [], closed: whole.closed });
        }
      }
  });
});

describe.each(KIND_NAMES)('an output without its beginning, of kind %s', (kind) => {
  test.each([1, 9])('[V1][V5][X6] what it may have lost is not held, and called undecided (seed %d)', async (seed) => {
    for (const { subject } of KIND_LABS[kind].histories.subjects)
      for (const recorded of await record({ seed, storm: seed !== 1, subject }))
        for (const [share, ofOutput] of [
          [0.6, 0.3],
          [0.8, 0.3],
          [0.95, 0.8],
        ] as const) {
          const start = startOf(recorded, share);
          if (start === undefined) continue;
          const report = await judgeBoth(subject, recorded, start, ofOutput);
          expect({ start, ...report }).toMatchObject({ start, violations: [] });
          expect(report.records.output).toBeGreaterThan(0);
        }
  });
});

describe('what was said before the first commit that is there', () => {
  const { subject } = KIND_LABS.session.histories.subjects[0];

  test('is held no longer than until the output has been read as far as the input', async () => {
    const [recorded] = (await record({ seed: 9, storm: true, subject })) as [RecordedPartition];
    const closes = recorded.output.records.filter(({ summary }) => summary !== undefined);
    const start = startOf(recorded, 0.9)!;
    const at = { input: -1, output: -1 };
    const held: number[] = [];
    await judge(subject, recorded, start, (log, offset) => {
      at[log] = offset;
      const clock = Math.max(
        0,
        ...recorded.input.records.filter((each) => each.offset <= at.input).map((each) => each.timestamp),
      );
      held.push(closes.filter((each) => Number(each.summary!['closedAt']) <= clock && each.offset > at.output).length);
    });
    expect(closes.length).toBeGreaterThan(50);
    expect(Math.max(...held)).toBeLessThan(closes.length / 2);
  });

  test('[V1] is undecided where the output has lost its beginning, too; the rest is judged', async () => {
    const [recorded] = (await record({ seed: 9, storm: true, subject })) as [RecordedPartition];
    const history = historyOf(recorded);
    const changelog = from(history.changelog, recorded.changelog, startOf(recorded, 0.6)!);
    const output = from(history.output, recorded.output, after(recorded.output, 0.3));
    const report = await verifyHistories([{ ...history, changelog, output }], {
      rules: subject.rules,
      inputTopic: INPUT,
    });
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([expect.stringContaining('closes before its first record')]);
    expect(report.closed).toBeGreaterThan(30);
  });

  const wrong: readonly (readonly [string, string, (output: RecordedPartition['output'], at: number) => void])[] = [
    ['V1', 'a close is missing', ({ records }, at) => records.splice(at, 1)],
    [
      'V1',
      'one is of another session',
      (output, at) => {
        edit(output.records[at]!, { incarnation: '0-9999' });
      },
    ],
    ['V1', 'one comes twice', ({ records }, at) => records.splice(at, 0, records[at]!)],
    [
      'V4',
      'one counts another number of events',
      ({ records }, at) => {
        edit(records[at]!, { eventCount: 77 });
      },
    ],
  ];
  test.each(wrong)('[V1][V4] is found wrong by %s: %s', async (rule, _what, make) => {
    const [recorded] = (await record({ seed: 9, storm: true, subject })) as [RecordedPartition];
    const start = startOf(recorded, 0.9)!;
    make(
      recorded.output,
      recorded.output.records.findIndex(({ summary }) => summary !== undefined),
    );
    const { violations } = await judge(subject, recorded, start);
    expect(violations.map((each) => each.rule)).toContain(rule);
  });
});
