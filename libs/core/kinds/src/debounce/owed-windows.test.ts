import { expect, test } from '@jest/globals';
import { BATCH_REASONS, NEXT_SAID } from './owed-windows.ts';

test('[K9] the numbers of reasons, and of what is said next, are those of FORMATS', () => {
  const reasons = ['LEADING', 'QUIET', 'WINDOW', 'MAX_WAIT', 'MAX_ITEMS', 'MAX_BYTES', 'FLUSHED', 'CANCELLED'];
  expect(BATCH_REASONS).toEqual(reasons);
  const next = NEXT_SAID.map((said) => said && `${said.reason}${said.ends ? ' ends' : ''}`);
  expect(next).toEqual([undefined, 'LEADING', 'LEADING ends', 'FLUSHED ends', 'MAX_ITEMS ends', 'MAX_BYTES ends']);
});
