// Schedules on a real broker, judged by a second reading of the rules over the content of the input topic.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Random } from '@flatline/base';
import { type FoldCalendar, foldSchedules, type SaidOfSchedule } from '@flatline/oracle/schedule';
import { randomUUID } from 'node:crypto';
import { killAll } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import {
  type Headers,
  PARTITIONS,
  pipelineOf,
  type ProducedRecord,
  recordOf,
  recordsIn,
  sendUnderKills,
  textOf,
} from './kinds.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const NO_SUCH = /sent to .*: as of the newest commit there is no such schedule/;

/** Each second, in this test only: the processor reads calendars by its own code. */
const calendar: FoldCalendar = {
  version: process.versions['tz'] ?? '',
  isSound: (cron, zone) => cron === '* * * * * *' && zone === 'Europe/Berlin',
  next: (_cron, _zone, after) => (Math.floor(after / 1_000) + 1) * 1_000,
  instant: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
};

async function createScenario(pipeline: object): Promise<Scenario> {
  return Scenario.create({ partitions: PARTITIONS, pipeline: { kind: 'schedule', ...pipeline } });
}

/** The result of the rules for the present input: output and dead letters of all partitions. */
async function folded(): Promise<{ said: Record<string, readonly SaidOfSchedule[]>; refused: number }> {
  const { rules } = pipelineOf(scenario, 'schedule');
  const input = await recordsIn(scenario, scenario.input);
  const folds = input.map((records, partition) => foldSchedules(records, { partition, rules, calendar }));
  const toOutput = folds.flatMap(({ said }) =>
    [...said].map(([key, each]) => [key, each.filter(({ topic }) => topic === undefined)] as const),
  );
  const said = toOutput.filter(([, each]) => each.length > 0);
  return { said: Object.fromEntries(said), refused: folds.flatMap((fold) => fold.refused).length };
}

async function said(): Promise<Record<string, SaidOfSchedule[]>> {
  const all: Record<string, SaidOfSchedule[]> = {};
  for (const { key, value, headers } of (await recordsIn(scenario, scenario.output)).flat()) {
    const shown = headers.map((each) => `${each.name}=${each.value === null ? '(null)' : textOf(each.value)}`);
    (all[textOf(key)] ??= []).push({ value: textOf(value), headers: shown });
  }
  return all;
}

/** Waits until that many records are out, and the rules give as many; then compares. */
async function expectAsFolded(count: number): Promise<Record<string, SaidOfSchedule[]>> {
  for (;;) {
    const [found, { said: wanted }] = [await said(), await folded()];
    const [out, due] = [found, wanted].map((all) => Object.values(all).flat().length) as [number, number];
    if (out >= count && out >= due) {
      const again = await folded();
      expect(found).toEqual(again.said);
      return found;
    }
    await sleep(200);
  }
}

