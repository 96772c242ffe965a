// The dashboard's page with a thousand partitions and ten thousand rows: what it draws is bounded by what is in sight, and a change
// touches what it is about. Frames are told, and not judged: others work on this machine, too.
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedBrowser } from './browser.fixture.ts';
import { killAll } from './child.fixture.ts';
import { Crowd, ENTRIES, PARTITIONS } from './dashboard-crowd.fixture.ts';
import { picture, tabOf } from './dashboard.fixture.ts';
import { Page } from './devtools.fixture.ts';
import { framesWhile, scrolled } from './frames.fixture.ts';
import { sleep } from './scenario.fixture.ts';

/** Rows in sight, and some above and below. */
const ROWS_MAX = 60;
const BEATS = 8;
const BEAT_MS = 500;
/** As many as a message of 10 KB has. */
const BEAT_PARTITIONS = 120;
/** Likewise. */
const MOVED_AT_ONCE = 100;
const SCROLL_PX = 300;

let crowd: Crowd | undefined;
let page: Page | undefined;
let profile = '';
afterEach(async () => {
  await page?.close();
  await killAll();
  crowd?.close();
  rmSync(profile, { recursive: true, force: true });
});

const ANY_TOUCHED = 'framesSeen.touched.size > 0';
const rows = `document.querySelectorAll('.window tbody tr').length`;
const drawn = async (page: Page): Promise<void> => {
  await page.value('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))');
};

async function beating(crowd: Crowd): Promise<void> {
  for (let turn = 0; turn < BEATS; turn += 1) {
    crowd.beat(Array.from({ length: BEAT_PARTITIONS }, (_, at) => (turn * BEAT_PARTITIONS + at) % PARTITIONS));
    await sleep(BEAT_MS);
  }
}

if (installedBrowser() === undefined) {
  const missing = 'the dashboard in a crowd: no chromium or google-chrome is on the PATH';
  test(`not run: ${missing}`, () => {
    process.stderr.write(`not run: ${missing}\n`);
  });
} else
  describe('the dashboard in a crowd', () => {
    test('a thousand partitions and ten thousand rows: few are drawn, none in sight is missing, a change touches what it is about', async () => {
      profile = mkdtempSync(join(tmpdir(), 'flatline-crowd-'));
      const all = (crowd = await Crowd.open());
      const opened = (page = await Page.open(profile));
      await opened.ask('Page.navigate', { url: `${all.address}/` });
      await opened.until(`document.querySelector('#live') !== null`);
      await framesWhile(opened, 'overview', 'main', () => beating(all));
      await opened.value(tabOf('partitions'));
      await opened.until(`document.querySelectorAll('.cell').length === ${PARTITIONS}`);
      await picture(opened, 'crowd-partitions');
      const calm = await framesWhile(opened, 'partitions', '.grid', () => beating(all));
      expect(calm.touched).toBe(0);
      const one = await framesWhile(opened, 'one move', '.grid', async () => {
        all.move([7]);
        await opened.until(ANY_TOUCHED);
      });
      expect(one.touched).toBe(1);
      await framesWhile(opened, 'a rebalance of all', '.grid', async () => {
        for (let from = 0; from < PARTITIONS; from += MOVED_AT_ONCE) {
          all.move(Array.from({ length: MOVED_AT_ONCE }, (_, at) => from + at));
          await sleep(BEAT_MS);
        }
      });
      expect(await opened.value(rows)).toBeLessThanOrEqual(ROWS_MAX);
      let blank = -1;
      await framesWhile(opened, `${PARTITIONS} rows scrolled`, '.window', async () => {
        const telling = beating(all);
        blank = await scrolled(opened, '.window', SCROLL_PX / 3);
        await telling;
      });
      expect(blank).toBe(0);
      await opened.value(tabOf('entries'));
      await framesWhile(opened, `${ENTRIES} rows listed`, 'main', async () => {
        await opened.until(
          `document.querySelector('#next')?.textContent.startsWith('Of 10,000 sessions visitor-') === true`,
        );
      });
      expect(await opened.value(`document.querySelector('.window table').ariaRowCount`)).toBe(String(ENTRIES + 1));
      await framesWhile(opened, `${ENTRIES} rows scrolled`, '.window', async () => {
        const telling = beating(all);
        blank = await scrolled(opened, '.window', SCROLL_PX);
        await telling;
      });
      expect(blank).toBe(0);
      await drawn(opened);
      expect(await opened.value(rows)).toBeLessThanOrEqual(ROWS_MAX);
      await picture(opened, 'crowd-entries');
      expect(opened.complaints).toEqual([]);
    });
  });
