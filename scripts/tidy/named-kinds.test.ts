import { describe, expect, test } from '@jest/globals';
import { type NamedKind, namedKinds } from './named-kinds.ts';
import { workspaceWith } from './workspace.fixture.ts';

const CODE = 'libs/task/src/spare.ts';
const ALLOWED: readonly NamedKind[] = [{ path: CODE, kind: 'quota', reason: 'it is about quotas' }];
const names = { 'libs/core/base/src/kind-name.ts': "export const KIND_NAMES = ['quota', 'fast'] as const;" };

function found(text: string, { path = CODE, allowed = [] as readonly NamedKind[] } = {}): readonly string[] {
  return namedKinds(workspaceWith({ ...names, [path]: text }), allowed).map(({ at, message }) => `${at} ${message}`);
}

/** A project of the workspace, as tests need one where a kind is at home. */
function foundAt(path: string): readonly string[] {
  const folder = path.slice(0, path.indexOf('/src/'));
  const manifests = {
    'package.json': JSON.stringify({ workspaces: [folder] }),
    [`${folder}/package.json`]: JSON.stringify({ name: '@flatline/spare' }),
  };
  const workspace = workspaceWith({ ...names, ...manifests, [path]: "if (kind === 'quota') f();" });
  return namedKinds(workspace, []).map(({ at }) => at);
}

describe('a kind is asked for by its name', () => {
  test.each([
    ['by an equality', "\nif (kind === 'quota') f();", [2]],
    ['the other way round', "f('quota' !== kind);", [1]],
    ['of a pipeline', "f(pipeline!.kind == 'fast');", [1]],
    ['of one that may be missing', "f(pipeline?.kind != 'fast');", [1]],
    ['by another name for a kind', "f((ownKind) === 'quota');", [1]],
    [
      'by cases, behind which a default answers for the others',
      "switch (a.kind) {\ncase 'fast': f();\ndefault: g();\n}",
      [2],
    ],
    ['by a list', "f(['quota',\n'fast'].includes(kind));", [1, 1]],
    ['by a list of another type', "f((['quota'] as readonly string[]).indexOf(kind));", [1]],
    ['by a set', "f(new Set(['quota']).has(kind));", [1]],
    ['by an assertion', "f((kind as string) === ('quota' as const));", [1]],
    ['by a case with an assertion', "switch (kind) {\ncase 'fast' as const: f();\n}", [2]],
    ['by brackets', "f(pipeline['kind'] === 'quota');", [1]],
  ])('%s', (_how, text, lines) => {
    const at = lines.map((line) =>
      expect.stringMatching(`^${CODE}:${line} asks for the kind "(?:quota|fast)" by its name: `),
    );
    expect(found(text)).toEqual(at);
  });
});

describe('what is right is left alone', () => {
  test.each([
    ['something else of that name', "f(mode === 'fast', retryBy === 'quota');"],
    ['a kind of something else', "f(kind === 'record');"],
    ['a kind that is said, not asked for', "const section = { kind: 'quota' }; f(kind === other.kind);"],
    ['a table of all kinds', 'f({ quota: 1, fast: 2 }[kind]);'],
  ])('%s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });

  test('a test, which says which kind it is about', () => {
    expect(found("f(kind === 'quota');", { path: 'libs/task/src/spare.test.ts' })).toEqual([]);
  });

  test.each([
    'libs/core/kinds/src/quota/quota-kind.ts',
    'libs/core/oracle/src/rules/quota/naive-quota.ts',
    'libs/core/partition/src/kinds/quota/a.ts',
    'libs/shell/kind-modules/src/quota/settings.ts',
    'libs/lab/kinds/src/quota/quota-lab.ts',
  ])('a home of the kind: %s', (path) => {
    expect(foundAt(path)).toEqual([]);
  });

  test('which is none of another kind', () => {
    expect(foundAt('libs/shell/kind-modules/src/fast/settings.ts')).toEqual([
      'libs/shell/kind-modules/src/fast/settings.ts:1',
    ]);
  });

  test.each(['libs/core/kinds/src/quotas.ts', 'apps/lab/bench/src/quota/quota.ts'])('which %s is none', (path) => {
    expect(foundAt(path)).toEqual([`${path}:1`]);
  });
});

test('a place that may ask does so for that kind alone, and is on the list as long as it does', () => {
  expect(found("f(kind === 'quota');", { allowed: ALLOWED })).toEqual([]);
  expect(found("f(kind === 'quota' || kind === 'fast');", { allowed: ALLOWED })).toEqual([
    expect.stringContaining(`${CODE}:1 asks for the kind "fast"`),
  ]);
  expect(found('f(kind);', { allowed: ALLOWED })).toEqual([
    expect.stringContaining(`${CODE} may ask for the kind "quota", and does not`),
  ]);
});
