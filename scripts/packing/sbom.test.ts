import { expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { lockedPackages, sbomOf } from './sbom.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const locked = {
  'node_modules/a': {
    version: '1.0.0',
    license: 'MIT',
    dependencies: { b: '*' },
    optionalDependencies: { c: '*', none: '*' },
  },
  'node_modules/b': { version: '2.0.0' },
  'node_modules/a/node_modules/b': { version: '1.5.0', license: 'MIT OR Apache-2.0', integrity: 'sha512-AAAA' },
  'node_modules/@s/c': { version: '3.0.0' },
  'node_modules/c': { version: '4.0.0', dependencies: { '@s/c': '*' } },
  'node_modules/unused': { version: '9.0.0' },
};

test('names what is installed with a package and what is bundled into it, each in the version that it gets', () => {
  const content = { name: 'p', version: '0.1.0', dependencies: ['a'], bundled: ['node_modules/b'] };
  const { components } = sbomOf(locked, content) as { readonly components: readonly Record<string, unknown>[] };
  expect(components.map(({ purl, scope }) => [purl, scope])).toEqual([
    ['pkg:npm/%40s/c@3.0.0', 'optional'],
    ['pkg:npm/a@1.0.0', 'required'],
    ['pkg:npm/b@1.5.0', 'required'],
    ['pkg:npm/b@2.0.0', 'required'],
    ['pkg:npm/c@4.0.0', 'optional'],
  ]);
  expect(components[2]).toMatchObject({
    licenses: [{ expression: 'MIT OR Apache-2.0' }],
    hashes: [{ alg: 'SHA-512', content: '000000' }],
  });
  expect(sbomOf(locked, content)).toEqual(sbomOf(locked, content));
  expect(() => sbomOf(locked, { ...content, dependencies: ['gone'] })).toThrow('has no gone');
});

test('knows every package that the lock file has, those too of which it has no address', () => {
  const content = { name: 'p', version: '0.1.0', dependencies: ['kafkajs', 'fastify', 'jose'], bundled: [] };
  const { components } = sbomOf(lockedPackages(root), content) as {
    readonly components: readonly { readonly name: string; readonly hashes?: unknown }[];
  };
  for (const name of ['kafkajs', 'fastify', 'jose', 'ajv'])
    expect(components.find((each) => each.name === name)).toMatchObject({ hashes: [{ alg: 'SHA-512' }] });
});
