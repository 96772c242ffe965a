// An OpenID Connect issuer on loopback: keys that are replaced, answers that fail.
import { afterEach } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

export interface Issuer {
  readonly url: string;
  /** Requests for its document and its keys. */
  readonly asked: string[];
  /** Its behaviour from now on. */
  readonly is: { down: boolean; named: string | undefined };
  /** Another key, which alone it publishes from now on. */
  rotate(): Promise<void>;
  token(
    claims: Readonly<Record<string, unknown>>,
    how?: { readonly atMs?: number; readonly livesSeconds?: number },
  ): Promise<string>;
}

/** Until the test has ended. */
export async function issuer(): Promise<Issuer> {
  let kid = 0;
  let pair = await generateKeyPair('RS256', { extractable: true });
  const asked: string[] = [];
  const is: Issuer['is'] = { down: false, named: undefined };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = async (): Promise<string> => {
      if (request.url === '/keys')
        return JSON.stringify({
          keys: [{ ...(await exportJWK(pair.publicKey)), kid: `k${kid}`, alg: 'RS256', use: 'sig' }],
        });
      return JSON.stringify({ issuer: is.named ?? url, jwks_uri: `${url}/keys` });
    };
    response.setHeader('connection', 'close');
    if (is.down) response.writeHead(503).end();
    else void answer().then((text) => response.end(text));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    is,
    rotate: async () => {
      pair = await generateKeyPair('RS256', { extractable: true });
      kid += 1;
    },
    token: (claims, { atMs = 0, livesSeconds = 300 } = {}) =>
      new SignJWT({
        sub: 'anna',
        iss: url,
        aud: 'flatline',
        iat: atMs / 1_000,
        exp: atMs / 1_000 + livesSeconds,
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', kid: `k${kid}` })
        .sign(pair.privateKey),
  };
}
