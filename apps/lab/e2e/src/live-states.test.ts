// Sessions told of while they live, and bots, with processors killed while they beat.
import { afterEach, describe, expect, test } from '@jest/globals';
import { connect, type Flatline, type SummaryRecord } from '@flatline/client';
import { killAll } from './child.fixture.ts';
import { recordOf, sendUnderKills, textOf } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const USERS = 12;
const MAX_EVENTS = 20;
const UPDATE_INTERVAL_MS = 1_500;

let scenario: Scenario;
let flatline: Flatline;
afterEach(async () => {
  await flatline.close();
  await killAll();
  await scenario.dispose();
});

describe('who is there, and who has gone', () => {
  test.each(['json', 'avro'] as const)(
    '[S11][S13] in %s: each session opens once, is updated no oftener than asked, and closes once; a bot is capped',
    async (format) => {
      const pipeline = {
        emit: ['opened', 'updated', 'closed'],
        updateIntervalMs: UPDATE_INTERVAL_MS,
        maxEvents: MAX_EVENTS,
      };
      scenario = await Scenario.create({ timeoutMs: 6_000, pipeline: pipeline as object });
      const schemaRegistryUrl = process.env['SCHEMA_REGISTRY_URL'] ?? '';
      flatline = connect({ brokers: scenario.kafka.brokers, schemaRegistryUrl });
      scenario.configure({ output: { topic: scenario.output, format } });
      await sendUnderKills(scenario, (i, random) => [
        recordOf('bot', '{"type":"CLICK"}'),
        recordOf(`user-${random.below(USERS)}`, i % 3 === 0 ? '{"type":"VIEW"}' : ''),
      ]);
      const told = await takeAll();
      for (const states of told.values()) {
        expect(states.map(({ state }) => state)).toEqual([
          'OPENED',
          ...Array.from({ length: states.length - 2 }, () => 'UPDATED'),
          'CLOSED',
        ]);
        const live = states.slice(0, -1);
        for (const [at, each] of live.slice(1).entries())
          expect(each.lastSeenAt - live[at]!.lastSeenAt).toBeGreaterThanOrEqual(UPDATE_INTERVAL_MS);
      }
      const bot = [...told.values()].flat().filter(({ key }) => textOf(key) === 'bot');
      expect(bot.at(-1)).toMatchObject({ state: 'CLOSED', eventCount: 120, capped: true });
      expect(Object.fromEntries(bot.at(-1)!.countsByType)).toEqual({ CLICK: MAX_EVENTS, HEARTBEAT: 120 - MAX_EVENTS });
      await expectVerified(scenario);
    },
  );
});

/** All that is said until each key's session has closed, by incarnation. */
async function takeAll(): Promise<ReadonlyMap<string, readonly SummaryRecord['summary'][]>> {
  const ending = new AbortController();
  const told = new Map<string, SummaryRecord['summary'][]>();
  const { output: topic, application: group } = scenario;
  const states = ['OPENED', 'UPDATED', 'CLOSED'] as const;
  for await (const { summary } of flatline.summaries({ topic, group, states, signal: ending.signal })) {
    told.set(summary.incarnation, [...(told.get(summary.incarnation) ?? []), summary]);
    const isOver = [...told.values()].every((said) => said.at(-1)!.state === 'CLOSED');
    const ids = new Set([...told.values()].map(([first]) => textOf(first!.key)));
    if (isOver && ids.size === USERS + 1) ending.abort();
  }
  return told;
}
