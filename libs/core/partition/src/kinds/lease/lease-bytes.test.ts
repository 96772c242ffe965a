// The bytes of leases in the changelog, which other processes read for years.
import { expect, test } from '@jest/globals';
import { changedLease } from './changed-lease.fixture.ts';
import { bears, brief, END, T } from './leases.fixture.ts';

test('[K9] golden bytes of a lease with one that waits, and of its renewal; both are restored', () => {
  const log = changedLease();
  expect(log.blocks.map((block) => Buffer.from(block).toString('hex'))).toMatchInlineSnapshot(`
    [
      "460201036c6f67026d650572756e2d3000000001040102e90300000894897a00ca843d000001abec6d7c340001016b1202c0843dc0843d01904ee0d4030000eaa03e02001501610104686f73740268310101904eeaa03e016200",
      "460201036c6f67026d650572756e2d31010572756e2d300001040103ea03000008d0987a00a88c3d000001a8c3152e345a08000001eaa03e",
    ]
  `);
  log.restart();
  log.add(T + 2_000, 'k', END, bears(1));
  log.commit();
  expect(brief(log.said())).toEqual(['GRANTED 1 0', 'QUEUED 10', 'RELEASED 1 2000', '-', 'GRANTED 2 2000']);
});
