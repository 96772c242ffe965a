// docs/FORMATS.md lists the reasons of dead letters as they are here.
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { DEAD_LETTER_REASONS, invalidHeader, isDeadLetterReason } from './dead-letter-reasons.ts';

test('[I1] the page has each reason once, in this order, in these words', () => {
  const page = readFileSync(new URL('../../../../docs/FORMATS.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('\n## Dead letters'), page.indexOf('\n## Changelog'));
  const rows = [...section.matchAll(/^\| `(\S+)` +\| (.*?) *\|$/gm)].map(([, code, words]) => [code, words]);
  expect(rows).toEqual(Object.entries(DEAD_LETTER_REASONS));
});

test('[I1] a reason is known by its code, and nothing else of an object', () => {
  expect(['null-key', invalidHeader('flatline-due-at')].map(isDeadLetterReason)).toEqual([true, true]);
  expect(['nul-key', 'toString', '__proto__', ''].map(isDeadLetterReason)).toEqual([false, false, false, false]);
});
