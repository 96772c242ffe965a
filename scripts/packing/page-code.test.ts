// The TypeScript of the pages, compiled against the public types of the packages as they are recorded in docs/api.
import { beforeAll, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = new Map([
  ['flatline', 'flatline'],
  // As the declarations of its further entries call it.
  ['./index.js', 'flatline'],
  ['flatline/testing', 'testing'],
  ['@flatline/client', 'client'],
]);

/** Code around a block that is a part of a program. The key: page, and text of the block. */
const AROUND: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'docs/DEBOUNCE.md: const processor': [
    `import { createProcessor, type ConfigurationInput } from 'flatline';
     declare const common: Omit<ConfigurationInput, 'pipelines'>;
     const topics = { input: { topic: 'amounts' }, output: { topic: 'totals' } };`,
    'await processor.start();',
  ],
  'docs/DEBOUNCE.md: await reindex(': [
    'declare function reindex(key: string, items: readonly unknown[]): Promise<void>;',
    '',
  ],
  'docs/LEASES.md: writeWith(': [
    'declare function writeWith(token: number, part: string): Promise<void>; declare function nextPart(): string;',
    '',
  ],
  'docs/LEASES.md: leases.runWhileLeader(': [
    `import type { Leases } from '@flatline/client';
     declare const leases: Leases; declare const stopping: AbortSignal;
     declare function lead(token: number, signal: AbortSignal): Promise<void>;`,
    '',
  ],
  'docs/LEASES.md: leases.watch(': [
    `import type { Leases } from '@flatline/client';
     declare const leases: Leases; declare const signal: AbortSignal; declare function show(holder: unknown): void;`,
    '',
  ],
  'docs/ROUTES.md: record: ({ key, output })': [
    `import { defineConfig } from 'flatline';
     const topics = { input: { topic: 'cart-events' }, output: { topic: 'carts' } };
     export default defineConfig({
       application: 'shop', brokers: ['127.0.0.1:9092'],
       pipelines: [{ name: 'carts', kind: 'session', timeoutMs: '30m', ...topics, routes: [`,
    ']}] });',
  ],
  'docs/SCHEDULES.md: flatline.runs(': [
    `import { connect } from '@flatline/client';
     declare function remind(key: string, value: Uint8Array | null, dueAt: number): Promise<void>;`,
    '',
  ],
};

/** Shows how a comment looks, and is no program. */
const NO_PROGRAM = ['docs/STYLE.md'];

const blocks = globSync(['README.md', 'docs/*.md', 'docs/{recipes,presets,examples}/**/*.md'], { cwd: root })
  .toSorted()
  .filter((page) => !NO_PROGRAM.includes(page))
  .flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^ *```ts\n([^]*?)^ *```$/gm)].map(([, text = '']) => ({
      page,
      text,
    })),
  );

const nameOf = (i: number): string => join(root, `.page-block-${i}.ts`);
let program: ts.Program;

beforeAll(() => {
  const files = new Map(blocks.map((block, i) => [nameOf(i), wholeOf(block)]));
  for (const [module, page] of MODULES) files.set(declarationsOf(module), recorded(page));
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts'],
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  };
  const host = ts.createCompilerHost(options);
  const inFiles = ts.createCompilerHost(options);
  host.fileExists = (path) => files.has(path) || inFiles.fileExists(path);
  host.readFile = (path) => files.get(path) ?? inFiles.readFile(path);
  host.getSourceFile = (path, version, ...rest) =>
    files.has(path)
      ? ts.createSourceFile(path, files.get(path)!, version)
      : inFiles.getSourceFile(path, version, ...rest);
  host.resolveModuleNameLiterals = (literals, containing, redirected, given) =>
    literals.map(({ text }) =>
      MODULES.has(text)
        ? { resolvedModule: { resolvedFileName: declarationsOf(text), extension: ts.Extension.Dts } }
        : ts.resolveModuleName(text, containing, given, host, undefined, redirected),
    );
  program = ts.createProgram([...files.keys()], options, host);
});

test.each(blocks.map(({ page }, i): [string, number] => [page, i]))(
  '%s: block %i of all is what the types allow',
  (_, i) => {
    expect(faultsOf(nameOf(i))).toEqual([]);
  },
);

test.each([...MODULES.keys()])('the types of %s name nothing that they do not have', (module) => {
  expect(faultsOf(declarationsOf(module))).toEqual([]);
});

test('what stands around a block has a block', () => {
  expect(Object.keys(AROUND).filter((key) => !blocks.some((block) => isOf(key, block)))).toEqual([]);
});

function faultsOf(path: string): string[] {
  const file = program.getSourceFile(path)!;
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ messageText, start }) => {
      const { line } = file.getLineAndCharacterOfPosition(start ?? 0);
      return `${file.text.split('\n')[line]}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    },
  );
}

function wholeOf(block: { readonly page: string; readonly text: string }): string {
  const key = Object.keys(AROUND).find((each) => isOf(each, block));
  const [before, after] = key === undefined ? ['', ''] : AROUND[key]!;
  return `${before}\n${block.text}\n${after}`;
}

function isOf(key: string, { page, text }: { readonly page: string; readonly text: string }): boolean {
  return key.startsWith(`${page}: `) && text.includes(key.slice(page.length + 2));
}

function declarationsOf(module: string): string {
  return join(root, `.page-module-${module.replaceAll(/\W/g, '-')}.d.ts`);
}

function recorded(page: string): string {
  const text = readFileSync(join(root, 'docs/api', `${page}.md`), 'utf8');
  return /^```ts\n(.*?)^```$/ms.exec(text)![1]!;
}
