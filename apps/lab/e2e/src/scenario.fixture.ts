// One application on the real broker: its own topics, a configuration file, a state directory, and its output.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { openSummaryConsumer, type SummaryRecord, type TombstoneRecord } from '@flatline/client/parts';
import { type SchemaRegistry } from '@flatline/records';
import { type ConfigurationInput } from '@flatline/config';
import { type SecuredListener } from '@flatline/dev-broker';
import { BatchProducer, type KafkaOptions, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { kill, type Running } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { optionsOf } from './secured.fixture.ts';

type Pipeline = ConfigurationInput['pipelines'][number];

export interface ScenarioSettings {
  /** Absent for kinds without one. */
  readonly timeoutMs?: number;
  readonly timestampType?: 'LogAppendTime' | 'CreateTime';
  readonly partitions?: number;
  readonly pipeline?: Partial<Pipeline>;
  readonly ingest?: ConfigurationInput['ingest'];
  readonly notifier?: ConfigurationInput['notifier'];
  /** Default: the broker of `KAFKA_BROKERS`, plain. The environment overrides a configuration, so it must agree. */
  readonly listener?: SecuredListener;
}

export interface Outputs {
  readonly summaries: readonly SummaryRecord[];
  readonly tombstones: readonly TombstoneRecord[];
}

interface ReadHow {
  /** Default: the output. */
  readonly topic?: string;
  readonly until?: 'end' | undefined;
  readonly registry?: SchemaRegistry | undefined;
}

export class Scenario {
  readonly folder = mkdtempSync(join(tmpdir(), 'flatline-e2e-'));
  application = `e2e-${randomBytes(5).toString('hex')}`;
  readonly input = `${this.application}-in`;
  readonly output: string = `${this.application}-out`;
  readonly config = join(this.folder, 'flatline.config.json');
  readonly kafka: KafkaOptions;
  readonly partitions: number;
  readonly #settings: ScenarioSettings;
  /** Aborted by `dispose`: work left by a failed test would keep the test run from ending. */
  readonly #disposed = new AbortController();

  private constructor(settings: ScenarioSettings) {
    this.#settings = settings;
    this.partitions = settings.partitions ?? 4;
    const { listener } = settings;
    const reached = listener === undefined ? { brokers: environmentBrokers() } : optionsOf(listener);
    this.kafka = { ...reached, clientId: this.application, clock: systemClock };
    this.configure({});
  }

  static async create(settings: ScenarioSettings): Promise<Scenario> {
    const scenario = new Scenario(settings);
    const { config, partitions } = scenario;
    await succeed(['topics', 'create', '--config', config, '--partitions', String(partitions), '--replication', '1']);
    return scenario;
  }

  /** Names and a configuration file, without topics. */
  static unprovisioned(settings: ScenarioSettings): Scenario {
    return new Scenario(settings);
  }

  /** Becomes another application of the same input and output, from the next `configure` on. */
  rename(): void {
    this.application = `${this.application}-b`;
  }

  /** Every later command logs in over this listener, until the next `configure`. */
  enterBy({ kafka }: SecuredListener): void {
    const config = JSON.parse(readFileSync(this.config, 'utf8')) as ConfigurationInput;
    writeFileSync(this.config, JSON.stringify({ ...config, kafka: { ...config.kafka, ...kafka } }));
  }

  /** Adds a setting of the process, until the next `configure`. */
  setting(name: string, value: unknown): void {
    const config = JSON.parse(readFileSync(this.config, 'utf8')) as object;
    writeFileSync(this.config, JSON.stringify({ ...config, [name]: value }));
  }

  /** Rewrites the configuration file. Group sessions end soon after a kill, so that tests need not wait long. */
  configure(changes: Partial<Pipeline>): void {
    const { timeoutMs, timestampType = 'LogAppendTime', pipeline, ingest, notifier, listener } = this.#settings;
    const config: ConfigurationInput = {
      application: this.application,
      brokers: [...this.kafka.brokers],
      http: { port: 0 },
      ...(ingest !== undefined && { ingest }),
      ...(notifier !== undefined && { notifier }),
      kafka: { ...listener?.kafka, sessionTimeoutMs: 3_000, heartbeatIntervalMs: 300 },
      pipelines: [
        {
          name: 'visits',
          kind: 'session',
          ...(timeoutMs !== undefined && { timeoutMs }),
          input: { topic: this.input, timestampType },
          output: { topic: this.output },
          ...pipeline,
          ...changes,
          // The compiler does not know its kind; the command checks it.
        } as Pipeline,
      ],
    };
    writeFileSync(this.config, JSON.stringify(config));
  }

  stateDir(instance: string): string {
    return join(this.folder, 'state', instance);
  }

  /** Starts a processor; resolves at once. */
  start(instance = 'a', env: Readonly<Record<string, string>> = {}): Running {
    const args = ['run', '--config', this.config, '--json', '--instance', instance];
    return flatline([...args, '--state-dir', this.stateDir(instance)], env);
  }

  /** Starts that many workers over one state directory and port; resolves at once. */
  startWorkers(count: number): Running {
    const args = ['run', '--config', this.config, '--json', '--workers', String(count), '--instance', 'm'];
    return flatline([...args, '--state-dir', this.stateDir('m')]);
  }

  get topics(): readonly string[] {
    const own = `${this.application}.visits`;
    return [this.input, this.output, `${own}.changelog`, `${own}.dead-letters`];
  }

  /** The access log of `../data`, or every nth part of it, as a file to import. */
  accessLog(part = 0, parts = 1): string {
    const data = fileURLToPath(new URL('../data/apache-access.log.gz', import.meta.url));
    const lines = gunzipSync(readFileSync(data)).toString('utf8').trimEnd().split('\n');
    const size = Math.ceil(lines.length / parts);
    const file = join(this.folder, `access-${part}-of-${parts}.log`);
    writeFileSync(file, `${lines.slice(part * size, (part + 1) * size).join('\n')}\n`);
    return file;
  }

  async import(file: string, close: boolean): Promise<void> {
    const args = ['import', file, '--topic', this.input, '--format', 'apache', ...(close ? ['--close'] : [])];
    await succeed([...args, '--brokers', this.kafka.brokers.join(',')]);
  }

  /** A producer of the test's own. Rejects if one of `needed` ends first; later sends of `use` then fail. */
  async producing<T>(use: (producer: BatchProducer) => Promise<T>, ...needed: readonly Running[]): Promise<T> {
    const connection = openCluster(this.kafka);
    try {
      const producer = await BatchProducer.open({ clock: systemClock, connection, topic: this.input });
      try {
        return await Promise.race([use(producer), this.#disposal(), ...needed.map(tooEarlyEnd)]);
      } finally {
        await producer.close();
      }
    } finally {
      connection.close();
    }
  }

  #disposal(): Promise<never> {
    const { signal } = this.#disposed;
    return new Promise((_, reject) => {
      const end = (): void => {
        reject(new Error('the scenario was disposed of'));
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
  }

  /** Follows the output from its beginning until `enough`; a read_committed reader with a filter of its own (O1). */
  async outputs(enough: (outputs: Outputs) => boolean, registry?: SchemaRegistry): Promise<Outputs> {
    return this.#read({ until: undefined, registry }, enough);
  }

  /** Everything committed on the output now. */
  async outputsNow(registry?: SchemaRegistry): Promise<Outputs> {
    return this.#read({ until: 'end', registry }, () => false);
  }

  async #read(how: ReadHow, enough: (outputs: Outputs) => boolean): Promise<Outputs> {
    const summaries: SummaryRecord[] = [];
    const tombstones: TombstoneRecord[] = [];
    await this.following((record) => {
      if (record.kind === 'summary') summaries.push(record);
      else tombstones.push(record);
      return enough({ summaries, tombstones });
    }, how);
    return { summaries, tombstones };
  }

  /** Passes on each record of the output, from its beginning until `isLast` says so. */
  async following(isLast: (record: SummaryRecord | TombstoneRecord) => boolean, how: ReadHow = {}): Promise<void> {
    const { consumer, close } = await openSummaryConsumer({
      kafka: this.kafka,
      topic: this.output,
      from: 'beginning',
      ...how,
    });
    const { signal } = this.#disposed;
    const end = (): void => {
      consumer.close();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    try {
      for await (const record of consumer) {
        if (record.kind === 'unreadable') throw new Error(`unreadable output: ${record.reason} ${record.detail}`);
        if (record.kind !== 'update' && isLast(record)) break;
      }
    } finally {
      await close();
    }
  }

  async stop(running: Running): Promise<number | null> {
    running.child.kill('SIGTERM');
    return (await running.finished).code;
  }

  async dispose(...processes: readonly Running[]): Promise<void> {
    this.#disposed.abort();
    await Promise.all(processes.map(({ child }) => kill(child)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function environmentBrokers(): string[] {
  return (process.env['KAFKA_BROKERS'] ?? '').split(',');
}

async function tooEarlyEnd(running: Running): Promise<never> {
  const { code } = await running.finished;
  throw new Error(`the processor ended with ${code} while records were produced:\n${running.printed()}`);
}

/** Resolves after that time: for schedules of faults, never for waiting on a result. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
