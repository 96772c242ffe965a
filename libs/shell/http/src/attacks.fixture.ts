// Attacks of senders without a token on a server behind the guard: whole requests that are damaged, and pieces of them.
import { seededRandom } from '@flatline/base';

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'PRI', 'get', 'CONNECT', ''];
const PATHS = [
  '/look',
  '/act/k',
  '//look',
  '/./look',
  '/probe/../look',
  '/look/',
  '/LOOK',
  '/look%00',
  '/%6cook',
  '/act/%2e%2e%2flook',
  '/act/..;/look',
  '/look;x=1',
  '/look?role=admin',
  'http://127.0.0.1/look',
  'http://elsewhere.example/look',
  '*',
  '/act/%ff%fe',
  '/act/%',
  `/act/${'a'.repeat(20_000)}`,
  '/__proto__',
  '/constructor',
];
const HEADERS = [
  'Authorization: Bearer',
  'Authorization: Bearer undefined',
  'Authorization: Bearer null',
  'Authorization: Bearer flt_' + 'A'.repeat(43),
  'Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIiwicm9sZXMiOlsiYWRtaW4iXX0.',
  'Authorization: Basic YWRtaW46YWRtaW4=',
  'X-Forwarded-For: 127.0.0.1',
  'X-Original-URL: /look',
  'X-HTTP-Method-Override: GET',
  'Forwarded: for=127.0.0.1;proto=https',
  'flatline-forwarded: shop.visits',
  'Cookie: token=admin',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked, identity',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Content-Type: application/json',
  'Content-Type: text/plain',
  'Host: 127.0.0.1',
  'Host: evil.example',
  ' folded: yes',
  'nul\0header: x',
  'X-Long: ' + 'x'.repeat(30_000),
];
const BODIES = [
  '',
  '{}',
  '{"__proto__":{"role":"admin"}}',
  '5\r\nhello\r\n0\r\n\r\n',
  'GET /look HTTP/1.1\r\n\r\n',
  '\0\0\0\0',
];
const ENDS = ['\r\n', '\n', '\r', '\r\n\r\n'];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', 'ICY/1.1', ''];

/** The same for the same seed. */
export function* attacks(seed: number): Generator<string> {
  const random = seededRandom(seed);
  const next = (below: number): number => random.below(below);
  const one = (from: readonly string[]): string => from[next(from.length)]!;
  for (;;) {
    const end = next(4) === 0 ? one(ENDS) : '\r\n';
    const headers = Array.from({ length: next(5) }, () => one(HEADERS));
    const host = next(8) === 0 ? [] : ['Host: 127.0.0.1'];
    const text = [
      `${one(METHODS)} ${one(PATHS)} ${next(3) === 0 ? one(VERSIONS) : 'HTTP/1.1'}`,
      ...host,
      ...headers,
    ].join(end);
    const whole = `${text}${end}${end}${one(BODIES)}`;
    yield next(3) === 0 ? damaged(whole, next) : whole;
  }
}

function damaged(text: string, next: (below: number) => number): string {
  const at = next(text.length);
  const kind = next(4);
  if (kind === 0) return text.slice(0, at);
  if (kind === 1) return `${text.slice(0, at)}${String.fromCharCode(next(256))}${text.slice(at + 1)}`;
  if (kind === 2) return `${text.slice(0, at)}${text.slice(at + 1)}`;
  return `${text.slice(0, at)}${text}`;
}

/** Requests that two servers in a row may read differently (RFC 9112, 11.2), each with another one hidden in it. */
export const SMUGGLED: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ['length and chunks', 'Content-Length: 6\r\nTransfer-Encoding: chunked', '0\r\n\r\nG'],
      ['two lengths', 'Content-Length: 0\r\nContent-Length: 44', ''],
      ['a list of lengths', 'Content-Length: 0, 44', ''],
      ['a length with a sign', 'Content-Length: +0', ''],
      ['a space before the colon', 'Transfer-Encoding : chunked', '0\r\n\r\n'],
      ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
      ['a coding that is none', 'Transfer-Encoding: xchunked', '0\r\n\r\n'],
      ['a folded line', 'Transfer-Encoding:\r\n chunked', '0\r\n\r\n'],
      ['a bare line feed', 'X: y\nTransfer-Encoding: chunked', '0\r\n\r\n'],
      ['a bare carriage return', 'X: y\rTransfer-Encoding: chunked', '0\r\n\r\n'],
      ['a chunk size that is none', 'Transfer-Encoding: chunked', '0x0\r\n\r\n'],
      ['a chunk that ends with a bare line feed', 'Transfer-Encoding: chunked', '1\nx\n0\n\n'],
      ['a chunk longer than it says', 'Transfer-Encoding: chunked', '1\r\nxGET /look HTTP/1.1\r\n'],
    ] as const
  ).map(([name, headers, body]) => [name, `POST /none HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n\r\n${body}`]),
);
