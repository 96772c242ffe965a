import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** ESLint's rule alone, without types: like lint, it uses the graph that the configuration builds. */
const PROGRAM = `
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import config from './eslint.config.mjs';
const NAME = '@nx/enforce-module-boundaries';
const { plugins, rules } = config.find((each) => each.rules?.[NAME]?.[1] !== undefined);
const alone = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser }, plugins, rules: { [NAME]: rules[NAME] } };
const messages = JSON.parse(process.argv[1]).map(([filename, text]) =>
  new Linter().verify(text, [alone], { filename: process.cwd() + "/" + filename }).map(({ message }) => message),
);
console.log(JSON.stringify(messages));
`;

function messagesOf(files: readonly (readonly [path: string, text: string])[]): readonly (readonly string[])[] {
  const args = ['--input-type=module', '--eval', PROGRAM, JSON.stringify(files)];
  return JSON.parse(execFileSync('node', args, { cwd: ROOT, encoding: 'utf8' })) as string[][];
}

describe("a library's sources", () => {
  test('depend on what is below them, and on nothing beside or above', () => {
    const found = messagesOf([
      ['libs/shell/store/src/lmdb-store.ts', "import { start } from '@flatline/ports';"],
      ['libs/shell/store/src/lmdb-store.ts', "import { start } from '@flatline/kafka';"],
      ['libs/core/ports/src/membership.ts', "export { start } from '@flatline/timing-wheel';"],
      ['libs/core/ports/src/membership.ts', "import type { Clock } from '@flatline/system';"],
      ['libs/shell/client/src/connect.ts', "const later = await import('@flatline/kinds');"],
    ]);
    expect(found[0]).toEqual([]);
    expect(found[1]).toEqual([expect.stringMatching(/"lib:store" can only depend on libs tagged with "lib:base"/)]);
    expect(found[2]).toEqual([expect.stringMatching(/"lib:ports" can only depend/)]);
    expect(found[3]).toEqual([expect.stringMatching(/"layer:core" can only depend/)]);
    expect(found[4]).toEqual([expect.stringMatching(/"lib:client" can only depend/)]);
  });
});
