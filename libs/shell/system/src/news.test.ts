import { expect, test } from '@jest/globals';
import { News } from './news.ts';

async function isHeard(waiting: Promise<void>): Promise<boolean> {
  let heard = false;
  void waiting.then(() => (heard = true));
  for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  return heard;
}

test('what comes between a look and the wait for it is not missed, and what was looked at is no news', async () => {
  const news = new News();
  news.look();
  news.tell();
  expect(await isHeard(news.some())).toBe(true);
  news.look();
  const waiting = news.some();
  expect(await isHeard(waiting)).toBe(false);
  news.tell();
  expect(await isHeard(waiting)).toBe(true);
});
