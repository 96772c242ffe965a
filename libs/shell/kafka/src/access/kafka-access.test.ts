import { describe, expect, test } from '@jest/globals';
import { Misconfigured, Retriable } from '@flatline/base';
import { KafkaAccess, fixedAccess } from './kafka-access.ts';
import { ManualClock } from './manual-clock.fixture.ts';
import { makeAuthority } from '@flatline/dev-broker';

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
});
