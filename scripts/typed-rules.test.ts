// Rules of lint that need types: oxlint has those that typescript-eslint's strictest set names.
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PREFIX = '@typescript-eslint/';

/** oxlint does not know it. What it finds begins with an `any`, which no-unsafe-assignment finds. */
const MISSING = ['no-unsafe-class-instance-assignment'];

const PROGRAM = `
import tseslint from 'typescript-eslint';
const rules = Object.assign({}, ...tseslint.configs.strictTypeChecked.map(({ rules }) => rules));
const typed = Object.entries(rules).filter(([name, how]) => {
  const rule = tseslint.plugin.rules[name.slice(${PREFIX.length})];
  return how !== 'off' && name.startsWith('${PREFIX}') && rule?.meta.docs.requiresTypeChecking;
});
console.log(JSON.stringify(typed.map(([name]) => name.slice(${PREFIX.length}))));
`;

test('none of the strictest set is left out, or off', () => {
  const printed = execFileSync('node', ['--input-type=module', '--eval', PROGRAM], { cwd: ROOT, encoding: 'utf8' });
  const wanted = (JSON.parse(printed) as string[]).filter((name) => !MISSING.includes(name));
  const { rules } = JSON.parse(readFileSync(`${ROOT}/.oxlintrc.json`, 'utf8')) as { rules: Record<string, unknown> };
  expect(wanted.length).toBeGreaterThan(40);
  const asked = Object.keys(rules).filter((name) => [rules[name]].flat()[0] === 'error');
  expect(asked.toSorted()).toEqual(wanted.map((name) => `typescript/${name}`).toSorted());
});
