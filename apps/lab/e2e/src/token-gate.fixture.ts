// A proxy of a secured broker's token endpoint, which treats its clients as a test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

export type GateMode = 'pass' | 'away' | 'refuses' | 'fails' | 'garbage' | 'hangs' | 'endless' | 'forged';

/** Lifetime of a token, in seconds. */
const LIFETIME_SECONDS = 4;
const CHUNK = Buffer.alloc(65_536, 'x');

export class TokenGate {
  readonly url: string;
  mode: GateMode = 'pass';
  /** Tokens that were handed out. */
  given = 0;
  /** Requests, whatever their outcome. */
  asked = 0;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async open(endpoint: string): Promise<TokenGate> {
    const server = createServer((request, response) => {
      // Failures on the way are visible to the client.
      gate.#serve(endpoint, request, response).catch(() => response.destroy());
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        resolve((server.address() as AddressInfo).port);
      });
    });
    const gate = new TokenGate(
      `http://127.0.0.1:${port}/token`,
      () =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(() => {
            resolve();
          });
        }),
    );
    return gate;
  }

  close(): Promise<void> {
    return this.#close();
  }

  async #serve(endpoint: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    switch (this.mode) {
      case 'away':
        response.destroy();
        return;
      case 'refuses':
        response.writeHead(401).end('{"error":"invalid_client"}');
        return;
      case 'fails':
        response.writeHead(500).end();
        return;
      case 'garbage':
        response.end('<html>Sign in</html>');
        return;
      case 'hangs':
        return;
      case 'endless':
        await endless(response);
        return;
      case 'forged':
        response.end(JSON.stringify({ access_token: forged(), expires_in: LIFETIME_SECONDS }));
        return;
      case 'pass':
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(`${endpoint}?lifetimeSeconds=${LIFETIME_SECONDS}`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: Buffer.concat(parts).toString('utf8'),
    });
    this.given += 1;
    response.writeHead(answer.status).end(await answer.text());
  }
}

/** Sends for as long as the client reads: gigabytes, if it does. */
async function endless(response: ServerResponse): Promise<void> {
  response.writeHead(200);
  await pipeline(function* () {
    for (;;) yield CHUNK;
  }, response);
}

/** A token with a signature that nothing verifies. */
function forged(): string {
  const now = Math.floor(Date.now() / 1_000);
  const said = [
    { alg: 'RS256', kid: 'flatline-development' },
    { sub: 'flatline', aud: 'kafka', iat: now, exp: now + LIFETIME_SECONDS },
  ];
  return [...said.map((each) => Buffer.from(JSON.stringify(each)).toString('base64url')), 'AAAA'].join('.');
}
