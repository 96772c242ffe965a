import { rmSync } from 'node:fs';
import { afterEach, describe, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { allThere, expectAccessLog } from './access-log.fixture.ts';
import { kill, killAll, type Running } from './child.fixture.ts';
import { sleep, Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const KILLS = Number(process.env['KILLS'] ?? 20);
const SEED = Number(process.env['SEED'] ?? 11);
/** From its start a processor needs about a second to own its tasks: kills fall into starting, restoring and running. */
const LIFE_MS = 2_500;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** The log comes in as many parts as there are kills, each while a processor lives for a random time. */
async function stormOfKills(
  begin: (kills: number) => Running,
  end: (running: Running) => Promise<void>,
): Promise<void> {
  const random = seededRandom(SEED);
  for (let kills = 0; kills < KILLS; kills += 1) {
    const running = begin(kills);
    const importing = scenario.import(scenario.accessLog(kills, KILLS), kills === KILLS - 1);
    await sleep(random.below(LIFE_MS));
    await end(running);
    await importing;
  }
}

const create = (): Promise<Scenario> => Scenario.create({ timeoutMs: 1_800_000, timestampType: 'CreateTime' });

describe(`${KILLS} kills −9 at random moments (rerun: KILLS=${KILLS} npm run gate -- --seed ${SEED} e2e-long)`, () => {
  test('[F1][R1][S4][O1][X3] restarted with its state directory', async () => {
    scenario = await create();
    await stormOfKills(
      () => scenario.start(),
      ({ child }) => kill(child),
    );
    const survivor = scenario.start();
    await scenario.outputs(allThere);
    await scenario.stop(survivor);
    expectAccessLog(await scenario.outputsNow());
    await expectVerified(scenario);
  });

  test('[F1][R1][S4][O1][X3] restarted without its state directory', async () => {
    scenario = await create();
    await stormOfKills(
      () => scenario.start(),
      async ({ child }) => {
        await kill(child);
        rmSync(scenario.stateDir('a'), { recursive: true, force: true });
      },
    );
    const survivor = scenario.start();
    await scenario.outputs(allThere);
    await scenario.stop(survivor);
    expectAccessLog(await scenario.outputsNow());
    await expectVerified(scenario);
  });

  test('[F1][R1][S4][O1][X3] taken over by a second instance', async () => {
    scenario = await create();
    const living: Running[] = [scenario.start('a')];
    await stormOfKills(
      (kills) => {
        living.push(scenario.start(kills % 2 === 0 ? 'b' : 'a'));
        return living.shift()!;
      },
      ({ child }) => kill(child),
    );
    await scenario.outputs(allThere);
    await scenario.stop(living[0]!);
    expectAccessLog(await scenario.outputsNow());
    await expectVerified(scenario);
  });
});
