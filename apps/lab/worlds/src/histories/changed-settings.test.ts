// Processors restarted with other settings: each stretch is judged by the settings at that time, which the changelog has.
import { describe, expect, test } from '@jest/globals';
import { KIND_NAMES } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import { type RecordedPartition, SESSION_RULES, type SettingsChange } from '@flatline/lab-kinds/histories';
import {
  type JudgedRules,
  type PartitionHistory,
  settingsIn,
  type VerificationReport,
  verifyHistories,
} from '@flatline/oracle';
import { after, from } from './cut-logs.fixture.ts';
import { historyOf, INPUT, record, settingsText } from './recorded-history.fixture.ts';

const CHANGES = KIND_NAMES.flatMap((kind): readonly SettingsChange[] => KIND_LABS[kind].histories.changes);

/** Seeds of each change: the whole file draws `SEEDS`, like the other files. */
const SEEDS = Math.ceil(Number(process.env['SEEDS'] ?? 3 * CHANGES.length) / CHANGES.length);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

const judge = (histories: readonly PartitionHistory[], rules: JudgedRules): Promise<VerificationReport> =>
  verifyHistories(histories, { rules, inputTopic: INPUT });

/** Every third history: two of three have none. */
const hasStorm = (seed: number): boolean => seed % 3 === 0;

async function told(recorded: RecordedPartition): Promise<PartitionHistory> {
  return { ...historyOf(recorded), settings: await settingsIn(historyOf(recorded).changelog) };
}

/** The judged counts of a history. A storm may keep a partition from committing anything before the change, or closing much. */
interface Judged {
  readonly changedInBoth: boolean;
  readonly closedMany: boolean;
  readonly wrongByOneSet: boolean;
}

describe.each(CHANGES)('$what (rerun: SEED=n SEEDS=1 npm test -- worlds)', ({ subject, changed }) => {
  const judged: Judged[] = [];

  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[V1][V4][V5] seed %i: sound output is no violation, before and after, whatever the configuration says today',
    async (seed) => {
      const recorded = await record({
        seed,
        storm: hasStorm(seed),
        outages: changed.rules.unheardMs > 0,
        subject,
        changed,
      });
      const histories = await Promise.all(recorded.map(told));
      // Everything ends with the changed settings, whatever came before.
      for (const { settings } of histories) expect(settings!.at(-1)!.text).toBe(settingsText(changed.rules));
      const report = await judge(histories, changed.rules);
      expect(report.violations).toEqual([]);
      expect(report.undecided).toEqual([]);
      expect(report.closed).toBeGreaterThan(0);
      expect((await judge(await Promise.all(recorded.map(told)), subject.rules)).violations).toEqual([]);
      const byOne = [subject, changed].map(({ rules }) => judge(recorded.map(historyOf), rules));
      judged.push({
        changedInBoth: histories.every(({ settings }) => settings!.length > 1),
        closedMany: report.closed > 20,
        wrongByOneSet: (await Promise.all(byOne)).some(({ violationCount }) => violationCount > 0),
      });
    },
  );

  test.each(['changedInBoth', 'closedMany', 'wrongByOneSet'] as const)(
    '[V4] most of these histories tell settings apart: %s',
    (what) => {
      const such = judged.filter((history) => history[what]).length;
      expect(judged.length).toBeGreaterThan(0);
      expect(such).toBeGreaterThanOrEqual(Math.floor((2 * judged.length) / 3));
    },
  );
});

describe('[V4] a changelog that does not say all', () => {
  const { subject, changed } = CHANGES[0]!;

  test('was truncated: older commits are judged by what the later ones say of them', async () => {
    const [recorded] = (await record({ seed: 1, subject, changed })) as [RecordedPartition];
    const history = await told(recorded);
    const changelog = from(history.changelog, recorded.changelog, after(recorded.changelog, 0.3));
    const report = await judge([{ ...history, changelog }], changed.rules);
    expect(report.violations).toEqual([]);
    expect(report.undecided).toEqual([]);
  });

  test.each(CHANGES)(
    '[V4] was truncated beyond the change ($what): what came before it is judged by the settings of then',
    async ({ subject: before, changed: then }) => {
      const all = await record({ seed: 1, subject: before, changed: then });
      const histories = await Promise.all(all.map(told));
      const cut = histories.map((history, i) => {
        const { changelog } = all[i]!;
        return { ...history, changelog: from(history.changelog, changelog, after(changelog, 0.8)) };
      });
      expect((await judge(cut, then.rules)).violations).toEqual([]);
    },
  );

  test.each(CHANGES)(
    '[V4] says nothing of the first commits ($what): what follows is judged, by its own',
    async (change) => {
      const recorded = await record({ seed: 1, subject: change.subject, changed: change.changed });
      const all = await Promise.all(recorded.map(told));
      const later = all.map(({ settings }) => settings!.slice(1));
      const judged = (said: typeof later): Promise<VerificationReport> =>
        judge(
          recorded.map((each, at) => ({ ...historyOf(each), settings: said[at]! })),
          change.subject.rules,
        );
      const report = await judged(later);
      expect(report.violations).toEqual([]);
      for (const said of later)
        expect(report.undecided).toContainEqual(
          expect.stringContaining(
            `everything before offset ${said[0]!.from}: the changelog does not say by which settings`,
          ),
        );
      expect(report.closed).toBeGreaterThan(5);
    },
  );

  test("[V4] says nothing at all: what today's settings would call wrong is undecided, and the rest judged", async () => {
    const [recorded] = (await record({ seed: 1, subject, changed })) as [RecordedPartition];
    const changedSilently = await judge([{ ...historyOf(recorded), settings: [] }], changed.rules);
    expect(changedSilently.violations).toEqual([]);
    expect(changedSilently.undecided).toContainEqual(expect.stringContaining('V3 by the settings of today'));
    const [same] = (await record({ seed: 1, subject })) as [RecordedPartition];
    const silent = await judge([{ ...historyOf(same), settings: [] }], subject.rules);
    expect(silent.violations).toEqual([]);
    expect(silent.undecided).toEqual([expect.stringContaining('judged by those of the configuration')]);
  });
});

describe('[V4] the settings in force', () => {
  const { subject, changed } = CHANGES[0]!;

  test('are compared with those of the configuration, name by name, and another value is no violation', async () => {
    const histories = await Promise.all((await record({ seed: 1, subject, changed })).map(told));
    const partitions = histories.length;
    const report = await judge(histories, { ...subject.rules, tombstones: true });
    expect(report.violations).toEqual([]);
    expect(report.settingsDiffer).toEqual([
      { setting: 'timeoutMs', inForce: 9_000, inFile: SESSION_RULES.timeoutMs, partition: 0, partitions },
    ]);
    const same = await Promise.all((await record({ seed: 1, subject, changed })).map(told));
    expect((await judge(same, { ...changed.rules, tombstones: true })).settingsDiffer).toEqual([]);
  });

  test.each(['{"timeoutMs":', '[5000]', 'null'])('[K1] that are no JSON object (%s) are a violation', async (text) => {
    const [recorded] = (await record({ seed: 1, subject })) as [RecordedPartition];
    const settings = [{ sequence: 0, from: 0, text }];
    const { violations } = await judge([{ ...historyOf(recorded), settings }], subject.rules);
    expect(violations.map(({ rule }) => rule)).toEqual(['K1']);
    expect(violations[0]!.what).toContain(text);
  });
});
