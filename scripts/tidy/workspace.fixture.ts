// A small tidy workspace in memory, in which tests plant one violation each.
import { parseWorkspace, type Workspace } from './workspace.ts';

const lib = (references: readonly string[]): string =>
  JSON.stringify({ references: references.map((path) => ({ path })) });

function manifest(name: string, dependencies: Record<string, string>, devDependencies: Record<string, string>): string {
  const exports = {
    '.': { '@flatline/source': './src/index.ts', default: './dist/index.js' },
    './by/*': { '@flatline/source': './src/by/*/index.ts', default: './dist/by/*/index.js' },
  };
  return JSON.stringify({ name: `@flatline/${name}`, exports, dependencies, devDependencies });
}

const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ workspaces: ['libs/*', 'apps/*'], devDependencies: { '@jest/globals': '1.0.0' } }),
  'tsconfig.json': lib(['./libs/base', './libs/task', './apps/cli']),
  'package-lock.json': JSON.stringify({
    packages: {
      '': { devDependencies: { '@jest/globals': '1.0.0' } },
      'libs/base': { name: '@flatline/base' },
      'libs/task': { dependencies: { '@flatline/base': '*' } },
      'apps/cli': { dependencies: { '@flatline/task': '*' }, devDependencies: { '@flatline/base': '*' } },
      'node_modules/@jest/globals': { optionalDependencies: { 'jest-for-linux': '1.0.0' } },
      'node_modules/@flatline/base': {},
      'node_modules/@flatline/task': {},
      'node_modules/jest-for-linux': {},
    },
  }),
  'docs/ARCHITECTURE.md': '# Parts\n\n```mermaid\nflowchart BT\n  task --> base\n  cli --> task\n```\n',
  'docs/SPEC.md':
    '## Wheel\n\n- **W1** Never early.\n- **W2** *(later)* Never late.\n- **F2b** An answer is lost.\n- **kafkajs 4** It leaks.\n',
  'libs/base/package.json': manifest('base', {}, {}),
  'libs/base/tsconfig.json': lib([]),
  'libs/base/src/index.ts': "export { type Options, start } from './start.ts';\n",
  'libs/base/src/by/pace/index.ts': "export { pace } from './pace.ts';\n",
  'libs/base/src/by/pace/pace.ts': 'export const pace = 1;\n',
  'libs/base/src/start.ts':
    'export interface Options { readonly n: number }\nexport function start(options: Options): number { return step(options.n); }\nexport function step(n: number): number { return n; }\n',
  'libs/base/src/start.test.ts':
    "import { test } from '@jest/globals';\nimport { step } from './start.ts';\ntest('[W1] steps', () => { step(1); });\ntest.each([1])('[F2b, kafkajs 4] of %d', () => undefined);\n",
  'libs/task/package.json': manifest('task', { '@flatline/base': '*' }, {}),
  'libs/task/tsconfig.json': lib(['../base']),
  'libs/task/src/index.ts':
    "// Runs.\n//\n// Invariants\n//   RU1  It runs once.\n//   RU2  It ends.\nimport { start } from '@flatline/base';\nexport const run = (): number => start({ n: 1 });\n",
  'apps/cli/package.json': manifest('cli', { '@flatline/task': '*' }, { '@flatline/base': '*' }),
  'apps/cli/tsconfig.json': lib(['../../libs/task']),
  'apps/cli/src/main.ts': "import { run } from '@flatline/task';\nrun();\n",
  'apps/cli/src/main.test.ts':
    "import { start } from '@flatline/base';\nimport { pace } from '@flatline/base/by/pace';\nstart({ n: pace });\n",
};

/** The tidy workspace with some files replaced or added; `undefined` removes one. */
export function workspaceWith(changes: Readonly<Record<string, string | undefined>> = {}): Workspace {
  const merged = Object.entries({ ...files, ...changes });
  return parseWorkspace(new Map(merged.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]))));
}

/** A file of the tidy workspace with some of its text replaced. */
export function edited(path: string, from: string, to: string): Record<string, string> {
  const text = files[path];
  if (text?.includes(from) !== true) throw new Error(`${path} holds no ${from}`);
  return { [path]: text.replace(from, to) };
}
