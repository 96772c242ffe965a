// The snippet for web pages of docs/CONFIGURATION.md, word for word, in a real browser; and who is told when a page has gone.
import { afterEach, expect, test } from '@jest/globals';
import { type CompletedSession, connect, type Flatline } from '@flatline/client';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedBrowser, openPage, Site } from './browser.fixture.ts';
import { killAll } from './child.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

const TIMEOUT_MS = 4_000;
const TOKEN = 'for pages & others';
const browser = installedBrowser();
const folder = mkdtempSync(join(tmpdir(), 'flatline-presence-'));

let scenario: Scenario | undefined;
let site: Site | undefined;
let flatline: Flatline | undefined;
afterEach(async () => {
  await flatline?.close();
  await killAll();
  site?.close();
  await scenario?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The block of the page that begins with that text. */
function snippet(): string {
  const page = readFileSync(new URL('../../../../docs/CONFIGURATION.md', import.meta.url), 'utf8');
  const [, code] = /```js\n(export function presence\([\s\S]*?)```/.exec(page) ?? [];
  if (code === undefined) throw new Error('docs/CONFIGURATION.md has no snippet for pages');
  return code;
}

/** The first socket of the page finds no server. */
const VISIT = `
  const Socket = WebSocket;
  let sockets = 0;
  globalThis.WebSocket = class extends Socket {
    constructor(url) {
      super(sockets++ === 0 ? url.replace(/:[0-9]+/, ':9') : url);
    }
  };
  const said = (what, value) => fetch('/said/' + what, { method: 'POST', body: JSON.stringify(value) });
  const here = presence(ingest, 'visits', 'anna & bert/7', token);
  while (!here.say({ type: 'VIEW', attributes: { page: '/cart' } })) await new Promise((next) => setTimeout(next, 50));
  const gone = presence(ingest, 'visits', 'gone', token);
  while (!gone.say({ type: 'VIEW' })) await new Promise((next) => setTimeout(next, 50));
  const ended = await gone.end();
  await said('present', { ended: ended.status, sockets });
  await fetch('/when/leave');
  location = '/elsewhere';`;

async function closedInPage(program: string): Promise<void> {
  const pages = (site = await Site.open());
  const file = join(folder, 'token');
  writeFileSync(file, TOKEN);
  const ingest = { port: 0, tokens: [{ file }], origins: [pages.origin()], pingIntervalMs: 100 };
  const visits = (scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 1, ingest }));
  const processor = visits.start();
  const { address } = JSON.parse(await processor.line(/takes heartbeats over HTTP/)) as { readonly address: string };
  await processor.line(/task runs/);
  const named = `const ingest = ${JSON.stringify(address)}, token = ${JSON.stringify(TOKEN)};`;
  pages.page('/visit', `${snippet()}${named}${VISIT}`);
  flatline = connect({ brokers: visits.kafka.brokers });
  const closed: CompletedSession[] = [];
  const closing = flatline.onClosed({ topic: visits.output, group: visits.application }, (session) => {
    closed.push(session);
  });
  const opened = openPage(program, join(folder, 'profile'), `${pages.origin()}/visit`);
  expect(await pages.said('present')).toEqual({ ended: 202, sockets: 3 });
  await sleep(1.5 * TIMEOUT_MS);
  expect(closed.map(({ keyText, summary }) => [keyText, summary.reason])).toEqual([['gone', 'ENDED']]);
  pages.tell('leave');
  while (closed.length < 2) await sleep(50);
  const { keyText, summary } = closed[1]!;
  expect([keyText, summary.reason, summary.attributes]).toEqual([
    'anna & bert/7',
    'TIMEOUT',
    new Map([['page', '/cart']]),
  ]);
  expect(summary.durationMs).toBeGreaterThan(TIMEOUT_MS);
  opened.child.kill('SIGTERM');
  await opened.finished;
  await flatline.close();
  await closing;
  expect(await visits.stop(processor)).toBe(0);
}

if (browser === undefined) {
  const missing = 'the presence of a page in a browser: no chromium or google-chrome is on the PATH';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
    expect(snippet()).toContain('WebSocket');
  });
} else
  test('[I2] a page is present while it is open, connects again, and onClosed hears that it has gone', () =>
    closedInPage(browser));
