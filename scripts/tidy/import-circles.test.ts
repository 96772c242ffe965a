import { describe, expect, test } from '@jest/globals';
import { importCircles } from './import-circles.ts';
import { workspaceWith } from './workspace.fixture.ts';

const lines = (changes: Readonly<Record<string, string>>): string[] =>
  importCircles(workspaceWith(changes)).map(({ at, message }) => `${at} ${message.split(':')[0]}`);

const importing = (path: string): string => `import { x } from '${path}';\nexport const y = x;\n`;

describe('folders of a package', () => {
  test('may know each other in one direction, and what lies beside them in both', () => {
    expect(
      lines({
        'libs/base/src/a/one.ts': importing('../b/two.ts'),
        'libs/base/src/b/two.ts': importing('../shared.ts'),
        'libs/base/src/start.ts': importing('./a/one.ts'),
        'libs/base/src/shared.ts': 'export const x = 1;\n',
        'libs/base/src/b/two.test.ts': importing('../a/one.ts'),
      }),
    ).toEqual([]);
  });

  test('in a circle are found, each with where it imports the next', () => {
    expect(
      lines({
        'libs/base/src/a/one.ts': importing('../b/two.ts'),
        'libs/base/src/b/two.ts': importing('../c/three.ts'),
        'libs/base/src/c/three.ts': importing('../a/another.ts'),
        'libs/base/src/a/another.ts': 'export const x = 1;\n',
        'libs/base/src/d/four.ts': importing('../a/one.ts'),
      }),
    ).toEqual([
      'libs/base/src/a/one.ts:1 libs/base/src/a imports libs/base/src/b, which imports it back',
      'libs/base/src/b/two.ts:1 libs/base/src/b imports libs/base/src/c, which imports it back',
      'libs/base/src/c/three.ts:1 libs/base/src/c imports libs/base/src/a, which imports it back',
    ]);
  });
});

describe('modules', () => {
  test('may not import each other, nor by others', () => {
    expect(
      lines({
        'libs/base/src/one.ts': importing('./two.ts'),
        'libs/base/src/two.ts': importing('./three.ts'),
        'libs/base/src/three.ts': importing('./two.ts'),
        'libs/base/src/two.test.ts': importing('./one.ts'),
      }),
    ).toEqual([
      'libs/base/src/two.ts:1 libs/base/src/two.ts imports libs/base/src/three.ts, which imports it back',
      'libs/base/src/three.ts:1 libs/base/src/three.ts imports libs/base/src/two.ts, which imports it back',
    ]);
  });
});
