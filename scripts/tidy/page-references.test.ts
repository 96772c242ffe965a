import { describe, expect, test } from '@jest/globals';
import { pageReferences } from './page-references.ts';
import { workspaceWith } from './workspace.fixture.ts';

const scripts = { 'package.json': JSON.stringify({ workspaces: ['libs/*', 'apps/*'], scripts: { demo: 'x' } }) };
const found = (text: string, page = 'docs/HACKING.md'): string[] =>
  pageReferences(workspaceWith({ ...scripts, 'README.md': '# Use it\n\n## Exit codes, and more\n', [page]: text })).map(
    ({ at, message }) => `${at} ${message}`,
  );

describe('what pages refer to', () => {
  test.each([
    ['a path that moved', 'See `libs/start.ts`.', 'libs/start.ts does not exist'],
    ['a path in a command', '```sh\ncd libs/timing\n```', 'libs/timing does not exist'],
    ['a source by its name', 'See `begin.ts`.', 'begin.ts does not exist'],
    ['a folder by its name', 'See `rules/`.', 'rules/ does not exist'],
    ['a page that is gone', 'See [it](GUIDE.md).', 'links to GUIDE.md'],
    ['a heading that is gone', 'See [it](../README.md#limits).', 'links to ../README.md#limits'],
    ['a heading of its own', '# A\n\nSee [it](#b).', 'links to #b'],
    ['a script that is gone', '```sh\nnpm run simulate -- --seeds 1\n```', 'npm run simulate is no script'],
  ])('%s is found', (_what, text, message) => {
    expect(found(text)).toEqual([expect.stringContaining(message)]);
    expect(found(text)[0]).toMatch(/^docs\/HACKING\.md:\d /);
  });

  test.each([
    ['paths, whole and by their ends', '`libs/base/src/start.ts`, `libs/base`, `src/start.ts`, `start.ts`, `base/`'],
    ['what is built, what a user writes, and patterns', '`apps/cli/dist/main.js` `flatline.config.ts` `libs/*/x.ts`'],
    ['a URL and a folder of somebody else', 'https://a.b/docs/x `their/scripts/x.sh` [a](https://a.b/libs/x#y)'],
    ['links', '[a](../README.md#exit-codes-and-more) [b](../libs/base/) [c](#d-is-it)\n\n## D: is `it`?'],
    ['a script', '`npm run -s demo`'],
  ])('%s are right', (_what, text) => {
    expect(found(text)).toEqual([]);
  });

  test('history names what was there then', () => {
    expect(found('`npm run simulate`, `libs/old.ts`', 'CHANGELOG.md')).toEqual([]);
  });
});
