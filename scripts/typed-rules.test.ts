// Rules of lint that need types: each that typescript-eslint's strictest set names is oxlint's or ESLint's.
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PREFIX = '@typescript-eslint/';

const PROGRAM = `
import tseslint from 'typescript-eslint';
import config from './eslint.config.mjs';
const needsTypes = (name) =>
  name.startsWith('${PREFIX}') && tseslint.plugin.rules[name.slice(${PREFIX.length})]?.meta.docs.requiresTypeChecking;
const typedIn = (configs) => {
  const rules = Object.entries(Object.assign({}, ...configs.map(({ rules }) => rules)));
  return rules.filter(([name, how]) => needsTypes(name) && [how].flat()[0] === 'error').map(([name]) => name);
};
console.log(JSON.stringify({ strictest: typedIn(tseslint.configs.strictTypeChecked), ours: typedIn(config) }));
`;

test('none of the strictest set is left out, or off', () => {
  const printed = execFileSync('node', ['--input-type=module', '--eval', PROGRAM], { cwd: ROOT, encoding: 'utf8' });
  const { strictest, ours } = JSON.parse(printed) as Readonly<Record<'strictest' | 'ours', readonly string[]>>;
  const { rules } = JSON.parse(readFileSync(`${ROOT}/.oxlintrc.json`, 'utf8')) as { rules: Record<string, unknown> };
  const inOxlint = Object.keys(rules).filter((name) => [rules[name]].flat()[0] === 'error');
  const asked = [...ours, ...inOxlint.map((name) => name.replace('typescript/', PREFIX))];
  expect(strictest.length).toBeGreaterThan(40);
  expect(asked.toSorted()).toEqual(strictest.toSorted());
});
