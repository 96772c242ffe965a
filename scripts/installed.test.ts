import { describe, expect, test } from '@jest/globals';
import { outdated } from './installed.mjs';

const link = { resolved: 'libs/base', link: true };
const installed = {
  '': { version: '0.1.0' },
  'libs/base': { version: '0.1.0' },
  'node_modules/@flatline/base': link,
  'node_modules/a': { version: '1.0.0', integrity: 'x' },
  'node_modules/a/node_modules/b': { version: '1.0.0', integrity: 'y' },
};
const forWindows = { version: '1.0.0', integrity: 'z', optional: true };
const wanted = { ...installed, 'node_modules/for-windows': forWindows };

describe('what is installed, against the lock file', () => {
  test.each([
    ['the same', wanted],
    ['without what another platform needs', installed],
    ['with more than was asked for', { ...installed, 'node_modules/c': { version: '1.0.0' } }],
    ['with a workspace of another version', { ...installed, 'libs/base': { version: '0.2.0' } }],
  ])('good: %s', (_what, found) => {
    expect(outdated(wanted, found)).toBeUndefined();
  });

  test.each([
    ['nothing', {}, 'node_modules/@flatline/base'],
    ['a package that is missing', { ...installed, 'node_modules/a': undefined }, 'node_modules/a'],
    ['another version', { ...installed, 'node_modules/a': { version: '1.0.1', integrity: 'x' } }, 'node_modules/a'],
    ['other contents', { ...installed, 'node_modules/a': { version: '1.0.0', integrity: 'w' } }, 'node_modules/a'],
    [
      'another version further down',
      { ...installed, 'node_modules/a/node_modules/b': { version: '2.0.0', integrity: 'y' } },
      'node_modules/a/node_modules/b',
    ],
    [
      'a workspace that has moved',
      { ...installed, 'node_modules/@flatline/base': { ...link, resolved: 'libs/basis' } },
      'node_modules/@flatline/base',
    ],
    [
      'another version for this platform',
      { ...installed, 'node_modules/for-windows': { version: '0.9.0', integrity: 'z' } },
      'node_modules/for-windows',
    ],
  ])('outdated: %s', (_what, found, names) => {
    const defined = Object.entries(found).filter(([, entry]) => entry !== undefined);
    expect(outdated(wanted, Object.fromEntries(defined) as typeof wanted)).toContain(names);
  });
});
