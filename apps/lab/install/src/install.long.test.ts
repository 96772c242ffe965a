// The packages as their users have them: installed from tarballs, on a real broker, used as their pages say.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { examplesIn, Installation, root, version } from './installation.fixture.ts';
import { Program } from './program.fixture.ts';
import { supportedNodes } from './supported-nodes.fixture.ts';

const BYTES_MAX = 80_000_000;
/** Bytes read before a command line is understood: more would be felt in every command. */
const START_BYTES_MAX = 400_000;
const nodes = supportedNodes();
const broker = process.env['KAFKA_BROKERS'] ?? '';
const registry = process.env['SCHEMA_REGISTRY_URL'] ?? '';
const PAGES = { command: 'apps/cli/package/README.md', client: 'libs/shell/client/package/README.md' };

/** Handlers of the SDK take outputs in memory; kinds are inferred from the section. */
const TYPED_TEST = `
  import type { Batch, CompletedSession } from '@flatline/client';
  import { defineConfig } from 'flatline';
  import { testPipeline } from 'flatline/testing';
  const topics = { input: { topic: 'in' }, output: { topic: 'out' } } as const;
  const handle = ({ summary, keyText }: CompletedSession): string => keyText + summary.reason;
  const p = testPipeline({ name: 'visits', kind: 'session', timeoutMs: '30m', ...topics });
  p.send('a', { type: 'VIEW' }, { at: new Date(p.now + 1), headers: { app: 1 } });
  p.advance('30m');
  const said: string[] = p.outputs().map(handle);
  const reminders = { name: 'r', kind: 'schedule', targets: ['mails'], ...topics } as const;
  const due: number[] = testPipeline(reminders).outputs().map(({ run }) => run.dueAt);
  const config = defineConfig({
    application: 'shop',
    brokers: ['127.0.0.1:9092'],
    pipelines: [{ name: 'd', kind: 'debounce', waitMs: '5s', input: { topic: 'in' }, output: { topic: 'out' } }],
  });
  const batches: Batch[] = testPipeline(config, { pipeline: 'd', partitions: 2 }).batches();
  // @ts-expect-error: sessions have no batches among their outputs
  const wrong = p.outputs().map(({ batch }) => batch);
  // @ts-expect-error: there is no such option
  testPipeline(reminders, { partition: 2 });
  export { batches, due, said, wrong };
`;

let command: Installation;
let both: Installation;
beforeAll(async () => {
  command = await Installation.of(['flatline']);
  both = await Installation.of(['flatline', 'flatline-client']);
});
afterAll(() => {
  for (const each of [command, both] as (Installation | undefined)[]) each?.remove();
});

