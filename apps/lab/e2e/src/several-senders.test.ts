// Two servers that report one session, each through an SDK of its own.
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
    expect(open[0]!.anna.source).toMatch(/^web-1\./);
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

  test('[S5][S6] a server with an object for each request, and the one in its place, say all of it once under one name', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 1 });
    const processor = scenario.start();
    const runs = ['old', 'new'];
    for (const [at, run] of runs.entries()) {
      const flatline = connect({ brokers: scenario.kafka.brokers });
      const sessions = await flatline.sessions({ topic: scenario.input, timeoutMs: TIMEOUT_MS });
      for (const request of [1, 2, 3])
        sessions
          .session('anna', { source: 'web-1' })
          .event({ type: `${run}-${request}`, attributes: { [run]: 'yes' } });
      if (at === runs.length - 1) sessions.session('anna', { source: 'web-1' }).end();
      await flatline.close();
    }
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === 1);
    expect(await scenario.stop(processor)).toBe(0);
    const said = runs.flatMap((run) => [1, 2, 3].map((request): [string, number] => [`${run}-${request}`, 1]));
    expect(summaries.map(({ summary }) => summary)).toMatchObject([
      {
        eventCount: 7,
        duplicateCount: 0,
        missingCount: 0,
        countsByType: new Map([...said, ['ENDED', 1]]),
        attributes: new Map(runs.map((run): [string, string] => [run, 'yes'])),
      },
    ]);
    await expectVerified(scenario);
  });
});
