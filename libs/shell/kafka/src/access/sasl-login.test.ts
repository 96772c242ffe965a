import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import type { AuthenticationProviderArgs } from 'kafkajs';
import { login } from './sasl-login.ts';

const require = createRequire(import.meta.url);
const errors = require('kafkajs/src/errors.js') as Record<string, new (...inputs: unknown[]) => Error>;
const lost = new errors['KafkaJSConnectionClosedError']!('Closed connection', {});
const refused = new errors['KafkaJSProtocolError']!({ code: 58, type: 'SASL_AUTHENTICATION_FAILED', message: 'no' });

/** kafkajs' side of a login: each step is answered with these bytes, or fails. */
function exchange(answer: Buffer | Error): { readonly args: AuthenticationProviderArgs; readonly sent: Buffer[] } {
  const sent: Buffer[] = [];
  const quiet = (): void => undefined;
  const logger = { info: quiet, error: quiet, warn: quiet, debug: quiet };
  const args: AuthenticationProviderArgs = {
    host: 'broker',
    port: 9,
    logger: { ...logger, namespace: () => args.logger, setLogLevel: quiet },
    saslAuthenticate: async ({ request, response }) => {
      sent.push(await request.encode());
      if (answer instanceof Error) throw answer;
      const sized = Buffer.concat([Buffer.from([0, 0, 0, answer.length]), answer]);
      return response?.parse(await response.decode(sized));
    },
  };
  return { args, sent };
}

const plain = { mechanism: 'plain', username: 'u', password: 'p' } as const;
const token = { mechanism: 'oauthbearer', token: 'abc', extensions: {} } as const;

describe('a login', () => {
  test.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    '[kafkajs 26] by %s that breaks in the middle is no refusal',
    async (mechanism) => {
      await expect(login(exchange(lost).args, { ...plain, mechanism })).rejects.toBe(lost);
      await expect(login(exchange(refused).args, { ...plain, mechanism })).rejects.toMatchObject({
        name: 'KafkaJSSASLAuthenticationError',
        message: expect.stringMatching(/failed: no$/),
      });
    },
  );

  test('[kafkajs 27] by a token is one only where the broker has nothing to say', async () => {
    await login(exchange(Buffer.alloc(0)).args, token);
    await expect(login(exchange(Buffer.from('{"status":"invalid_token"}')).args, token)).rejects.toMatchObject({
      name: 'Misconfigured',
      message: expect.stringMatching(/refuses the token \(\{"status":"invalid_token"\}\).*kafka\.sasl\.tokenEndpoint/),
    });
    await expect(login(exchange(lost).args, token)).rejects.toBe(lost);
  });

  test('by a token sends it and its extensions as RFC 7628 has them', async () => {
    const { args, sent } = exchange(Buffer.alloc(0));
    await login(args, { ...token, extensions: { pool: 'p-1', cluster: 'c' } });
    await login(args, token);
    expect(sent.map((bytes) => bytes.subarray(4).toString())).toEqual([
      'n,,\u0001auth=Bearer abc\u0001pool=p-1\u0001cluster=c\u0001\u0001',
      'n,,\u0001auth=Bearer abc\u0001\u0001',
    ]);
    expect(sent[1]!.readInt32BE()).toBe(sent[1]!.length - 4);
  });
});
