// The dashboard in a real browser, on a real broker: sessions live and end on the page, partitions move, and nothing of it is markup.
import { afterEach, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { installedBrowser } from './browser.fixture.ts';
import { kill, killAll } from './child.fixture.ts';
import { look, LOOKS, type LookName, picture, tabOf, violations } from './dashboard.fixture.ts';
import { Page } from './devtools.fixture.ts';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { flatline, succeed } from './flatline.fixture.ts';
import { type ProducedRecord, recordOf } from './kinds.fixture.ts';
import { addressOf, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

/** A page that took it for markup would say so by its title. */
const HOSTILE = `<img src=x onerror="document.title='owned'"><b>&amp;/é`;
/**
 * From the navigation to the first thing that is drawn, with nothing cached, beside a page of a line of text from the same server.
 * A quiet machine had 52 ms beside 36: there it is stricter than the 300 ms that are promised.
 */
const PAINT_RATIO_MAX = 4;
const PAINTS = 5;
const LIST_EVERY_MS = 250;
const TABS = ['overview', 'partitions', 'entries', 'statistics', 'letters', 'deliveries'];

let scenario: Scenario | undefined;
let page: Page | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
  await killAll();
  await scenario?.dispose();
});

async function send(key: string, value: string | null): Promise<void> {
  await scenario!.producing(async (producer) => {
    await producer.send([{ ...recordOf(key, ''), value: value === null ? null : Buffer.from(value) }]);
  });
}

async function sendTo(topic: string, ...records: readonly ProducedRecord[]): Promise<void> {
  const connection = openCluster(scenario!.kafka);
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  await producer.send([...records]);
  await producer.close();
  connection.close();
}

/** Lists until all of these are in one row. */
async function listed(page: Page, cells: readonly string[]): Promise<void> {
  const isThere = `[...document.querySelectorAll('#next ~ .scroll tbody tr')].some((row) =>
    ${JSON.stringify(cells)}.every((text) => [...row.cells].some((cell) => cell.textContent === text)))`;
  while ((await page.value(isThere)) !== true) {
    await page.value(`[...document.querySelectorAll('.search button')].at(-1).click()`);
    await sleep(LIST_EVERY_MS);
  }
}

async function open(address: string): Promise<Page> {
  await ready(address);
  page = await Page.open(join(scenario!.folder, 'profile'));
  await page.ask('Page.navigate', { url: `${address}/` });
  await page.until(`document.querySelector('#live') !== null`);
  return page;
}

async function paintedMs(page: Page, url: string, isWhole: string): Promise<number> {
  await page.value(`globalThis.isOld = true`);
  await page.ask('Page.navigate', { url });
  const paint = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;
  await page.until(`globalThis.isOld !== true && ${paint} > 0 && ${isWhole}`);
  return (await page.value(paint)) as number;
}

/** The best of some loads each, in turns: others work on this machine, too. */
async function paintRatio(page: Page, address: string): Promise<number> {
  await page.ask('Network.enable');
  await page.ask('Network.setCacheDisabled', { cacheDisabled: true });
  let [bare, whole] = [Infinity, Infinity];
  for (let load = 0; load < PAINTS; load += 1) {
    bare = Math.min(bare, await paintedMs(page, `${address}/livez`, 'true'));
    whole = Math.min(whole, await paintedMs(page, `${address}/`, `document.querySelector('#live') !== null`));
  }
  await page.ask('Network.disable');
  process.stderr.write(`dashboard: first paint after ${Math.round(whole)} ms, of a bare page ${Math.round(bare)} ms\n`);
  return whole / bare;
}

const field = (name: string): string => `document.querySelector('#entry [data-field="${name}"]')?.textContent`;
const says = (selector: string, text: string): string =>
  `[...document.querySelectorAll('${selector}')].some((each) => each.textContent.includes(${JSON.stringify(text)}))`;
const press = (selector: string): string => `document.querySelector('${selector}').click()`;

