import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ConfigurationError, defineConfig, loadConfiguration } from './index.ts';

const minimal = defineConfig({
  application: 'shop',
  brokers: ['127.0.0.1:9092'],
  pipelines: [{ name: 'v', kind: 'session', timeoutMs: 1, input: { topic: 'i' }, output: { topic: 'o' } }],
});

describe('loadConfiguration', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flatline-load-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const json = (application: string): string => JSON.stringify({ ...minimal, application });
  const typescript = (application: string): string =>
    `interface Named { readonly application: string }\n` +
    `const named: Named = { application: '${application}' };\n` +
    `export default { ...(${JSON.stringify(minimal)} as object), ...named };\n`;
  const load = (file?: string) => loadConfiguration({ file, folder, environment: {}, now: 1e12 });

  test('finds flatline.config.json', async () => {
    write('flatline.config.json', json('found'));
    expect((await load()).application).toBe('found');
  });

  test('reads what an editor has begun with a byte order mark', async () => {
    write('flatline.config.json', `\ufeff${json('marked')}`);
    expect((await load()).application).toBe('marked');
  });

  test('reads TypeScript as it is, and takes it before JSON', async () => {
    write('flatline.config.json', json('second'));
    write('flatline.config.ts', typescript('first'));
    expect((await load()).application).toBe('first');
  });

  /** In Node itself: the loader of the tests reads every file as a module. The application, or what is wrong. */
  const loadInNode = (file: string): string => {
    const source = `
      const { loadConfiguration } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
      const config = loadConfiguration({ file: '${file}', folder: '.', environment: {}, now: 1e12 });
      console.log(await config.then(({ application }) => application, ({ message }) => message));`;
    const args = ['--conditions=@flatline/source', '--input-type=module', '--eval', source];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
  };

  test('reads TypeScript in a package of CommonJS, too, which is what npm init makes', () => {
    write('package.json', '{ "type": "commonjs" }');
    write('name.ts', "export const name: string = 'npm-init';\n");
    const content = JSON.stringify(minimal);
    write(
      'flatline.config.ts',
      `import { name } from './name.ts';\nexport default { ...${content}, application: name };`,
    );
    expect(loadInNode('flatline.config.ts')).toBe('npm-init\n');
  });

  test.each(['{ "type": "module",', 'null', '[]'])(
    '[I4] a broken package.json is the file that is wrong (%s), where Node reads it at all',
    (text) => {
      write('package.json', text);
      write('flatline.config.ts', typescript('shop'));
      // The line of the finding begins with what is to be mended.
      expect(loadInNode('flatline.config.ts')).toMatch(
        new RegExp(`^  \\S*${basename(folder)}/package.json: .*; mend it: .*flatline.config.ts`, 'm'),
      );
      write('shop.mjs', `export default ${json('shop')};`);
      expect(loadInNode('shop.mjs')).toBe('shop\n');
    },
  );

  test('reads YAML, with lengths of time and comments', async () => {
    const [pipeline] = minimal.pipelines;
    const text =
      'application: shop # a name\nbrokers: ["127.0.0.1:9092"]\npipelines:\n' +
      `  - { name: v, kind: session, timeoutMs: 30m, input: { topic: i }, output: { topic: o } }\n`;
    write('flatline.config.yaml', text);
    expect((await load()).pipelines[0]).toMatchObject({ name: pipeline!.name, rules: { timeoutMs: 1_800_000 } });
    expect((await load(write('other.yml', text.replace('shop', 'other')))).application).toBe('other');
  });

  test('takes the file that is named, relative to the folder, and resolves paths beside it', async () => {
    write('flatline.config.json', json('default'));
    write('other.json', json('other'));
    expect(await load('other.json')).toMatchObject({ application: 'other', stateDir: join(folder, 'state') });
    expect((await load(join(folder, 'other.json'))).application).toBe('other');
  });

  test.each([
    ['half.json', '{', 'half.json'],
    ['cut.json', '{\n  "application":', /line 2: .*ends too early/],
    [
      'comma.json',
      '{\n  "brokers": [\n    "a:1",\n  ]\n}',
      /comma\.json: cannot be read: line 4: Unexpected token '\]'$/,
    ],
    ['python.json', '{\n  "application": "shop",\n  "ssl": True\n}', /: line 3: Unexpected token 'T'$/],
    ['quoting.json', '{\n  "line 5": True\n}', /: line 2: Unexpected token 'T'$/],
    ['pattern.json', '{\n  "a": /x/\n}', /: line 2: Unexpected token '\/'$/],
    ['noted.json', '{\n  // ours\n  "application": "shop"\n}', /: line 2: JSON has no comments; .* \.yaml/],
    ['empty.json', '', /empty\.json: .*is empty.*flatline config schema/],
    ['empty.yaml', '# nothing yet\n', /empty\.yaml: .*is empty.*flatline config schema/],
    ['begun.yaml', '---\n# nothing yet\n', /begun\.yaml: .*is empty.*flatline config schema/],
    ['empty.ts', '\n', /empty\.ts: .*is empty.*flatline config schema/],
    ['unsaid.ts', 'export default {};', 'export default defineConfig'],
    ['throws.ts', 'throw new Error("on purpose");', 'on purpose'],
    ['nothing.ts', 'export const config = {};', 'export default defineConfig'],
    ['half.ts', 'export default {\n  application: "a",\n  brokers: [,\n', /line \d: .*[Ee]xpress/],
    ['line.ts', 'const found: any = {};\n\nexport default found.a.b;\n', /line 3: Cannot read/],
    ['twice.json', '{\n  "a": { "b": 1 },\n  "c": [{ "d": 1,\n  "d": 2 }]\n}', 'line 4: "d" stands there twice'],
    ['shop.toml', 'application = "shop"', '.toml is not read; write it as .json, .yaml or .ts'],
    ['half.yaml', 'application: shop\nbrokers: [a:1\n', /line 3: /],
    ['twice.yaml', 'application: shop\nbrokers: []\nbrokers: []\n', /line 3: .*unique/],
    ['two.yaml', 'application: shop\n---\napplication: other\n', /line 2: .*documents/],
    ['tag.yaml', 'application: !!js/function shop\n', /line 1: .*tag/i],
  ])('[I4] %s cannot be read, and the message says why', async (name, text, said) => {
    await expect(load(write(name, text))).rejects.toThrow(ConfigurationError);
    await expect(load(name)).rejects.toThrow(said);
  });

  test('[I4] a folder is no configuration file', async () => {
    await expect(load('.')).rejects.toThrow(/it is a folder; name the file in it/);
  });

  test('$schema tells editors, and nothing else', async () => {
    write('flatline.config.json', JSON.stringify({ $schema: './flatline.schema.json', ...minimal }));
    expect((await load()).application).toBe('shop');
  });

  test('[I4] no file is said with the remedy', async () => {
    await expect(load()).rejects.toThrow(
      /flatline\.config\.ts, flatline\.config\.json or flatline\.config\.yaml.*--config/,
    );
    await expect(load('none.json')).rejects.toThrow(/none\.json/);
  });

  test('[I4] errors name the file', async () => {
    await expect(load(write('shop.json', '{}'))).rejects.toThrow(/^shop\.json\n/);
  });
});
