import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import type { AuthenticationProviderArgs } from 'kafkajs';
import { Misconfigured, Retriable } from '@flatline/base';
import type { SaslCredentials } from './credentials.ts';
import { KafkaAccess, fixedAccess } from './kafka-access.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { openTokenEndpoint } from './token-endpoint.fixture.ts';
import { makeAuthority } from '@flatline/dev-broker';

const require = createRequire(import.meta.url);
const errors = require('kafkajs/src/errors.js') as Record<string, new (...inputs: unknown[]) => Error>;

const clock = new ManualClock();
const { certificate: CERTIFICATE, key: KEY } = makeAuthority(Date.UTC(2026, 10, 1));
const { key: OTHER_KEY } = makeAuthority(Date.UTC(2026, 10, 1));

async function whatFails(ssl: object): Promise<string> {
  const error = await fixedAccess(clock, { ssl })
    .entry()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Misconfigured);
  return (error as Error).message;
}

describe('access to brokers', () => {
  test('AC1 asks for credentials for each connection; what has not changed is not parsed again', async () => {
    let ssl: boolean | object = { ca: CERTIFICATE };
    const access = new KafkaAccess({ clock, credentials: () => ({ ssl: ssl as boolean, sasl: undefined }) });
    const first = await access.entry();
    expect(first.sasl).toBeNull();
    ssl = { ca: CERTIFICATE };
    expect((await access.entry()).ssl!.secureContext).toBe(first.ssl!.secureContext);
    ssl = { ca: CERTIFICATE, cert: CERTIFICATE, key: KEY };
    expect((await access.entry()).ssl!.secureContext).not.toBe(first.ssl!.secureContext);
    ssl = false;
    expect(await access.entry()).toEqual({ ssl: null, sasl: null });
  });

  test('AC2 what would be a misconfiguration may pass once a broker has let this process in', () => {
    const access = fixedAccess(clock);
    const refused = new Misconfigured('no');
    expect(access.judged(refused)).toBe(refused);
    access.letIn();
    expect(access.judged(refused)).toBeInstanceOf(Retriable);
    expect(access.judged(refused).message).toBe('no');
    const other = new Error('else');
    expect(access.judged(other)).toBe(other);
  });

  test('names the part of TLS that cannot be used', async () => {
    const cut = CERTIFICATE.slice(0, CERTIFICATE.length / 2);
    expect(await whatFails({ ca: 'nonsense' })).toMatch(/^kafka\.ssl\.ca: holds no certificate; /);
    expect(await whatFails({ ca: CERTIFICATE + cut })).toMatch(/^kafka\.ssl\.ca: holds a certificate that is cut off/);
    expect(await whatFails({ ca: CERTIFICATE.replace(/MII.{20}/, 'MIIx') })).toMatch(
      /^kafka\.ssl\.ca: holds a certificate that cannot/,
    );
    expect(await whatFails({ cert: cut, key: KEY })).toMatch(/^kafka\.ssl\.cert cannot be used: .+replaced/);
    expect(await whatFails({ cert: CERTIFICATE, key: KEY.slice(0, 200) })).toMatch(/^kafka\.ssl\.key cannot be used: /);
    expect(await whatFails({ cert: CERTIFICATE, key: OTHER_KEY })).toMatch(
      /^kafka\.ssl\.key does not belong to kafka\.ssl\.cert/,
    );
  });

  test('waits for credentials no longer than 5 s', async () => {
    const access = new KafkaAccess({ clock, credentials: () => new Promise(() => undefined) });
    const entering = access.entry();
    clock.advance(5_000);
    await expect(entering).rejects.toMatchObject({
      name: 'Retriable',
      message: expect.stringMatching(/not read within/),
    });
  });

  test('TN4 asks for another token after whatever answer of a broker is no, and not where a connection breaks', async () => {
    const endpoint = await openTokenEndpoint();
    const own = new ManualClock();
    const secrets = { clientId: 'c', clientSecret: 's' };
    const sasl = { mechanism: 'oauthbearer', tokenEndpoint: endpoint.url, ...secrets } as const;
    const access = new KafkaAccess({ clock: own, credentials: () => ({ ssl: false, sasl }) });
    const login = async (answer: string | Error): Promise<void> => {
      const saslAuthenticate = (): Promise<unknown> =>
        answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      const { sasl: mechanism } = await access.entry();
      const args = { saslAuthenticate } as unknown as AuthenticationProviderArgs;
      const failed = await mechanism!
        .authenticationProvider(args)
        .authenticate()
        .catch(() => undefined);
      expect(failed).toBeUndefined();
      own.advance(5_000);
    };
    await login(new errors['KafkaJSConnectionClosedError']!('Closed connection', {}));
    await login('');
    expect(endpoint.asked).toHaveLength(1);
    await login(new errors['KafkaJSProtocolError']!({ code: 58, type: 'SASL_AUTHENTICATION_FAILED', message: 'no' }));
    await login('{"status":"invalid_token"}');
    expect(endpoint.asked).toHaveLength(2);
    await login('');
    expect(endpoint.asked).toHaveLength(3);
    await endpoint.close();
  });

  test('AC3 asks for no token once the last that used it has gone', async () => {
    const sasl = { mechanism: 'oauthbearer', tokenEndpoint: 'http://127.0.0.1:9/', clientId: 'c', clientSecret: 's' };
    const access = fixedAccess(clock, { sasl: sasl as SaslCredentials });
    const [first, second] = [access.use(), access.use()];
    first();
    await expect(access.entry()).rejects.toThrow(/cannot be reached/);
    second();
    await expect(access.entry()).rejects.toThrow(/every connection is closed/);
  });
});
