// Schedules that the SDK sends, on a real broker: their runs, and refusals.
import { afterEach, describe, expect, test } from '@jest/globals';
import { BadInput, type ReceivedReceipt, RecordTooLarge, type Run, type ScheduleOptions } from '@flatline/client';
import { randomUUID } from 'node:crypto';
import { recordsIn, textOf } from './kinds.fixture.ts';
import { sleep } from './scenario.fixture.ts';
import { closeSdk, openSdk, type Sdk } from './sdk.fixture.ts';
import { expectSound } from './verify.fixture.ts';

let scenario: Sdk['scenario'];
let flatline: Sdk['flatline'];
afterEach(closeSdk);

async function create(pipeline: object): Promise<void> {
  ({ scenario, flatline } = await openSdk({ kind: 'schedule', ...pipeline }));
}

/** Collects runs of the output, and its receipts as `type` or `type id`, as they come. */
class Heard {
  readonly runs: Run[] = [];
  readonly receipts: ReceivedReceipt[] = [];

  constructor() {
    const reading = flatline.runs({
      topic: scenario.output,
      group: scenario.application,
      onReceipt: ({ receipt }) => this.receipts.push(receipt),
    });
    void (async () => {
      for await (const run of reading) this.runs.push(run);
    })();
  }

  async until(heard: () => boolean): Promise<void> {
    while (!heard()) await sleep(50);
  }

  receipt(type: string, id: string): boolean {
    return this.receipts.some((each) => each.type === type && each.scheduleId === id);
  }
}

describe('schedules of the SDK', () => {
  test('[D1][D3][D4] come once, again and again, by a calendar, for a target; are paused, run, resumed and cancelled', async () => {
    const target = `e2e-target-${randomUUID()}`;
    await create({ receipts: 'all', targets: [target], minEveryMs: 100 });
    const processor = scenario.start();
    const schedules = await flatline.schedules({ topic: scenario.input });
    const heard = new Heard();
    const at = new Date(Date.now() + 2_000);
    const [once, ticks] = await Promise.all([
      schedules.add('anna', { remind: 'dentist' }, { at, id: 'once', headers: { trace: 'abc' } }),
      schedules.add('tick', 'tock', { every: '300ms', maxRuns: 2, id: 'ticks' }),
      schedules.add('each', Uint8Array.of(0xff), { cron: '* * * * * *', timeZone: 'Europe/Berlin', id: 'each' }),
      schedules.add('there', 'x', { delay: '100ms', target, jitter: 50, expires: '1h' }),
      schedules.add('', 'of the empty key', { delay: 0, id: 'empty' }),
      schedules.add('gone', 'x', { delay: '1s', id: 'gone' }),
      schedules.add('later', 'x', { delay: '1h', id: 'later' }),
    ]);
    expect(once.dueAt).toBe(at.getTime());
    expect(ticks.dueAt).toBeGreaterThan(0);
    await schedules.cancel('gone', { id: 'gone' });
    await schedules.trigger('later', { id: 'later' });
    await heard.until(() => heard.runs.some(({ run }) => run.scheduleId === 'each'));
    await schedules.pause('each');
    await heard.until(() => heard.receipt('PAUSED', 'each') && heard.runs.some(({ run }) => run.scheduleId === 'once'));
    const paused = heard.runs.filter(({ keyText }) => keyText === 'each').length;
    await sleep(2_500);
    expect(heard.runs.filter(({ keyText }) => keyText === 'each')).toHaveLength(paused);
    await schedules.resume('each', { id: 'each' });
    await heard.until(() => heard.runs.filter(({ keyText }) => keyText === 'each').length > paused);
    await schedules.cancel('each');
    await heard.until(() => heard.receipt('CANCELLED', 'each'));
    const shown = (key: string): unknown[] =>
      heard.runs
        .filter(({ keyText }) => keyText === key)
        .map(({ run: { value, dueAt, number, last, headers } }) => [
          textOf(value),
          dueAt,
          number,
          last,
          headers.length,
        ]);
    expect(shown('anna')).toEqual([['{"remind":"dentist"}', at.getTime(), 1, true, 1]]);
    expect(shown('tick')).toMatchObject([
      ['tock', expect.any(Number), 1, false, 0],
      ['tock', expect.any(Number), 2, true, 0],
    ]);
    expect(shown('')).toMatchObject([['of the empty key', expect.any(Number), 1, true, 0]]);
    expect(shown('later')).toMatchObject([['x', expect.any(Number), 1, true, 0]]);
    expect([shown('gone'), heard.receipt('CANCELLED', 'gone'), heard.receipt('TRIGGERED', 'later')]).toEqual([
      [],
      true,
      true,
    ]);
    for await (const { keyText } of flatline.runs({ topic: target, group: target })) {
      expect(keyText).toBe('there');
      break;
    }
    expect(await scenario.stop(processor)).toBe(0);
    await expectSound(scenario);
  });

  test('[I1][I4] that no pipeline takes are refused by the words of its reader; nothing else is a dead letter', async () => {
    await create({ minEveryMs: 1_000 });
    const processor = scenario.start();
    const schedules = await flatline.schedules({ topic: scenario.input });
    const heard = new Heard();
    const seconds = Math.floor(Date.now() / 1_000);
    const refused: readonly ScheduleOptions[] = [
      {},
      { cron: 'nonsense' },
      { at: seconds },
      { at: 1, every: 1 },
      { every: '1h', endAt: seconds },
    ];
    for (const when of refused) await expect(schedules.add('anna', 'x', when)).rejects.toThrow(BadInput);
    for (const when of [{ at: Number.NaN }, { at: new Date('x') }, { delay: 'soon' as '1s' }])
      await expect(schedules.add('anna', 'x', when)).rejects.toThrow(TypeError);
    await expect(schedules.add('anna', undefined as never, { delay: 1 })).rejects.toThrow(TypeError);
    await expect(schedules.add('k'.repeat(65_536), 'x', { delay: 1 })).rejects.toThrow(BadInput);
    await expect(schedules.add('anna', 'x'.repeat(3_000_000), { delay: 1 })).rejects.toThrow(RecordTooLarge);
    // The SDK does not know the limits of this pipeline.
    await schedules.add('anna', 'x', { every: 500 });
    await schedules.add('anna', 'sound', { delay: 0 });
    await heard.until(() => heard.runs.length > 0);
    expect(heard.runs.map(({ run }) => textOf(run.value))).toEqual(['sound']);
    const letters = (await recordsIn(scenario, scenario.topics.at(-1)!)).flat();
    const reasons = letters.map(({ headers }) => headers.find(({ name }) => name === 'flatline-reason')?.value ?? null);
    expect(reasons.map(textOf)).toEqual(['invalid-every-ms']);
    expect(await scenario.stop(processor)).toBe(0);
  });
});
