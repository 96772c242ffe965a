// The bytes of windows in the changelog, which other processes read for years.
import { expect, test } from '@jest/globals';
import { changedWindow } from './changed-window.fixture.ts';
import { brief, T } from './debounce.fixture.ts';

test('[K9] golden bytes of a window, and of its next item; both are restored', () => {
  const log = changedWindow();
  expect(log.blocks.map((block) => Buffer.from(block).toString('hex'))).toMatchInlineSnapshot(`
    [
      "460201036c6f67026d650572756e2d3000000001040101e80300000880897a00c0843d0000014f919d2e280001016b0d0000d0d23dc0843de80701050f02000ec0843d00c0843d14056669727374",
      "460201036c6f67026d650572756e2d31010572756e2d300001040102e903000008e8907a00b4883d0000011156e4d5344e0800e807020b1f03000e0c01b4883d14067365636f6e64",
    ]
  `);
  log.restart();
  log.add(T + 9_000, null);
  log.commit();
  expect(brief(log.said())).toEqual(['QUIET 1500 firstsecond']);
});