describe('what is installed', () => {
  test('weighs at most 80 MB, without tools, tests and sources', () => {
    expect(command.diskBytes()).toBeLessThanOrEqual(BYTES_MAX);
    const files = command.files();
    const ours = both.files().filter((path) => /^(flatline|@flatline)\//.test(path));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((path) => /\.(test|fixture)\.|\.tsbuildinfo$|\.map$|(?<!\.d)\.ts$/.test(path))).toEqual([]);
    expect(files.filter((path) => /^(typescript|esbuild|jest|nx|testcontainers)\//.test(path))).toEqual([]);
  });

  test('names no package of the workspace, no range of it, and no path of the machine that packed it', () => {
    for (const path of both.files().filter((each) => /^(flatline|@flatline)\//.test(each))) {
      const text = readFileSync(join(both.folder, 'node_modules', path), 'utf8');
      expect([path, /(from|import\() ?["']@flatline\/(?!client["'])/.test(text), text.includes(root)]).toEqual([
        path,
        false,
        false,
      ]);
    }
    for (const name of ['flatline', '@flatline/client']) {
      const manifest = JSON.parse(
        readFileSync(join(both.folder, 'node_modules', name, 'package.json'), 'utf8'),
      ) as Record<string, Record<string, string>>;
      expect(manifest).toMatchObject({ name, version, type: 'module' });
      expect(manifest).not.toHaveProperty('devDependencies');
      for (const range of Object.values(manifest['dependencies']!)) expect(range).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test('a command reads little before it is understood', () => {
    const texts = readAtStart('main.js');
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join('').length).toBeLessThanOrEqual(START_BYTES_MAX);
  });

  test('a pipeline in memory loads no local store and no Kafka client', () => {
    const texts = readAtStart('testing.js').join('');
    expect(texts).toContain('SessionKind');
    expect(texts).not.toMatch(/(from|import) ?"(lmdb|snappy|lz4-napi|@node-rs\/crc32)"|KafkaJSError/);
  });

  test('both pages show the same processor in a service', () => {
    expect(examplesIn(PAGES.command, 'js')).toEqual(examplesIn('README.md', 'js'));
  });

  test('a pipeline in memory has the types of its kind, by each way in which TypeScript looks for them', () => {
    both.write('testing.ts', TYPED_TEST);
    for (const how of [
      ['--module', 'nodenext'],
      ['--module', 'es2022', '--moduleResolution', 'bundler'],
    ])
      expect(typesOf(['testing.ts'], how)).toEqual({ stdout: '', status: 0 });
  });

  test('the examples of the pages have the types that TypeScript wants', () => {
    for (const [name, page] of Object.entries(PAGES)) both.write(`${name}.ts`, examplesIn(page, 'js').join('\n'));
    const files = Object.keys(PAGES).map((name) => `${name}.ts`);
    expect(typesOf(files, ['--module', 'nodenext'])).toEqual({ stdout: '', status: 0 });
  });
});

/** Files read, with all imports, before the given file of the package begins. */
function readAtStart(file: string): string[] {
  const folder = join(command.folder, 'node_modules/flatline/dist');
  const texts = new Map<string, string>();
  for (const names = [file]; names.length > 0;) {
    const name = names.pop()!;
    if (texts.has(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    texts.set(name, text);
    names.push(...[...text.matchAll(/^(?:import|export)?[^;()]*?(?:from )?"\.\/([^"]+)";/gm)].map(([, each]) => each!));
  }
  return [...texts.values()];
}

/** The workspace's compiler on files beside the installation. */
function typesOf(files: readonly string[], how: readonly string[]): { stdout: string; status: number | null } {
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const args = [tsc, '--noEmit', '--strict', '--target', 'es2023', ...types, ...how, ...files];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: both.folder, encoding: 'utf8' });
  return { stdout, status };
}

describe.each(nodes)('on Node %s', (_version, node) => {
  test('the command says its version, its help, and what only a checkout has', async () => {
    expect(await command.flatline(node, '--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await command.flatline(node, '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: flatline /);
    expect(await command.flatline(node, 'demo')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('checkout'),
    });
    expect(await command.flatline(node, 'topics', 'check', '--config', 'none.json')).toMatchObject({ code: 2 });
  });

  test.each(examplesIn('docs/TESTING.md', 'js').map((sample, i) => ({ i, sample })))(
    'sample $i of the page about testing runs on what is installed',
    async ({ i, sample }) => {
      command.write(`sample-${i}.mjs`, sample);
      const done = await command.run(node, ['--test-reporter=tap', `sample-${i}.mjs`], { NODE_TEST_CONTEXT: '' });
      expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# pass [1-9]\d*$/m) });
    },
  );

  test("flatline run closes the sessions of the SDK's page", async () => {
    const shop = await Shop.open(node, 'json');
    const processor = shop.program([
      'node_modules/flatline/bin/flatline.mjs',
      'run',
      '--config',
      shop.config,
      '--http-port',
      '0',
    ]);
    await processor.line(/task runs/);
    expect(await shop.visit()).toEqual(['bert ENDED', 'anna TIMEOUT']);
    const tail = await both.flatline(node, 'sessions', 'tail', '--config', shop.config, '--no-follow', '--json');
    expect(tail).toMatchObject({ code: 0, stdout: expect.stringContaining('"anna-') });
    expect(await processor.end('SIGTERM')).toBe(0);
  });

  test('createProcessor of the page of the command starts, reports, closes sessions in Avro, and stops', async () => {
    const shop = await Shop.open(node, 'avro');
    both.write('embedded.mjs', shop.named(examplesIn(PAGES.command, 'js').join('\n')));
    const processor = shop.program(['embedded.mjs']);
    await processor.line(/state: 'running'/);
    expect(await shop.visit()).toEqual(['bert ENDED', 'anna TIMEOUT']);
    expect(await processor.end('SIGTERM')).toBe(0);
  });
});

/** An application of its own on the broker, configured and visited as the pages say. */
class Shop {
  readonly application = `install-${randomBytes(5).toString('hex')}`;
  readonly config = `${this.application}.json`;
  readonly #node: string;
  readonly #format: 'json' | 'avro';

  private constructor(node: string, format: 'json' | 'avro') {
    this.#node = node;
    this.#format = format;
  }

  static async open(node: string, format: 'json' | 'avro'): Promise<Shop> {
    const shop = new Shop(node, format);
    both.write(shop.config, shop.named(examplesIn('README.md', 'json').join('\n')));
    const how = ['--config', shop.config, '--partitions', '2', '--replication', '1'];
    const created = await both.flatline(node, 'topics', 'create', ...how);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining(`${shop.application}-in`) });
    return shop;
  }

  /** An example with this application's names, and a silence short enough for a test. */
  named(example: string): string {
    return this.#formatted(example)
      .replaceAll('127.0.0.1:9092', broker)
      .replaceAll('visit-events', `${this.application}-in`)
      .replace(/(topic['"]?: ['"])visits/, `$1${this.application}-out`)
      .replace('"application": "shop"', `"application": "${this.application}", "http": { "port": 0 }`)
      .replace('shop.config.json', this.config)
      .replace("'billing'", `'${this.application}'`)
      .replace('.flatline/shop', `${this.application}-state`)
      .replace('"timeoutMs": 10000', '"timeoutMs": 2000');
  }

  /** With the registry's address, too, where a page has the broker's. */
  #formatted(example: string): string {
    if (this.#format === 'json') return example;
    return example
      .replace('"brokers":', `"schemaRegistryUrl": "${registry}", "brokers":`)
      .replace('"output": {', '"output": { "format": "avro",')
      .replace('brokers: [', `schemaRegistryUrl: '${registry}', brokers: [`)
      .replace('timeoutMs: 10_000', "timeoutMs: 10_000, format: 'avro'");
  }

  program(args: readonly string[]): Program {
    return Program.start(this.#node, args, both.folder);
  }

  /** The SDK's example: returns who was seen, and how it ended. */
  async visit(): Promise<string[]> {
    both.write('visit.mjs', this.named(examplesIn(PAGES.client, 'js').join('\n')));
    const { code, stdout, stderr } = await both.run(this.#node, ['visit.mjs']);
    if (code !== 0) throw new Error(`the example ended with ${code}: ${stderr}`);
    return [...stdout.matchAll(/^(\w+)-\d+ ([A-Z]+)/gm)].map(([, who, how]) => `${who} ${how}`);
  }
}
