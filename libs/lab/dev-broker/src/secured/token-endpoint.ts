// The token endpoint of a secured broker's OAUTHBEARER: OAuth 2's grant of client credentials (RFC 6749, 4.4), on loopback.
// `node token-endpoint.ts <port> <folder of secured files>`
//
// A client is a user of the broker, and its secret that user's password, read for each request. `?lifetimeSeconds=5` asks for a
// token of that lifetime.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { LOOPBACK } from '../ports.ts';
import { isUser, TOKEN_KEY_ID } from './secured-files.ts';
import { TOKEN_AUDIENCE, tokenIssuer } from './secured-properties.ts';

const LIFETIME_SECONDS = 300;
const LIFETIME_SECONDS_MAX = 86_400;
const REQUEST_BYTES_MAX = 16_384;

const [, , port = '', folder = ''] = process.argv;
const key = createPrivateKey(readFileSync(join(folder, 'tokens.key')));

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function answerTo(request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url ?? '/', tokenIssuer(Number(port)));
  if (url.pathname !== '/token') return { status: 404, body: { error: 'not_found' } };
  if (request.method !== 'POST') return { status: 405, body: { error: 'invalid_request' } };
  const form = new URLSearchParams(await textOf(request));
  if (form.get('grant_type') !== 'client_credentials')
    return { status: 400, body: { error: 'unsupported_grant_type' } };
  const client = clientOf(request.headers.authorization);
  if (client === undefined) return { status: 401, body: { error: 'invalid_client' } };
  const asked = Number(url.searchParams.get('lifetimeSeconds') ?? LIFETIME_SECONDS);
  const seconds = asked > 0 && asked <= LIFETIME_SECONDS_MAX ? asked : LIFETIME_SECONDS;
  const scope = form.get('scope') ?? 'kafka';
  const body = { access_token: token(key, { sub: client, scope }, seconds), token_type: 'Bearer', expires_in: seconds };
  return { status: 200, body };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > REQUEST_BYTES_MAX) throw new Error(`a request of more than ${REQUEST_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The user in an HTTP Basic header with the right password (RFC 6749, 2.3.1). */
function clientOf(authorization: string | undefined): string | undefined {
  const [, encoded = ''] = /^Basic (.+)$/.exec(authorization ?? '') ?? [];
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':').map(fromForm);
  return isUser(id) && secret !== '' && secret === readFileSync(join(folder, `${id}.password`), 'utf8')
    ? id
    : undefined;
}

function fromForm(text: string): string {
  return new URLSearchParams(`text=${text}`).get('text') ?? '';
}

/** A JSON web token (RFC 7519), signed with RS256. */
function token(signer: KeyObject, claims: Readonly<Record<string, string>>, seconds: number): string {
  const now = Math.floor(Date.now() / 1_000);
  const issued = { iss: tokenIssuer(Number(port)), aud: TOKEN_AUDIENCE, iat: now, exp: now + seconds };
  const said = [
    { alg: 'RS256', typ: 'JWT', kid: TOKEN_KEY_ID },
    { ...issued, ...claims },
  ];
  const text = said.map((each) => Buffer.from(JSON.stringify(each)).toString('base64url')).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), signer).toString('base64url')}`;
}

createServer((request, response) => {
  const send = ({ status, body }: Answer): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  };
  answerTo(request).then(send, () => {
    send({ status: 400, body: { error: 'invalid_request' } });
  });
}).listen(Number(port), LOOPBACK);
