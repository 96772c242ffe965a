// Heartbeats of a web page, from a real browser to the summaries: fetch with its preflight, a WebSocket whose pings the browser
// answers, and sendBeacon as the page goes.
import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedBrowser, openPage, Site } from './browser.fixture.ts';
import { killAll } from './child.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

const TIMEOUT_MS = 1_000;
const TOKEN = 'for pages & others';
const browser = installedBrowser();

/** Contains the token, and the browser's files. */
const folder = mkdtempSync(join(tmpdir(), 'flatline-browser-'));

let scenario: Scenario | undefined;
let site: Site | undefined;
afterEach(async () => {
  await killAll();
  site?.close();
  await scenario?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The beginning of all pages. */
function preamble(ingest: string): string {
  return `
    const url = (key) => '${ingest}/ingest/v1/visits/' + key;
    const token = ${JSON.stringify(TOKEN)};
    const query = '?token=' + encodeURIComponent(token);
    const headers = { authorization: 'Bearer ' + token };
    const view = JSON.stringify({ type: 'VIEW', attributes: { page: '/cart' } });
    const say = (what, value) => fetch('/said/' + what, { method: 'POST', body: JSON.stringify(value) });
    const sent = async (key, how, query = '') => (await fetch(url(key) + query, { method: 'POST', ...how })).status;`;
}

const VISIT = `
  const fetched = await sent('fetched', { headers, body: view });
  const begun = await sent('ended', { headers });
  const ended = await sent('ended', { headers, method: 'DELETE' });
  const refused = await sent('refused', {}, '?token=wrong');
  const socket = new WebSocket(url('socket').replace('http', 'ws') + query);
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  socket.send(view);
  await say('visited', { fetched, begun, ended, refused });
  await fetch('/when/leave');
  addEventListener('pagehide', () => {
    // The browser may keep the page for a while, to come back to: open, its socket would be answered for as long.
    socket.close();
    navigator.sendBeacon(url('left') + query, view);
  });
  location = '/elsewhere';`;

/** A page whose origin may not send. */
const STRANGER = `
  const refused = await sent('stranger', { headers }).catch(({ name }) => name);
  navigator.sendBeacon(url('stranger') + query, view);
  await say('strange', refused);`;

if (browser === undefined) {
  const missing = 'a page in a browser: no chromium or google-chrome is on the PATH';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
  });
} else
  test('[I2] what a page sends in each way a browser has becomes a session; other origins and tokens are refused', async () => {
    const pages = (site = await Site.open());
    const file = join(folder, 'token');
    writeFileSync(file, TOKEN);
    const ingest = { port: 0, tokens: [{ file }], origins: [pages.origin()], pingIntervalMs: 100 };
    const visits = (scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 1, ingest }));
    const processor = visits.start();
    const said = await processor.line(/takes heartbeats over HTTP/);
    const before = preamble((JSON.parse(said) as { readonly address: string }).address);
    pages.page('/stranger', before + STRANGER);
    pages.page(
      '/visit',
      `${before}
      const frame = document.createElement('iframe');
      frame.src = '${pages.origin('localhost')}/stranger';
      document.documentElement.append(frame);
      ${VISIT}`,
    );
    await processor.line(/task runs/);
    const opened = openPage(browser, join(folder, 'profile'), `${pages.origin()}/visit`);

    expect(await pages.said('strange')).toBe('TypeError');
    expect(await pages.said('visited')).toEqual({ fetched: 202, begun: 202, ended: 202, refused: 401 });
    // `fetched` has fallen silent; answers to pings alone keep `socket`.
    await visits.outputs(({ tombstones }) => tombstones.length === 2);
    pages.tell('leave');
    const { summaries } = await visits.outputs(({ tombstones }) => tombstones.length === 4);
    const closed = summaries.map(({ summary }) => ({ ...summary, key: Buffer.from(summary.key).toString() }));
    expect(closed.map(({ key, reason }) => `${key} ${reason}`).toSorted()).toEqual([
      'ended ENDED',
      'fetched TIMEOUT',
      'left TIMEOUT',
      'socket TIMEOUT',
    ]);
    for (const key of ['fetched', 'left', 'socket'])
      expect(closed.find((each) => each.key === key)!.attributes).toEqual(new Map([['page', '/cart']]));
    expect(closed.find(({ key }) => key === 'socket')!.durationMs).toBeGreaterThan(TIMEOUT_MS / 2);
    opened.child.kill('SIGTERM');
    await opened.finished;
    expect(await visits.stop(processor)).toBe(0);
  });
