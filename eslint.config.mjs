import js from '@eslint/js';
import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const core = 'libs/core/*';

/** Globals that pure code may not touch, each with its replacement. */
const impureGlobals = [
  ['Date', 'the core is handed the time as an argument; the shell uses the Clock port'],
  ['performance', 'the core is handed the time as an argument; the shell uses the Clock port'],
  ['setTimeout', 'the shell uses the Clock port'],
  ['setInterval', 'the shell uses the Clock port'],
  ['setImmediate', 'the core never waits; slice the work and return'],
  ['process', 'configuration comes in as an argument'],
  ['console', 'return data; the shell logs it'],
  ['Buffer', 'Uint8Array, ByteReader and ByteWriter of @flatline/base'],
].map(([name, message]) => ({ name, message }));

const pureOnly = { group: ['node:*'], message: 'pure libs import nothing of Node; pass it in' };
const testsOnly = { group: ['@jest/globals', 'fast-check'], message: 'tools of tests; sources do without' };
// One importer each: a second one would need its own copy of the hazards already cured there.
const kafkajsOwner = { group: ['kafkajs', 'kafkajs/*'], message: 'libs/shell/kafka alone imports kafkajs' };
const lmdbOwner = { group: ['lmdb'], message: 'libs/shell/store alone imports lmdb' };
const pgOwner = { group: ['pg', 'pg-*'], message: 'libs/shell/sink alone imports pg' };

/**
 * Dependencies of each library's sources, as drawn in docs/ARCHITECTURE.md. Tests may use packages above their own: a library is
 * tested with the simulated cluster or on a real broker.
 */
const libraries = {
  // core
  base: [],
  ports: ['base'],
  'timing-wheel': ['base'],
  schedules: ['base', 'ports'],
  deliveries: ['base'],
  kinds: ['base', 'ports', 'schedules'],
  partition: ['base', 'ports', 'timing-wheel', 'kinds'],
  oracle: ['base'],
  // shell
  system: ['base'],
  kafka: ['base', 'ports', 'system'],
  store: ['base', 'ports', 'system'],
  records: ['base', 'ports'],
  'kind-modules': ['base', 'ports', 'schedules', 'kinds', 'oracle', 'system', 'records'],
  config: ['base', 'system', 'kind-modules'],
  runtime: ['base', 'ports', 'kinds', 'partition', 'system'],
  client: ['base', 'ports', 'schedules', 'system', 'records', 'kafka'],
  sink: ['base', 'ports', 'system', 'records', 'kafka', 'client'],
  http: ['base', 'system'],
  ingest: ['base', 'ports', 'system', 'kafka', 'http'],
  notifier: ['base', 'ports', 'deliveries', 'system', 'records', 'kafka', 'config'],
  verifier: ['base', 'ports', 'oracle', 'kind-modules', 'config', 'records', 'kafka', 'store'],
  processor: [
    'base',
    'ports',
    'kinds',
    'partition',
    'system',
    'kind-modules',
    'config',
    'records',
    'kafka',
    'http',
    'ingest',
    'notifier',
    'store',
    'runtime',
  ],
  'test-pipeline': ['base', 'ports', 'schedules', 'kinds', 'partition', 'kind-modules', 'config', 'records', 'runtime'],
  // lab
  cluster: ['base', 'ports'],
  'dev-broker': ['base', 'system'],
  fleet: ['base', 'ports', 'system', 'records', 'kafka', 'client'],
  'lab-kinds': [
    'base',
    'ports',
    'kinds',
    'oracle',
    'system',
    'kind-modules',
    'config',
    'records',
    'kafka',
    'client',
    'cluster',
  ],
};

const oneForm = [
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression, ArrayExpression > SpreadElement > ArrayExpression',
    message: "write the members themselves: the layout is the formatter's",
  },
  ...['Program', 'Program > ExportNamedDeclaration'].map((at) => ({
    selector: `${at} > VariableDeclaration[kind="const"] > VariableDeclarator[id.name=/^[a-z]/][init.type=/^(Literal|UnaryExpression)$/]`,
    message: 'a constant of a module with a literal value is written in SCREAMING_CASE',
  })),
];

// The rule about module boundaries passes over everything where no graph is cached.
const { nodes } = await createProjectGraphAsync();
for (const [name, { data }] of Object.entries(nodes))
  if (data.root.startsWith('libs/') && !(name in libraries && data.tags.includes(`lib:${name}`)))
    throw new Error(`${data.root}: give it the tag lib:${name}, and a place among the libraries of eslint.config.mjs`);

export default defineConfig(
  globalIgnores(['**/dist', '**/coverage', '.nx', '.flatline', 'node_modules']),
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'performance', 'setTimeout', 'setInterval', 'clearInterval'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict],
    languageOptions: {
      // One program for all files: a program for each project checks what they share once more, and takes a third longer.
      parserOptions: { project: 'scripts/tsconfig.lint.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@nx': nx },
    rules: {
      // The one rule that needs types and is not oxlint's (.oxlintrc.json).
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Typed arrays and byte walks index within bounds that the line above establishes.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: true,
          allow: [],
          banTransitiveDependencies: true,
          depConstraints: [
            { sourceTag: 'layer:core', onlyDependOnLibsWithTags: ['layer:core'], allowedExternalImports: [] },
            { sourceTag: 'layer:shell', onlyDependOnLibsWithTags: ['layer:core', 'layer:shell'] },
            { sourceTag: 'layer:lab', onlyDependOnLibsWithTags: ['layer:core', 'layer:shell', 'layer:lab'] },
            { sourceTag: 'layer:app', onlyDependOnLibsWithTags: ['layer:core', 'layer:shell', 'layer:lab'] },
            ...Object.entries(libraries).map(([name, others]) => ({
              sourceTag: `lib:${name}`,
              onlyDependOnLibsWithTags: others.map((other) => `lib:${other}`),
            })),
          ],
        },
      ],
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', { max: 5 }],
      'no-restricted-syntax': ['error', ...oneForm],
    },
  },
  {
    // It runs in a browser: a program of its own has the types of the DOM, and none of Node's.
    files: ['apps/dashboard/src/**/*.ts'],
    languageOptions: { parserOptions: { project: 'apps/dashboard/tsconfig.lint.json' } },
  },
  {
    files: ['libs/**/*.ts', 'apps/**/*.ts', 'scripts/**/*.ts'],
    // A benchmark runs kafkajs itself as a peer, an end-to-end test as somebody else's client.
    ignores: ['libs/shell/kafka/**', 'libs/shell/{store,sink}/**', 'apps/lab/{bench,e2e}/src/**/kafkajs-*.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [kafkajsOwner, lmdbOwner, pgOwner] }] },
  },
  ...Object.entries({
    kafka: [lmdbOwner, pgOwner],
    store: [kafkajsOwner, pgOwner],
    sink: [kafkajsOwner, lmdbOwner],
  }).map(([name, patterns]) => ({
    files: [`libs/shell/${name}/**/*.ts`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  })),
  {
    files: [`${core}/src/**/*.ts`],
    ignores: ['**/*.{test,fixture}.ts'],
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-imports': ['error', { patterns: [pureOnly, testsOnly, kafkajsOwner, lmdbOwner] }],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'seededRandom of @flatline/base, with the seed as an argument' },
      ],
    },
  },
  {
    files: ['**/*.{test,fixture}.ts', '**/testing/**/*.ts', '**/jest.config.mjs'],
    // Tests may use any layer; what a package's tests depend on is scripts/tidy's to check.
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    files: ['**/*.test.ts', 'apps/lab/e2e/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
);
