// Two servers that speak of one session, each through an SDK of its own.
import { afterEach, describe, expect, test } from '@jest/globals';
import { connect } from '@flatline/client';
import { killAll } from './child.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const TIMEOUT_MS = 30_000;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

describe('one session, several senders', () => {
  test('[S5][S6][S10] what two servers say of one session is all in its summary, none of it a duplicate', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 1 });
    const processor = scenario.start();
    const servers = ['web', 'api'].map((name) => ({ name, flatline: connect({ brokers: scenario.kafka.brokers }) }));
    const open = await Promise.all(
      servers.map(async ({ name, flatline }) => {
        const sessions = await flatline.sessions({ topic: scenario.input, timeoutMs: TIMEOUT_MS });
        return { name, sessions, anna: sessions.session('anna', name === 'web' ? { source: 'web-1' } : {}) };
      }),
    );
    for (const { name, sessions, anna } of open) {
      anna.event({ type: `${name}-LOGIN`, attributes: { [name]: 'yes' } });
      anna.event({ type: `${name}-CART` });
      await sessions.flush();
    }
    expect(open[0]!.anna.source).toBe('web-1');
    open[0]!.anna.end();
    await Promise.all(servers.map(({ flatline }) => flatline.close()));
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    expect(await scenario.stop(processor)).toBe(0);
    expect(summaries.map(({ summary }) => summary)).toMatchObject([
      {
        reason: 'ENDED',
        eventCount: 5,
        duplicateCount: 0,
        missingCount: 0,
        countsByType: new Map([
          ['ENDED', 1],
          ...['web', 'api'].flatMap((name): [string, number][] => [
            [`${name}-LOGIN`, 1],
            [`${name}-CART`, 1],
          ]),
        ]),
        attributes: new Map([
          ['web', 'yes'],
          ['api', 'yes'],
        ]),
      },
    ]);
    await expectVerified(scenario);
  });
});
