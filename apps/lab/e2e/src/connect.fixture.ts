// A worker of Kafka Connect beside the broker of the tests, as docs/SINKS.md asks for one: one process, which ends with the test.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedArtifacts, findJava, freePorts, resolveArtifacts, workspaceOf } from '@flatline/dev-broker';
import { launch, type Running } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';

const PROJECT = {
  name: 'connect',
  folder: fileURLToPath(new URL('../connect', import.meta.url)),
  goals: ['dependency:copy-dependencies'],
};
const WORKSPACE = workspaceOf(import.meta.url);
const LOOK_MS = 100;

/** The body of a POST to `/connectors`. */
export interface Connector {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/** The reason why no worker can be started; undefined: it can. */
export async function whyNoConnect(): Promise<string | undefined> {
  if ((await findJava(process.env)) === undefined) return 'Java (a JRE of 17 or newer)';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const isHere = cachedArtifacts(PROJECT, WORKSPACE) !== undefined;
  return isHere || folders.some((folder) => existsSync(join(folder, 'mvn'))) ? undefined : 'Maven (mvn) on the PATH';
}

/** The page's settings of a worker, and its connectors, in their order. */
export function settingsOfPage(): { readonly worker: string; readonly connectors: readonly Connector[] } {
  const page = readFileSync(new URL('../../../../docs/SINKS.md', import.meta.url), 'utf8');
  const [, worker] = /^```properties\n(.*?)^```/ms.exec(page) ?? [];
  if (worker === undefined) throw new Error('docs/SINKS.md has no settings of a worker');
  const blocks = [...page.matchAll(/^```json\n(.*?)^```/gms)];
  return { worker, connectors: blocks.map(([, json]) => JSON.parse(json!) as Connector) };
}

export class ConnectWorker {
  readonly #address: string;
  readonly #running: Running;

  private constructor(address: string, running: Running) {
    this.#address = address;
    this.#running = running;
  }

  /** With these lines among its settings. Resolves once it answers. */
  static async start(folder: string, brokers: readonly string[], settings: string): Promise<ConnectWorker> {
    const jars = await resolveArtifacts(PROJECT, {
      workspace: WORKSPACE,
      environment: process.env,
      log: (line) => void process.stderr.write(`${line}\n`),
    });
    const java = await findJava(process.env);
    const [port] = await freePorts(1);
    const address = `http://127.0.0.1:${port!}`;
    const file = join(folder, 'worker.properties');
    const own = {
      'bootstrap.servers': brokers.join(','),
      listeners: address,
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'offset.storage.file.filename': join(folder, 'offsets'),
      // Without reading all classes of all jars.
      'plugin.discovery': 'service_load',
      // Positions are what the test waits for.
      'offset.flush.interval.ms': '500',
    };
    writeFileSync(file, [...Object.entries(own).map(([name, value]) => `${name}=${value}`), settings].join('\n'));
    const log = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
    const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', log, '-cp', join(jars, '*')];
    const running = launch(java!.command, [...flags, 'org.apache.kafka.connect.cli.ConnectStandalone', file]);
    const worker = new ConnectWorker(address, running);
    const ended = running.finished.then(({ stderr }): never => {
      throw new Error(`the worker has ended: ${stderr}`);
    });
    ended.catch(() => undefined);
    while (!(await Promise.race([worker.#isReady(), ended]))) await sleep(LOOK_MS);
    return worker;
  }

  #isReady(): Promise<boolean> {
    return fetch(`${this.#address}/`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async #ask(path: string, body?: unknown): Promise<unknown> {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`${this.#address}${path}`, body === undefined ? {} : post);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}\n${this.#running.printed()}`);
    return JSON.parse(text) as unknown;
  }

  async create(connector: Connector): Promise<void> {
    await this.#ask('/connectors', connector);
  }

  /** Resolves once the connector has committed these positions or later ones, by partition. @throws Error if it has failed */
  async reaches(name: string, positions: readonly number[]): Promise<void> {
    for (;;) {
      const { tasks } = (await this.#ask(`/connectors/${name}/status`)) as { readonly tasks: readonly Task[] };
      const failed = tasks.find(({ state }) => state === 'FAILED');
      if (failed !== undefined) throw new Error(`${name} has failed: ${failed.trace ?? ''}`);
      const { offsets } = (await this.#ask(`/connectors/${name}/offsets`)) as { readonly offsets: readonly Position[] };
      const reached = new Map(offsets.map((each) => [each.partition.kafka_partition, each.offset.kafka_offset]));
      if (positions.every((position, partition) => (reached.get(partition) ?? 0) >= position)) return;
      await sleep(LOOK_MS);
    }
  }
}

interface Task {
  readonly state: string;
  readonly trace?: string;
}

interface Position {
  readonly partition: { readonly kafka_partition: number };
  readonly offset: { readonly kafka_offset: number };
}
