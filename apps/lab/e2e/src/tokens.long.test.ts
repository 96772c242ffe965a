// SASL oauthbearer with client credentials: tokens expire while everything runs, and their endpoint fails in the usual ways.
import { connect } from '@flatline/client';
import { type RunningBroker, type SecuredListener } from '@flatline/dev-broker';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { LiveApplication } from './live-application.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { listenerOf, startSecuredBroker } from './secured.fixture.ts';
import { type GateMode, TokenGate } from './token-gate.fixture.ts';

/** Number of tokens after which the first ones have expired. */
const TOKENS = 4;
/** One fault after the other, each until it is seen: on a busy machine that takes minutes. */
const ALL_FAULTS_MS = 900_000;

let broker: RunningBroker;
let gate: TokenGate;
let live: LiveApplication | undefined;
beforeAll(async () => {
  broker = await startSecuredBroker();
});
afterAll(() => broker.stop());
beforeEach(async () => {
  gate = await TokenGate.open(oauthOf(listenerOf(broker, 'sasl-oauthbearer')).tokenEndpoint);
});
afterEach(async () => {
  await live?.dispose();
  live = undefined;
  await killAll();
  await gate.close();
});

function oauthOf({ kafka: { sasl } }: SecuredListener) {
  if (sasl?.mechanism !== 'oauthbearer') throw new Error('this listener takes no tokens');
  return sasl;
}

function throughGate(): SecuredListener {
  const listener = listenerOf(broker, 'sasl-oauthbearer');
  return { ...listener, kafka: { ...listener.kafka, sasl: { ...oauthOf(listener), tokenEndpoint: gate.url } } };
}

const WORDS: readonly (readonly [GateMode, RegExp])[] = [
  ['away', /token endpoint http:\S+\/token cannot be reached \(.*correct kafka\.sasl\.tokenEndpoint/],
  ['refuses', /answered 401 \(invalid_client\); check kafka\.sasl\.clientId/],
  ['fails', /answered 500/],
  ['garbage', /answered with no access_token/],
  ['endless', /answered with more than 262144 bytes/],
  ['hangs', /did not answer within 10000 ms/],
  ['forged', /the broker refuses the token \(.*invalid_token/],
];

/** The SDK names its options without `kafka.`. */
const inSdk = (words: RegExp): RegExp => new RegExp(words.source.replaceAll('kafka\\.', '(?<!kafka\\.)'));

describe('tokens', () => {
  test('[S2][O2] end while sessions close, without a trace', async () => {
    live = await LiveApplication.start(throughGate());
    while (gate.given < TOKENS) await live.aSessionCloses();
    // The processor and the SDK, each for all its connections; the commands of the start had some, too.
    expect(live.processor.printed()).not.toMatch(/"level":"(warn|error)"/);
    await live.finish();
  });

  test(
    '[S2][O2] are not to be had for a while, and nothing that was up goes down',
    async () => {
      live = await LiveApplication.start(throughGate());
      for (const [mode, words] of WORDS) {
        gate.mode = 'pass';
        await live.aSessionCloses();
        gate.mode = mode;
        expect(await live.unready(words)).not.toContain('Bearer');
      }
      gate.mode = 'pass';
      await live.aSessionCloses();
      await live.finish();
    },
    ALL_FAULTS_MS,
  );

  test('are not to be had at the start: a command ends, the SDK rejects, and both name why', async () => {
    const listener = throughGate();
    process.env['KAFKA_BROKERS'] = listener.address;
    const scenario = await Scenario.create({ timeoutMs: 2_000, listener });
    try {
      for (const [mode, words] of WORDS) {
        gate.mode = mode;
        const { code, stderr } = await flatline(['topics', 'check', '--config', scenario.config]).finished;
        // A fault that may pass is not one of the settings.
        const exitCode = mode === 'refuses' || mode === 'forged' ? 2 : 3;
        expect([mode, code, stderr]).toEqual([mode, exitCode, expect.stringMatching(words)]);
        const client = connect({ brokers: listener.address.split(','), ...listener.kafka });
        await expect(client.heartbeats({ topic: scenario.input })).rejects.toThrow(inSdk(words));
        await client.close();
      }
    } finally {
      await scenario.dispose();
    }
  });
});
