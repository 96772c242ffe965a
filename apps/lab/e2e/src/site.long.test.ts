// The site, built as `npm run site` builds it and opened from its folder in a real browser: it reads, searches, and asks no one.
import { afterEach, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedBrowser } from './browser.fixture.ts';
import { killAll, launch } from './child.fixture.ts';
import { Page } from './devtools.fixture.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'flatline-site-'));
const site = join(folder, 'site');
/** One of each group of the side, and of each depth of folders. */
const READ = ['docs/LEASES.html', 'docs/COMMANDS.html', 'docs/adr/index.html', 'docs/examples/presence/index.html'];

let page: Page | undefined;
afterEach(async () => {
  await page?.close();
  await killAll();
  rmSync(folder, { recursive: true, force: true });
});

test('the site has no dead reference, opens from a folder, and finds a page offline', async () => {
  const built = await launch('node', [
    '--conditions=@flatline/source',
    join(root, 'scripts/site/main.ts'),
    '--out',
    site,
  ]).finished;
  expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining(`open ${join(site, 'index.html')}`) });
  expect(READ.filter((path) => !existsSync(join(site, path)))).toEqual([]);
  if (installedBrowser() === undefined) {
    process.stderr.write('not run: the site in a browser: no chromium or google-chrome is on the PATH\n');
    return;
  }
  page = await Page.open(join(folder, 'profile'));
  const origin = pathToFileURL(site).href;
  for (const path of ['index.html', ...READ]) {
    await page.ask('Page.navigate', { url: `${origin}/${path}` });
    await page.until(`location.pathname.endsWith('/${path}') && document.readyState === 'complete'`);
    expect(await page.value(`document.querySelector('main h1')?.textContent.length > 3`)).toBe(true);
    expect(await page.value(`getComputedStyle(document.querySelector('header')).position`)).toBe('sticky');
    expect(await page.value(asked(origin))).toEqual([]);
  }
  await page.value(`document.querySelector('#search').focus()`);
  await page.value(`document.querySelector('#search').value = 'fencing token'`);
  await page.value(`document.querySelector('#search').dispatchEvent(new Event('input'))`);
  await page.until(`document.querySelectorAll('#found a').length > 0`);
  await page.value(`[...document.querySelectorAll('#found a')].find(({ href }) => href.includes('SPEC.html')).click()`);
  await page.until(`location.pathname.endsWith('/docs/SPEC.html') && document.readyState === 'complete'`);
  expect(await page.value(`document.querySelector('main').textContent.includes('fencing')`)).toBe(true);
  expect(await page.value(asked(origin))).toEqual([]);
  expect(page.complaints).toEqual([]);
});

/** Addresses elsewhere that a page has loaded from. */
function asked(origin: string): string {
  const loaded = `performance.getEntriesByType('resource').map(({ name }) => name)`;
  return `${loaded}.filter((name) => !name.startsWith('${origin}/') && !name.startsWith('data:'))`;
}
