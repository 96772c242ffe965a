import { afterEach, describe, expect, test } from '@jest/globals';
import { allThere, expectAccessLog } from './access-log.fixture.ts';
import { killAll, type Running } from './child.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const create = (): Promise<Scenario> => Scenario.create({ timeoutMs: 1_800_000, timestampType: 'CreateTime' });

/** Waits for the whole answer, then proves that no line comes twice: stops the processor and reads the output to its end. */
async function finish(processor: Running): Promise<void> {
  await scenario.outputs(allThere);
  expect(await scenario.stop(processor)).toBe(0);
  expectAccessLog(await scenario.outputsNow());
}

describe('a real access log, 30 minutes of timeout, 4 partitions', () => {
  test('[S1][S2][S4][O1][O2] processor started before the import', async () => {
    scenario = await create();
    const processor = scenario.start();
    await processor.line(/task runs/);
    await scenario.import(scenario.accessLog(), true);
    await finish(processor);
  });

  test('[S4][C4][C5] processor started during the import', async () => {
    scenario = await create();
    await scenario.import(scenario.accessLog(0, 2), false);
    const processor = scenario.start();
    await scenario.import(scenario.accessLog(1, 2), true);
    await finish(processor);
  });

  test('[S4][C4][C5] processor started after the import', async () => {
    scenario = await create();
    await scenario.import(scenario.accessLog(), true);
    await finish(scenario.start());
  });
});
