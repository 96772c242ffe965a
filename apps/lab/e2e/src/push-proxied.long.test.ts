// Subscriptions through Debian's nginx, with its defaults, and from there in a browser: a page of the same origin hears a session open,
// beat and close.
import { afterEach, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { installedBrowser, openPage, Site } from './browser.fixture.ts';
import { killAll } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, ready } from './metrics.fixture.ts';
import { installedNginx, startNginx } from './nginx.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

const UPDATE_MS = 100;
const nginx = installedNginx();
const browser = installedBrowser();

let scenario: Scenario | undefined;
let site: Site | undefined;
afterEach(async () => {
  await killAll();
  site?.close();
  await scenario?.dispose();
});

/** Told by the page, one by one: what it has heard, by event, and by state for outputs. */
const PAGE = `
  const source = new EventSource('/api/v1/events/visits?key=anna');
  const say = (name, value) => fetch('/said/' + name, { method: 'POST', body: JSON.stringify(value) });
  for (const kind of ['subscribed', 'snapshot', 'output'])
    source.addEventListener(kind, ({ data, lastEventId }) => {
      const { state, value } = JSON.parse(data);
      const name = kind === 'output' ? (value === null ? 'tombstone' : value.state) : kind;
      say(name, { state, hasId: lastEventId !== '', eventCount: value?.eventCount });
    });`;

/** Appends it to the input; undefined: a null. */
async function send(value: string | null): Promise<void> {
  await scenario!.producing(async (producer) => {
    await producer.send([{ ...recordOf('anna', ''), value: value === null ? null : Buffer.from(value) }]);
  });
}

/** The address of nginx before a processor, and pages of the test's. */
async function begin(program: string): Promise<string> {
  const emit = ['opened', 'updated', 'closed'];
  const pipeline = { emit, updateIntervalMs: UPDATE_MS } as object;
  scenario = await Scenario.create({ timeoutMs: 60_000, partitions: 1, pipeline });
  site = await Site.open();
  const processor = await addressOf(scenario.start());
  await ready(processor);
  return startNginx(program, scenario.folder, { processor, site: site.origin() });
}

/** Waits until the session is due for the next record of its update. */
async function beat(): Promise<void> {
  await sleep(2 * UPDATE_MS);
  await send('{"type":"BEAT"}');
}

if (nginx === undefined) {
  const missing = 'subscriptions through nginx: it is not installed (apt-get install nginx, as .ci/run does)';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
  });
} else {
  test('[Q3] nginx hands on each event as it comes, with its defaults, and a subscription goes on through it', async () => {
    const address = await begin(nginx);
    const stop = new AbortController();
    const heard = await fetch(`${address}/api/v1/events/visits?key=anna`, { signal: stop.signal });
    expect(heard.headers.get('content-type')).toContain('text/event-stream');
    const reader = heard.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (wanted: string): Promise<void> => {
      while (!text.includes(wanted)) text += (await reader.read()).value ?? '';
    };
    // Each comes before the next is brought about: nothing waits for a buffer to fill, or for the end.
    await until('event: snapshot');
    await send('{"type":"VIEW"}');
    await until('"OPENED"');
    const [, id] = [...text.matchAll(/^id: (\S+)$/gmu)].at(-1)!;
    stop.abort();
    await send(null);
    const again = await fetch(`${address}/api/v1/events/visits?key=anna`, { headers: { 'last-event-id': id! } });
    const further = again.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    while (!rest.includes('"value":null')) rest += (await further.read()).value ?? '';
    expect(rest).toContain('"CLOSED"');
    expect(rest).not.toContain('"OPENED"');
    expect(rest).not.toContain('event: snapshot');
    await further.cancel();
  });
}

if (nginx === undefined || browser === undefined) {
  const missing =
    'a page with EventSource: nginx, and chromium or google-chrome, have to be installed, as .ci/run does';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
  });
} else
  test('[Q3][H7][S11] a page of the same origin hears a session open, beat and close', async () => {
    const address = await begin(nginx);
    site!.page('/presence', PAGE);
    const opened = openPage(browser, join(scenario!.folder, 'profile'), `${address}/presence`);
    expect(await site!.said('snapshot')).toEqual({ state: 'none', hasId: true });
    await send('{"type":"VIEW"}');
    expect(await site!.said('OPENED')).toMatchObject({ hasId: true, eventCount: 1 });
    await beat();
    expect(await site!.said('UPDATED')).toMatchObject({ hasId: true, eventCount: 2 });
    await send(null);
    expect(await site!.said('CLOSED')).toMatchObject({ hasId: true, eventCount: 3 });
    expect(await site!.said('tombstone')).toMatchObject({ hasId: true });
    opened.child.kill('SIGTERM');
    await opened.finished;
  });