describe('schedules on a real broker', () => {
  test('[D1][D2][D4] come out when they are due, replaced and cancelled ones do not, and what is none is a dead letter', async () => {
    const target = `e2e-target-${randomUUID()}`;
    scenario = await createScenario({ receipts: 'all', targets: [target] });
    const processor = scenario.start();
    const dueAt = Date.now() + 4_000;
    await scenario.producing((producer) =>
      producer.send([
        recordOf('mail', '{"to":"anna"}', { 'flatline-due-at': dueAt, trace: 'abc' }),
        recordOf('other', 'never', { 'flatline-delay-ms': 60_000, 'flatline-schedule-id': 'x' }),
        recordOf('other', 'soon', { 'flatline-delay-ms': 2_000, 'flatline-schedule-id': 'y' }),
        recordOf('other', null, { 'flatline-schedule-id': 'x' }),
        recordOf('push', 'there', { 'flatline-delay-ms': 1_000, 'flatline-target': target, 'flatline-jitter-ms': 500 }),
        recordOf('other', 'bad', { 'flatline-due-at': 'tomorrow' }),
      ]),
    );
    const found = await expectAsFolded(7);
    const there = (await recordsIn(scenario, target)).flat();
    expect(there.map(({ key, value }) => [key, value].map((each) => each && textOf(each)))).toEqual([
      ['push', 'there'],
    ]);
    expect(found['mail']?.at(-1)).toMatchObject({ value: '{"to":"anna"}' });
    expect(found['mail']?.at(-1)?.headers.slice(0, 2)).toEqual(['trace=abc', `flatline-due-at=${dueAt}`]);
    expect(found['other']?.at(-1)?.value).toBe('soon');
    const output = (await recordsIn(scenario, scenario.output)).flat();
    const run = output.find(({ value }) => value !== null && textOf(value) === '{"to":"anna"}');
    expect(run!.timestamp).toBeGreaterThanOrEqual(dueAt);
    const letters = await recordsIn(scenario, `${scenario.application}.visits.dead-letters`);
    const reasons = letters.flat().map(({ headers }) => {
      const reason = headers.find(({ name }) => name === 'flatline-reason')?.value;
      return reason && textOf(reason);
    });
    expect(reasons).toEqual(['invalid-due-at']);
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('[D2][D3][F1][O1] with processors killed, and published again and again: each run once, as the rules say', async () => {
    scenario = await createScenario({ missed: 'all', minEveryMs: 500 });
    const cron = { 'flatline-cron': '* * * * * *', 'flatline-time-zone': 'Europe/Berlin', 'flatline-max-runs': 12 };
    const act = (i: number, random: Random): readonly ProducedRecord[] => {
      const below = (bound: number): number => random.below(bound);
      const key = `k${below(4)}`;
      const id: Headers = below(2) === 0 ? { 'flatline-schedule-id': `id${below(3)}` } : {};
      const kind = below(10);
      if (kind < 1) return [recordOf(key, null, id)];
      if (kind < 4) return [recordOf('tick', String(i), { ...cron, 'flatline-schedule-id': 'cron' })];
      if (kind < 6)
        return [recordOf(`every${below(2)}`, String(i), { 'flatline-every-ms': 700, 'flatline-max-runs': 15 })];
      return [recordOf(key, String(i), { ...id, 'flatline-delay-ms': below(6_000) })];
    };
    await sendUnderKills(scenario, act);
    // Everything sent is due within 20 s.
    await sleep(20_000);
    const found = await expectAsFolded(40);
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['tick', 'every0', 'k0']));
    expect((await expectSound(scenario)).closed).toBeGreaterThan(30);
  });

  test('[D4][Q2][Q4] at the command line: listed and shown whether a processor runs or not; what an operator does is in the log', async () => {
    scenario = await createScenario({});
    const lines = async (...args: string[]): Promise<Record<string, unknown>[]> => {
      const { stdout } = await succeed(['schedules', ...args, '--config', scenario.config, '--json']);
      return stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const pending = async (until: (ids: string) => boolean): Promise<Record<string, unknown>[]> => {
      for (;;) {
        const listed = await lines('list');
        const ids = listed.flatMap(({ key, scheduleId }) =>
          key === undefined ? [] : [`${key as string}-${scheduleId as string}`],
        );
        if (until(ids.join(' '))) return listed;
        await sleep(300);
      }
    };
    const cancelled = async (...args: string[]): Promise<{ code: number | null; stdout: string }> => {
      const { code, stdout } = await flatline(['schedules', 'cancel', ...args, '--config', scenario.config]).finished;
      return { code, stdout };
    };
    expect(await lines('list')).toMatchObject([{ kind: 'summary', total: 0, listed: 0, more: false }]);
    await lines('add', 'anna', '--delay', '1h', '--id', 'a', '--value', 'x', '--header', 'trace=1');
    await lines('add', 'anna', '--cron', '0 7 * * *', '--time-zone', 'Europe/Berlin', '--id', 'b');
    const [sent] = await lines('add', 'bert', '--every', '1d', '--id', 'c');
    const processor = scenario.start();
    await pending((ids) => ids === 'anna-a anna-b bert-c');
    expect((await lines('get', 'bert'))[0]).toMatchObject({
      state: 'live',
      everyMs: 86_400_000,
      schedule: sent!['schedule'],
    });
    await lines('trigger', 'anna', '--id', 'a');
    await lines('pause', 'anna', '--id', 'b');
    await lines('cancel', 'bert');
    await pending((ids) => ids === 'anna-b');
    expect(await scenario.stop(processor)).toBe(0);
    const [left, summary] = await pending((ids) => ids === 'anna-b');
    expect(left).toMatchObject({
      key: 'anna',
      scheduleId: 'b',
      paused: true,
      cron: '0 7 * * *',
      timeZone: 'Europe/Berlin',
    });
    expect(summary).toMatchObject({ total: 1, asOf: [{ behind: 0 }, { behind: 0 }] });
    expect(Object.values(await said()).flat()).toMatchObject([
      { value: 'x', headers: expect.arrayContaining(['trace=1']) },
    ]);
    // One that is already cancelled, and one that never was.
    expect(await cancelled('anna', '--id', 'a')).toEqual({
      code: 1,
      stdout: expect.stringMatching(NO_SUCH) as unknown,
    });
    const again = scenario.start();
    await again.line(/"task runs"/);
    for (;;) {
      // An earlier record that is not yet read may be one: then the answer is unknown.
      const { code, stdout } = await cancelled('carl');
      expect(stdout).toMatch(code === 1 ? NO_SUCH : /sent to/);
      if (code === 1) break;
    }
    expect(await scenario.stop(again)).toBe(0);
    const none = await flatline(['schedules', 'get', 'bert', '--config', scenario.config]).finished;
    expect(none).toMatchObject({ code: 1, stdout: expect.stringContaining('no schedule has this key, as of') });
  });
});