if (installedBrowser() === undefined) {
  const missing = 'the dashboard in a browser: no chromium or google-chrome is on the PATH';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
  });
} else
  describe('the dashboard', () => {
    test('[H2][H7][Q1][Q4] a session appears, beats and is ended on it, and a hostile key is text', async () => {
      scenario = await Scenario.create({ timeoutMs: 60_000, partitions: 2 });
      const address = await addressOf(scenario.start());
      const page = await open(address);
      expect(await paintRatio(page, address)).toBeLessThan(PAINT_RATIO_MAX);
      await page.ask('Input.dispatchKeyEvent', { type: 'keyDown', key: '/', text: '/' });
      await page.until(`document.activeElement?.id === 'key'`);
      await page.value(`document.querySelector('#key').value = ${JSON.stringify(HOSTILE)}; ${press('.search button')}`);
      await page.until(`${field('state')} === 'none'`);
      await send(HOSTILE, '{"type":"VIEW","attributes":{"note":"<script>1</script>"}}');
      await page.until(`${field('state')} === 'live' && ${field('eventCount')} === '1'`);
      expect(await page.value(field('key'))).toBe(HOSTILE);
      await page.until(says('#entry td', 'opened by the record at offset 0 of partition'));
      await send(HOSTILE, '{"type":"BEAT"}');
      await page.until(`${field('eventCount')} === '2' && ${says('#entry td', 'heard')}`);
      await page.value(`[...document.querySelectorAll('.search button')].at(-1).click()`);
      await page.until(`document.querySelector('button.key')?.textContent === ${JSON.stringify(HOSTILE)}`);
      await picture(page, 'entry');
      await page.value(press('.acts button'));
      await page.until(says('.acts button', 'really end?'));
      await page.value(press('.acts button'));
      await page.until(`${field('state')} === 'none' && ${says('#entry td', 'CLOSED by ENDED at offset 0')}`);
      // Whoever looks only now sees the whole life, too.
      await page.value(tabOf('overview'));
      await page.until(`document.querySelector('#entry') === null`);
      await page.value(tabOf('entries'));
      await page.until(`document.querySelector('#key') !== null`);
      await page.value(`document.querySelector('#key').value = ${JSON.stringify(HOSTILE)}; ${press('.search button')}`);
      await page.until(says('#entry td', 'opened by the record at offset 0 of partition'));
      await page.until(says('#entry td', 'last heard by the record at offset'));
      await page.until(says('#entry td', 'CLOSED by ENDED at offset 0'));
      await send('lost', '{"type":"VIEW","attributes":{"gateway":"g7"}}');
      await page.value(`var key = document.querySelector('#key'); key.value = 'lost'; ${press('.search button')}`);
      await page.until(`${field('state')} === 'live'`);
      for (const [id, text] of Object.entries({ attribute: 'gateway', equals: 'g7' }))
        await page.value(
          `var at = document.querySelector('#${id}'); at.value = '${text}'; at.dispatchEvent(new Event('input'))`,
        );
      await page.value(`var evict = document.querySelector('#evict ~ .acts button'); evict.click()`);
      await page.until(says('.acts button', 'really evict?'));
      await page.value('evict.click()');
      await page.until(says('.said', 'evict is in the log of 2 partitions'));
      await page.until(`${field('state')} === 'none' && ${says('#entry td', 'CLOSED by EVICTED')}`);
      await page.value(tabOf('overview'));
      await page.until(says('figcaption', 'of 2 ended by'));
      expect(await page.value('document.title')).toBe('Flatline');
      expect(await page.value(`document.querySelectorAll('main img, main b, main script').length`)).toBe(0);
      expect(
        await page.value(`performance.getEntriesByType('resource').every(({ name }) => name.startsWith('${address}'))`),
      ).toBe(true);
      expect(page.complaints).toEqual([]);
    });

    test('[L4][B1][D1][Q4][I1] leases with who waits, windows, schedules: each is listed and has its acts, and what is refused is sent back', async () => {
      scenario = Scenario.unprovisioned({ timeoutMs: 60_000, partitions: 1 });
      const topicOf = (kind: string): string => `${scenario!.application}-${kind}`;
      const kinds = { lease: { timeoutMs: 60_000, onConflict: 'queue' }, debounce: { waitMs: 60_000 }, schedule: {} };
      const pipelines = Object.entries(kinds).map(([kind, settings]) => {
        const topics = { input: { topic: topicOf(kind) }, output: { topic: `${topicOf(kind)}-out` } };
        return { name: kind, kind, ...topics, ...settings };
      });
      scenario.setting('pipelines', pipelines);
      await succeed(['topics', 'create', '--config', scenario.config, '--partitions', '1', '--replication', '1']);
      const page = await open(await addressOf(scenario.start()));
      const start = (id: string): string => JSON.stringify({ type: 'STARTED', requestId: id });
      await sendTo(topicOf('lease'), recordOf('job', start('anna')), recordOf('job', start('bert')));
      await sendTo(topicOf('debounce'), recordOf('doc', '1'), recordOf('doc', '2'));
      const at = { 'flatline-schedule-id': 'x', 'flatline-cron': '0 9 * * *', 'flatline-time-zone': 'Europe/Berlin' };
      await sendTo(topicOf('schedule'), recordOf('mail', 'report', at));
      await page.value(tabOf('entries'));
      const cells = { lease: ['anna', 'bert'], debounce: ['2'], schedule: ['x', '0 9 * * * (Europe/Berlin)'] };
      for (const [kind, expected] of Object.entries(cells)) {
        const choice = `document.querySelector('.choices select')`;
        await page.value(`${choice}.value = '${kind}'; ${choice}.dispatchEvent(new Event('change'))`);
        await listed(page, expected);
        await picture(page, kind);
        await page.value(press('button.key'));
        await page.until(`document.querySelector('.acts button') !== null`);
      }
      expect(
        await page.value(`[...document.querySelectorAll('.acts button')].map((each) => each.textContent).join()`),
      ).toBe('cancel,pause,resume,trigger');
      await page.value(`var pause = document.querySelectorAll('.acts button')[1]; pause.click()`);
      await page.until(says('.acts button', 'really pause?'));
      await page.value('pause.click()');
      await page.until(`${field('paused')} === 'true'`);
      await sendTo(topicOf('schedule'), recordOf('mail', 'bad', { 'flatline-due-at': 'tomorrow' }));
      await page.value(tabOf('letters'));
      await page.until(says('h2', '1 refused of late, all as'));
      await picture(page, 'letters');
      await page.value(press('td button'));
      await page.until(says('td button', 'really replay?'));
      await page.value(press('td button'));
      await page.until(says('.said', '1 sent back') + ' && ' + says('td', 'replayed'));
      expect(page.complaints).toEqual([]);
    });

    test('[H7][X5] an instance is killed, and its partitions move on it; axe finds nothing, in any look', async () => {
      scenario = await Scenario.create({
        timeoutMs: 8_000,
        partitions: 8,
        pipeline: { standbys: 1, stats: { windows: ['10s'] } },
      });
      const address = await addressOf(scenario.start('anna'));
      const other = scenario.start('bert');
      const page = await open(address);
      const fleet = ['simulate', '--topic', scenario.input, '--sessions', '2000', '--rate', '150', '--brokers'];
      flatline([...fleet, scenario.kafka.brokers.join(',')]);
      await page.value(tabOf('partitions'));
      await page.until(`document.querySelectorAll('.cell.owner-1').length === 4`);
      await page.until(says('h2', 'All 8 partitions run'));
      await page.value(tabOf('overview'));
      await page.until(`document.querySelector('#closes').textContent > '1'`);
      // Both tell what is theirs.
      await page.until(`document.querySelector('#instances').textContent === '2 instances'`);
      for (const name of Object.keys(LOOKS) as LookName[]) {
        await look(page, name);
        for (const tab of TABS) {
          await page.value(tabOf(tab));
          await page.until(`document.querySelector('nav a[aria-current]').hash === '#${tab}'`);
          if (tab === 'entries') await page.until(`document.querySelector('button.key') !== null`);
          if (tab === 'statistics') await page.until(says('h3', 'sessions opened and'));
          await picture(page, `${name}-${tab}`);
          expect({ name, tab, violations: await violations(page) }).toEqual({ name, tab, violations: [] });
        }
      }
      await look(page, 'light');
      await page.value(tabOf('partitions'));
      await kill(other.child);
      await page.until(`document.querySelectorAll('.cell.owner-0').length === 8`);
      await page.until(says('h2', 'All 8 partitions run'));
      await page.until(says('#moves + .scroll td', 'from bert to anna'));
      await picture(page, 'moved');
      expect(page.complaints).toEqual([]);
    });
  });
