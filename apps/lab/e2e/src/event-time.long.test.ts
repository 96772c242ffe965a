// A real access log, out of order by up to 59 s, by the time of its events (C7).
import { afterEach, describe, expect, test } from '@jest/globals';
import { allOf, expectAccessLog, HALF_A_MINUTE, TEN_SECONDS } from './access-log.fixture.ts';
import { kill, killAll } from './child.fixture.ts';
import { addressOf, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const PARTS = 4;
/** From its start a processor needs about a second to own its tasks. */
const LIFE_MS = 1_500;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const TRIED = [
  { timeoutMs: 30_000, partitions: 1, figures: HALF_A_MINUTE },
  { timeoutMs: 30_000, partitions: 3, figures: HALF_A_MINUTE },
  { timeoutMs: 30_000, partitions: 8, figures: HALF_A_MINUTE },
  { timeoutMs: 10_000, partitions: 1, figures: TEN_SECONDS },
  { timeoutMs: 10_000, partitions: 3, figures: TEN_SECONDS },
  { timeoutMs: 10_000, partitions: 8, figures: TEN_SECONDS },
] as const;

describe('a real access log, by event time with a grace of a minute', () => {
  test.each(TRIED)(
    '[C7][F1][R1][S4][O1] timeout $timeoutMs ms, $partitions partitions, with kills -9 while it comes',
    async ({ timeoutMs, partitions, figures }) => {
      scenario = await Scenario.create({
        timeoutMs,
        partitions,
        timestampType: 'CreateTime',
        pipeline: { graceMs: 60_000 },
      });
      for (let part = 0; part < PARTS; part += 1) {
        const { child } = scenario.start();
        await Promise.all([scenario.import(scenario.accessLog(part, PARTS), part === PARTS - 1), sleep(LIFE_MS)]);
        await kill(child);
      }
      const survivor = scenario.start();
      await scenario.outputs(allOf(figures));
      // All may have been said before it started: told to stop while it starts, it ends by the signal.
      await ready(await addressOf(survivor));
      expect(await scenario.stop(survivor)).toBe(0);
      expectAccessLog(await scenario.outputsNow(), figures);
      await expectVerified(scenario);
    },
  );
});
