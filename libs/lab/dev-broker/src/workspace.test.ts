import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { makeStateFolder, type PackageUser, workspaceOf } from './workspace.ts';

function placeWithPoms(): { readonly root: string; readonly module: string } {
  const root = temporaryFolder();
  mkdirSync(join(root, 'infra', 'broker'), { recursive: true });
  writeFileSync(join(root, 'infra', 'broker', 'pom.xml'), '<project/>');
  return { root, module: pathToFileURL(join(root, 'dist', 'chunk.js')).href };
}

const user: PackageUser = { folder: '/shop', environment: {}, platform: 'linux', home: '/ada' };

describe('things are kept', () => {
  test('by a repository, in itself', () => {
    const { root, module } = placeWithPoms();
    writeFileSync(join(root, 'nx.json'), '{}');
    expect(workspaceOf(module, user)).toEqual({
      root,
      infra: join(root, 'infra'),
      state: join(root, '.flatline'),
      artifacts: join(root, '.flatline', 'artifacts'),
    });
  });

  test.each([
    ['linux', {}, '/ada/.cache/flatline/artifacts'],
    ['linux', { XDG_CACHE_HOME: '/var/cache/ada' }, '/var/cache/ada/flatline/artifacts'],
    ['darwin', { XDG_CACHE_HOME: '/elsewhere' }, '/ada/Library/Caches/flatline/artifacts'],
  ] as const)(
    'by a package on %s with %j: data where it is used, downloads in %s',
    (platform, environment, artifacts) => {
      const { module } = placeWithPoms();
      const state = '/shop/.flatline';
      expect(workspaceOf(module, { ...user, platform, environment })).toMatchObject({
        state,
        artifacts,
        artifactsKeptMax: 2,
      });
    },
  );
});

test('the folder in a project ignores itself, and a list that is there stays', () => {
  const state = join(temporaryFolder(), '.flatline');
  makeStateFolder({ state });
  expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('*\n');
  writeFileSync(join(state, '.gitignore'), '!kept\n');
  makeStateFolder({ state });
  expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('!kept\n');
});
