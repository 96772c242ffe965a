import { describe, expect, test } from '@jest/globals';
import { KIND_NAMES } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import { type NamedSubject, type RecordedPartition, SESSION_RULES, sessions } from '@flatline/lab-kinds/histories';
import { type LedgerLine, type VerificationReport, verifyHistories } from '@flatline/oracle';
import { mutantsOf } from './mutants/index.fixture.ts';
import { historyOf, INPUT, LENGTH_RULES, record } from './recorded-history.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

async function judge(seed: number, { subject }: NamedSubject): Promise<VerificationReport> {
  const recorded = await record({ seed, storm: seed % 3 > 0, subject });
  return verifyHistories(recorded.map(historyOf), { rules: { ...subject.rules, ...LENGTH_RULES }, inputTopic: INPUT });
}

describe('histories of the runtime under faults (rerun: SEED=n SEEDS=1 npm test -- worlds)', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[F21][S4][O1][C5][R1][K8] seed %i: no violation, and everything decided',
    async (seed) => {
      const report = await judge(seed, KIND_LABS.session.histories.subjects[0]);
      expect(report.violations).toEqual([]);
      expect(report.undecided).toEqual([]);
      expect(report.closed).toBe(report.incarnations - report.open);
      expect(report.closed).toBeGreaterThan(50);
      expect(report.delaysMs.min).toBeGreaterThanOrEqual(0);
    },
  );
});

const OTHERS = KIND_NAMES.filter((kind) => kind !== 'session');
const OF_OTHERS = OTHERS.flatMap((kind): readonly NamedSubject[] => KIND_LABS[kind].histories.subjects);

describe.each(OF_OTHERS)('the same of $name', (named) => {
  const seeds = Array.from({ length: Math.ceil(SEEDS / 4) }, (_, i) => FIRST_SEED + i);

  test.each(seeds)(
    '[F21][L3][B2][B4][D2][D3][O1][C5][R1] seed %i: no violation, and everything decided',
    async (seed) => {
      const report = await judge(seed, named);
      expect(report.violations).toEqual([]);
      expect(report.undecided).toEqual([]);
      // Fewest by far: windows led by an item, 24 in 72 seeds.
      expect(report.closed).toBeGreaterThan(10);
      expect(report.open).toBeGreaterThan(0);
      expect(report.reach.badRecords).toBeGreaterThan(0);
      expect(report.delaysMs.min).toBeGreaterThanOrEqual(0);
    },
  );
});

test('[D3] runs in UTC are judged by another version of the time-zone database, too, and the report names both', async () => {
  const { subject } = KIND_LABS.schedule.histories.subjects[0];
  const [recorded] = (await record({ seed: 1, subject })) as [RecordedPartition];
  const { calendar } = subject.rules;
  const rules = { ...subject.rules, calendar: { ...calendar, version: '2031a' } } as typeof subject.rules;
  const report = await verifyHistories([historyOf(recorded)], { rules, inputTopic: INPUT });
  expect(report.violations.filter(({ rule }) => /^V([1-5]|11)$/.test(rule))).toEqual([]);
  expect(report.undecided).toEqual([
    expect.stringContaining('runs go by the time-zone database 2026z, this checker by 2031a'),
  ]);
});

describe('held time', () => {
  const rules = { ...SESSION_RULES, unheardMs: 1_500, maxHoldMs: 60_000 };

  test.each([1, 2, 3])(
    '[C8] seed %i: outages of the brokers end no session, and the checker computes the same',
    async (seed) => {
      const recorded = await record({ seed, storm: seed === 3, outages: true, subject: sessions(rules) });
      const report = await verifyHistories(recorded.map(historyOf), { rules, inputTopic: INPUT });
      expect(report.violations).toEqual([]);
      expect(report.undecided).toEqual([]);
      const without = { ...rules, unheardMs: 0 };
      const blind = await verifyHistories(recorded.map(historyOf), { rules: without, inputTopic: INPUT });
      expect(blind.violationCount).toBeGreaterThan(0);
    },
  );
});

describe('silence that was proved without records', () => {
  test.each([1, 2, 3])(
    '[C3][V3] seed %i: closes are judged by the clock of their commit, which is said to be believed',
    async (seed) => {
      const rules = { ...SESSION_RULES, proof: 'fetch' as const };
      const recorded = await record({ seed, storm: false, subject: sessions(rules) });
      const report = await verifyHistories(recorded.map(historyOf), { rules, inputTopic: INPUT });
      expect(report.violations).toEqual([]);
      expect(report.undecided.length).toBeGreaterThan(0);
      for (const what of report.undecided) expect(what).toMatch(/whether closes were early \(V3\): by proof "fetch"/);
      expect(report.closed).toBeGreaterThan(50);
      expect(report.delaysMs.min).toBeGreaterThanOrEqual(0);
      expect(report.reach.clockRecords).toBe(0);
      const blind = await verifyHistories(recorded.map(historyOf), { rules: SESSION_RULES, inputTopic: INPUT });
      expect(new Set(blind.violations.map(({ rule }) => rule))).toContain('V3');
    },
  );
});

test('[C3][C6] a stamp below 0 overtakes no clock that proof by fetch has moved, since there is none', async () => {
  const [recorded] = (await record({ seed: 1 })) as [RecordedPartition];
  const { records } = recorded.input;
  const bad = records.findIndex(({ event }) => event === 'bad');
  records[bad] = { ...records[bad]!, timestamp: -1 };
  const { undecided } = await verifyHistories([historyOf(recorded)], { rules: SESSION_RULES, inputTopic: INPUT });
  expect(undecided).toEqual([]);
});

