// The dashboard as a test looks at it: its sizes and themes, what axe finds on it, and pictures of it.
import axe from 'axe-core';
import { join } from 'node:path';
import type { Page } from './devtools.fixture.ts';

export const LOOKS = {
  light: { width: 1_280, height: 900, scheme: 'light' },
  dark: { width: 1_280, height: 900, scheme: 'dark' },
  phone: { width: 390, height: 844, scheme: 'light' },
} as const;
export type LookName = keyof typeof LOOKS;

const AXE = axe.source;
const FRAMES = 'new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))';

export const tabOf = (name: string): string => `document.querySelector('nav a[href="#${name}"]').click()`;

export async function look(page: Page, name: LookName): Promise<void> {
  const { width, height, scheme } = LOOKS[name];
  await page.ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  await page.ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  await page.until(`innerWidth === ${width} && matchMedia('(prefers-color-scheme: ${scheme})').matches`);
  await page.value(FRAMES);
}

/** Violations in words. */
export async function violations(page: Page): Promise<unknown> {
  await page.value(`${AXE};0`);
  return page.value(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')))`,
  );
}

/** Pictures go to the folder that DASHBOARD_PICTURES names. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['DASHBOARD_PICTURES'];
  if (folder === undefined) return;
  await page.value(FRAMES);
  await page.picture(join(folder, `${name}.png`));
}
