// A port with TLS and tokens on real processors: instances that answer for each other through it, and attacks on it while sessions
// beat. What is sent in large numbers to the guard alone is in libs/shell/http.
import { type Random, randomBytes, seededRandom } from '@flatline/base';
import { directory } from '@flatline/client';
import { issueCertificate, makeAuthority } from '@flatline/dev-broker';
import { accessTokenHash, HttpAsker, newAccessToken } from '@flatline/system';
import { afterEach, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const DAMAGED = Number(process.env['F20_REQUESTS'] ?? 2_000);
const IDLE = Number(process.env['F20_SOCKETS'] ?? 2_000);
const TIMEOUT_MS = 10_000;
const BEAT_MS = 500;
const LOOK_MS = 100;

const READER = newAccessToken();
const ADMIN = newAccessToken();

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** With certificates of one authority in files of the scenario; returns the path of that. */
function protect(changes: object = {}): string {
  const now = Date.now();
  const authority = makeAuthority(now);
  const { key, certificate } = issueCertificate(authority, { commonName: 'i', forLoopback: true, isPeer: true }, now);
  const write = (name: string, text: string): string => {
    writeFileSync(join(scenario.folder, name), text);
    return name;
  };
  const http = {
    port: 0,
    tls: {
      cert: write('i.pem', certificate),
      key: { file: write('i.key', key) },
      ca: write('ca.pem', authority.certificate),
    },
    auth: {
      tokens: [
        { name: 'reader', role: 'read', hash: accessTokenHash(READER) },
        { name: 'ops', role: 'admin', hash: accessTokenHash(ADMIN) },
      ],
    },
    ...changes,
  };
  const config = JSON.parse(readFileSync(scenario.config, 'utf8')) as object;
  writeFileSync(scenario.config, JSON.stringify({ ...config, http }));
  return join(scenario.folder, 'ca.pem');
}

async function addressOf(running: Running): Promise<string> {
  return /https:\/\/\S+?(?=;)/.exec(await running.line(/Answers over HTTP/))![0];
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

async function ready(asker: HttpAsker, address: string): Promise<void> {
  while ((await asker.ask(`${address}/readyz`, { withinMs: 5_000 })).status !== 200) await sleep(LOOK_MS);
}

test('[H1][I4] beyond loopback without TLS or callers a processor does not start: exit code 2, setting, value, remedy', async () => {
  scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS });
  const { code, stderr } = await flatline(['run', '--config', scenario.config], { FLATLINE_HTTP_HOST: '0.0.0.0' })
    .finished;
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /FLATLINE_HTTP_HOST \(http\.host\) is "0\.0\.0\.0": beyond loopback it needs http\.tls .*http\.auth/,
  );
});

