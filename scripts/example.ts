// `npm run example -- NAME`: a broker, a processor and the program of docs/examples/NAME, until that ends.
import { freePorts, startBroker } from '@flatline/dev-broker';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const examples = join(root, 'docs/examples');
const CONFIG = 'flatline.config.json';
/** The tables of an example that needs PostgreSQL. */
const TABLES = 'tables.sql';
const SOURCES = '--conditions=@flatline/source';
const READY_LOOK_MS = 100;
/** Where webhooks go: a port that the program of the example takes. */
const ENDPOINT_PORT = /(?<=http:\/\/127\.0\.0\.1:)\d+/g;

const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, CONFIG)));
const [name = ''] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(
    `usage: npm run example -- NAME\n\nNAME is one of ${names.join(', ')}: docs/examples has a page for each.\n`,
  );
  process.exit(2);
}
const postgresql = existsSync(join(examples, name, TABLES)) ? (findPostgresql() ?? missing()) : undefined;
process.exitCode = await run();

/** Exit code of the example's program. */
async function run(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-example-'));
  const running: ChildProcess[] = [];
  process.stderr.write('starting a broker and a processor …\n');
  const broker = await startBroker({ ephemeral: true });
  let database: Postgresql | undefined;
  try {
    if (postgresql !== undefined) database = await startDatabase(postgresql);
    const [port, webhookPort] = await freePorts(2);
    const config = join(folder, CONFIG);
    writeFileSync(config, configOf({ brokers: broker.bootstrap, folder, port: port!, webhookPort: webhookPort! }));
    const webhook = { WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}` };
    const flatline = (args: readonly string[]): ChildProcess => {
      const child = node(['apps/cli/src/main.ts', ...args, '--config', config], 'ignore', webhook);
      running.push(child);
      return child;
    };
    const made = await ended(flatline(['topics', 'create', '--partitions', '4', '--replication', '1']));
    if (made !== 0) return made;
    const processor = flatline(['run']);
    const url = `http://127.0.0.1:${port}`;
    await ready(url, processor);
    const program = node([join(examples, name, 'example.js')], 'inherit', {
      BROKERS: broker.bootstrap,
      FLATLINE_URL: url,
      WEBHOOK_PORT: String(webhookPort),
      ...webhook,
      ...(database && { DATABASE: database.address, PATH: [postgresql, process.env['PATH']].join(delimiter) }),
    });
    running.push(program);
    return await ended(program);
  } finally {
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(running.map(ended));
    await database?.stop();
    await broker.stop();
    rmSync(folder, { recursive: true });
  }
}

function missing(): never {
  process.stderr.write(
    `${name} needs PostgreSQL: neither /usr/lib/postgresql/*/bin nor a folder of PATH has initdb, postgres and psql. ` +
      'Install it: apt install postgresql (Debian, Ubuntu), brew install postgresql (macOS).\n',
  );
  process.exit(1);
}

async function startDatabase(programs: string): Promise<Postgresql> {
  const database = await Postgresql.start(programs);
  try {
    database.query(readFileSync(join(examples, name, TABLES), 'utf8'));
  } catch (error) {
    await database.stop();
    throw error;
  }
  return database;
}

/** The example's configuration on this broker; ports are free ones, since several examples may run at once. */
function configOf(at: { brokers: string; folder: string; port: number; webhookPort: number }): string {
  const said = readFileSync(join(examples, name, CONFIG), 'utf8').replaceAll(ENDPOINT_PORT, String(at.webhookPort));
  const own = { brokers: at.brokers.split(','), stateDir: join(at.folder, 'state'), http: { port: at.port } };
  return JSON.stringify({ ...(JSON.parse(said) as object), ...own });
}

function node(args: readonly string[], stdout: 'inherit' | 'ignore', env: NodeJS.ProcessEnv = {}): ChildProcess {
  // Settings of the shell's would be those of another application, on other brokers.
  const own = Object.entries(process.env).filter(([variable]) => !/^(FLATLINE_|KAFKA_BROKERS$)/.test(variable));
  return spawn(process.execPath, [SOURCES, ...args], {
    cwd: root,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', stdout, stdout === 'ignore' ? 'pipe' : 'inherit'],
  });
}

async function ended(child: ChildProcess): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? 1;
}

/** Once the processor runs all of its partitions. @throws Error where it ends before */
async function ready(url: string, processor: ChildProcess): Promise<void> {
  let said = '';
  processor.stderr!.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4_000)));
  for (;;) {
    if (processor.exitCode !== null) throw new Error(`the processor ended with ${processor.exitCode}: ${said}`);
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
  }
}
