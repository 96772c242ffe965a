// How smoothly a page draws while something is done to it, and what of it is touched.
import type { Page } from './devtools.fixture.ts';

export interface Frames {
  readonly frames: number;
  /** Milliseconds between two. */
  readonly longestMs: number;
  /** Further apart than one and a half of a display with sixty a second. */
  readonly late: number;
  /** Tasks of more than 50 ms. */
  readonly longTasks: number;
  /** Elements below `within` that were changed. */
  readonly touched: number;
}

const BEGIN = `(within) => {
  const seen = { gaps: [], longTasks: 0, touched: new Set(), isOn: true };
  let last = 0;
  const draw = (now) => {
    if (last > 0) seen.gaps.push(now - last);
    last = now;
    if (seen.isOn) requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  seen.tasks = new PerformanceObserver((list) => (seen.longTasks += list.getEntries().length));
  seen.tasks.observe({ entryTypes: ['longtask'] });
  seen.changes = new MutationObserver((all) => all.forEach(({ target }) => seen.touched.add(target)));
  const each = { subtree: true, childList: true, characterData: true, attributes: true };
  seen.changes.observe(document.querySelector(within), each);
  globalThis.framesSeen = seen;
}`;
const END = `(() => {
  const { gaps, longTasks, touched, tasks, changes } = framesSeen;
  framesSeen.isOn = false;
  tasks.disconnect();
  changes.disconnect();
  const late = gaps.filter((gap) => gap > 25).length;
  return { frames: gaps.length, longestMs: Math.round(Math.max(...gaps)), late, longTasks, touched: touched.size };
})()`;
/** Scrolls an element to its end, so many pixels a frame. */
const SCROLL = `(selector, step) => new Promise((done) => {
  const at = document.querySelector(selector);
  let blank = 0;
  const go = () => {
    const top = at.getBoundingClientRect().top;
    const rows = [...at.querySelectorAll('tbody tr:not([aria-hidden])')].map((row) => row.getBoundingClientRect());
    if (rows[0].top > top + 40 || rows.at(-1).bottom < top + at.clientHeight - 1) blank += 1;
    at.scrollTop += step;
    if (at.scrollTop + at.clientHeight < at.scrollHeight - 1) requestAnimationFrame(go);
    else done(blank);
  };
  requestAnimationFrame(go);
})`;

/** Tells what was seen while `act` ran, on standard error, too. */
export async function framesWhile(
  page: Page,
  name: string,
  within: string,
  act: () => Promise<unknown>,
): Promise<Frames> {
  await page.value(`(${BEGIN})(${JSON.stringify(within)})`);
  await act();
  const seen = (await page.value(END)) as Frames;
  const { frames, late, longestMs, longTasks, touched } = seen;
  const words = `${frames} frames, ${late} late, at most ${longestMs} ms apart; ${longTasks} long tasks`;
  process.stderr.write(`dashboard, ${name}: ${words}; ${touched} nodes touched\n`);
  return seen;
}

/** @returns how often a part of what was in sight was not drawn */
export async function scrolled(page: Page, selector: string, stepPx: number): Promise<number> {
  return (await page.value(`(${SCROLL})(${JSON.stringify(selector)}, ${stepPx})`)) as number;
}