test('[H2][H4][H6][Q1] two instances answer for each other over TLS, callers by their roles; an act has its line', async () => {
  scenario = await Scenario.create({ timeoutMs: 60_000 });
  const ca = protect();
  const asker = new HttpAsker({ ca: readFileSync(ca, 'utf8') });
  const [a, b] = [scenario.start('a'), scenario.start('b')];
  const addresses = [await addressOf(a), await addressOf(b)];
  for (const address of addresses) await ready(asker, address);
  const users = Array.from({ length: 20 }, (_, i) => `user ${i}`);
  await scenario.producing((producer) => producer.send(users.map((key) => recordOf(key, '{"type":"VIEW"}'))));
  for (const url of addresses)
    for (const key of users) {
      const path = `${url}/api/v1/entries/visits/${encodeURIComponent(key)}?proof=now`;
      const { status, text } = await asker.ask(path, { headers: bearer(READER), withinMs: 5_000 });
      expect({ status, text: JSON.parse(text) as unknown }).toMatchObject({
        status: 200,
        text: { key, from: 'owner' },
      });
      expect((await asker.ask(path, { withinMs: 5_000 })).status).toBe(401);
    }
  const found = await directory({ urls: addresses, pipeline: 'visits', token: READER, ssl: { ca } }).getAll(users);
  expect(found.map(({ state }) => state)).toEqual(users.map(() => 'live'));
  const restart = (token: string) =>
    asker.ask(`${addresses[0]!}/api/v1/partitions/visits/0/restart`, {
      method: 'POST',
      headers: bearer(token),
      withinMs: 5_000,
    });
  expect((await restart(READER)).status).toBe(403);
  expect([404, 409]).toContain((await restart(ADMIN)).status);
  expect(await a.line(/audit: act refused.*"who":"reader"/)).toContain('POST /api/v1/partitions/visits/0/restart');
  expect(await a.line(/audit: act".*"who":"ops"/)).toContain('"outcome":"refused"');
  const status = ['status', '--url', addresses[0]!, '--ca', ca];
  writeFileSync(join(scenario.folder, 'token'), READER);
  const shown = await flatline([...status, '--token-file', join(scenario.folder, 'token')]).finished;
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 instances') });
  const refused = await flatline(status).finished;
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--token-file names a file') });
  for (const printed of [a.printed(), b.printed(), shown.stdout])
    for (const secret of [READER, ADMIN]) expect(printed).not.toContain(secret);
});

test(`[F20][H5] idle sockets, slow and damaged requests over TLS and below it: nothing let in, no session ends that beats (seed ${SEED})`, async () => {
  scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
  const ca = readFileSync(protect({ maxConnections: Math.ceil(IDLE / 2) }), 'utf8');
  const asker = new HttpAsker({ ca });
  const running = scenario.start('a');
  const address = await addressOf(running);
  await ready(asker, address);
  const port = Number(new URL(address).port);
  const users = Array.from({ length: 50 }, (_, i) => `user ${i}`);
  let isOver = false;
  const beating = scenario.producing(async (producer) => {
    await producer.send([recordOf('silent', '{"type":"VIEW"}')]);
    while (!isOver) {
      await producer.send(users.map((key) => recordOf(key, '')));
      await sleep(BEAT_MS);
    }
  }, running);
  // Awaited at the end; until then another failure is what is told.
  beating.catch(() => undefined);
  const random = seededRandom(SEED);
  const idle = Array.from({ length: IDLE }, () => opened(connectPlain(port, '127.0.0.1')));
  let answers = 0;
  for (let at = 0; at < DAMAGED; at += 50) {
    await Promise.all(Array.from({ length: 50 }, () => attack(port, random)));
    const { status } = await asker.ask(`${address}/metrics`, { headers: bearer(READER), withinMs: 30_000 });
    expect(status).toBe(200);
    answers += 1;
  }
  expect(answers).toBe(Math.ceil(DAMAGED / 50));
  // The one that fell silent ends meanwhile, and no other.
  await scenario.outputs(({ summaries }) => summaries.length > 0);
  const { summaries } = await scenario.outputsNow();
  expect(summaries.map(({ summary }) => Buffer.from(summary.key).toString())).toEqual(['silent']);
  isOver = true;
  await beating;
  for (const socket of idle) socket.destroy();
  await scenario.outputs(({ summaries: all }) => all.length === users.length + 1);
  await expectVerified(scenario);
});

function opened<T extends Socket>(socket: T): T {
  socket.on('error', () => undefined).resume();
  return socket;
}

const LINES = [
  'GET /metrics HTTP/1.1',
  'POST /api/v1/partitions/visits/0/restart HTTP/1.1',
  'GET /api/v1/entries/visits/%ff HTTP/1.1',
];
const HEADERS = [
  'Host: x',
  'Authorization: Bearer flt_x',
  'Content-Length: 9',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
];

/** One connection with what is no request, or none that may be: in clear, over TLS, or bytes in place of its handshake. */
async function attack(port: number, random: Random): Promise<void> {
  const one = (from: readonly string[]): string => from[random.below(from.length)]!;
  const text = [one(LINES), one(HEADERS), one(HEADERS), '', one(['', '{}', '0\r\n\r\n'])].join('\r\n');
  const bytes = random.chance(0.3) ? randomBytes(random, 200) : Buffer.from(text);
  if (random.chance(0.3)) bytes[random.below(bytes.length)] = random.below(256);
  const isSecure = random.chance(0.7);
  const socket = opened(
    isSecure ? connect({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connectPlain(port, '127.0.0.1'),
  );
  const said: Buffer[] = [];
  socket.on('data', (part: Buffer) => said.push(part));
  socket.end(bytes);
  await new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
  expect(Buffer.concat(said).toString('latin1')).not.toMatch(/^HTTP\/1\.1 2/m);
}