describe('tombstones that are turned off', () => {
  const rules = { ...SESSION_RULES, tombstones: false };

  test.each([1, 2, 3])('[O2] seed %i: the runtime writes none, and the checker misses none', async (seed) => {
    const recorded = await record({ seed, storm: seed === 2, subject: sessions(rules) });
    expect(recorded.flatMap(({ output }) => output.records).filter(({ value }) => value === null)).toEqual([]);
    const report = await verifyHistories(recorded.map(historyOf), { rules, inputTopic: INPUT });
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([]);
    expect(report.closed).toBeGreaterThan(50);
  });

  test('[O2] those of closes before that are judged as ever', async () => {
    const [recorded] = (await record({ seed: 1 })) as [RecordedPartition];
    const { output } = recorded;
    const tombstones = output.records.filter(({ value }) => value === null);
    output.records = output.records.filter((each) => !tombstones.slice(5).includes(each));
    const report = await verifyHistories([historyOf(recorded)], { rules, inputTopic: INPUT });
    expect(report.violations).toEqual([]);
  });
});

test('[V2] what is due and may yet be closed is undecided, with the reason', async () => {
  const [recorded] = (await record({ seed: 1 })) as [RecordedPartition];
  mutantsOf('session')
    .find(({ rule }) => rule === 'V2')!
    .apply(recorded);
  const open = { ...historyOf(recorded), whyUndone: () => Promise.resolve('it works on') };
  const report = await verifyHistories([open], { rules: SESSION_RULES, inputTopic: INPUT });
  expect(report.violations).toEqual([]);
  expect(report.undecided).toEqual([
    expect.stringMatching(/whether \d+ sessions that are due get closed: it works on/),
  ]);
});

describe('[V2] input that no commit covers', () => {
  const nothing = { records: [], batches: [], hanging: [] };
  const late =
    /in-0: no commit covers (\d+) records up to offset \d+ \(.*\): the processor is \d+ offsets and \d+ ms of the log behind, with \d+ closes due/;

  test('[V2] of a processor that never ran: a violation where all is said to be done, else undecided', async () => {
    const [recorded] = (await record({ seed: 1 })) as [RecordedPartition];
    const unread = { ...recorded, changelog: nothing, output: nothing, deadLetters: nothing, store: [] };
    for (const isComplete of [true, false]) {
      const history = { ...historyOf({ ...recorded, ...unread, changelog: recorded.changelog }), isComplete };
      const { changelog } = historyOf(recorded);
      const empty = { ...changelog, logStart: 0, read: () => Promise.resolve(undefined) };
      const report = await verifyHistories([{ ...history, changelog: empty, store: undefined }], {
        rules: SESSION_RULES,
        inputTopic: INPUT,
      });
      expect(report.violations.map(({ rule }) => rule)).toEqual(isComplete ? ['V2'] : []);
      const said = isComplete ? `in-0: ${report.violations[0]!.what}` : report.undecided.at(-1)!;
      expect(said).toMatch(late);
      expect(said).toContain('there is none');
      expect(said).not.toContain('with 0 closes due');
      expect(report.undecided).toHaveLength(isComplete ? 0 : 1);
    }
  });

  test('[V2] clock records alone, with nothing due by them, are owed nothing', async () => {
    const [recorded] = (await record({ seed: 1 })) as [RecordedPartition];
    const { records, batches } = recorded.input;
    const offset = batches.at(-1)!.lastOffset + 1;
    const last = records.at(-1)!;
    records.push({ ...last, offset, key: null, value: null, hasClockHeader: true, event: undefined });
    batches.push({ ...batches.at(-1)!, baseOffset: offset, lastOffset: offset });
    const report = await verifyHistories([historyOf(recorded)], { rules: SESSION_RULES, inputTopic: INPUT });
    expect(report).toMatchObject({ violations: [], undecided: [] });
    records[records.length - 1] = { ...records.at(-1)!, timestamp: last.timestamp + 600_000 };
    const due = await verifyHistories([historyOf(recorded)], { rules: SESSION_RULES, inputTopic: INPUT });
    const open = due.open > 0;
    expect(due.violations.map(({ rule }) => rule)).toEqual(open ? ['V2'] : []);
  });
});

test('[X3] a ledger agrees with the input, and lacking or surplus records are seen', async () => {
  const recorded = await record({ seed: 1 });
  const keys = recorded.flatMap(({ input }) => input.records).map(({ key }) => key && new TextDecoder().decode(key));
  const closed = recorded.flatMap(({ output }) => output.records).filter(({ summary }) => summary !== undefined);
  const line = (sessionId: string, more: number): LedgerLine => {
    const own = closed.filter(({ summary }) => summary!['sessionId'] === sessionId).map(({ summary }) => summary!);
    const acknowledged = own.reduce(
      (sum, each) => sum + Number(each['eventCount']) + Number(each['duplicateCount']),
      more,
    );
    return { sessionId, acknowledged, duplicates: 0, ended: 'silence', longestGapMs: 0 };
  };
  const judged = async (...ledger: readonly LedgerLine[]): Promise<(string | undefined)[]> => {
    const options = { rules: SESSION_RULES, inputTopic: INPUT, ledger };
    const { violations } = await verifyHistories(recorded.map(historyOf), options);
    return violations.map(({ rule, key }) => `${rule} ${key ?? ''}`);
  };
  expect(keys).toContain('k20');
  expect(await judged(line('k20', 0), line('k21', 0))).toEqual([]);
  expect(await judged(line('k20', 1), line('k21', -1))).toEqual(['X3 k20', 'X3 k21']);
  expect(await judged({ ...line('k20', 0), ended: 'cutOff', acknowledged: 0 })).toEqual([]);
});
