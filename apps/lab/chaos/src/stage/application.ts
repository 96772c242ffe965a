// One application under test: its own topics, configuration and state directories on a broker shared with others.
//
// Owns: the folder, the names.
// Does not own: the broker, the processes it starts (Child).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConfigurationInput, type PipelineConfig, resolveConfiguration } from '@flatline/config';
import { editingArguments, type SourceEdit } from '@flatline/cluster/source-edits';
import type { KafkaOptions } from '@flatline/kafka';
import type { InputSettings, PipelineSection } from '@flatline/lab-kinds';
import { systemClock } from '@flatline/system';
import { Child } from './child.ts';
import { createTopic, recreateTopic } from './topic-administration.ts';

export interface ApplicationOptions {
  /** Distinguishes the applications of a campaign: letters, digits, `-`. */
  readonly name: string;
  readonly brokers: string;
  /** Addresses for the processors; default: the brokers themselves. */
  readonly processorBrokers?: string | undefined;
  readonly timeoutMs: number;
  readonly partitions?: number;
  readonly replication?: 1 | 3;
  readonly timestampType?: 'LogAppendTime' | 'CreateTime';
  /** Input topic settings by Kafka's names, beside those of `flatline topics create`. */
  readonly inputSettings?: Readonly<Record<string, string>>;
  readonly pipeline: PipelineSection;
  /** Settings of each input beside its topic and type of timestamps. Default: one without any. */
  readonly inputs?: readonly InputSettings[];
  /** Files beside the configuration, which names them: their content. */
  readonly files?: Readonly<Record<string, string>>;
  readonly kafka?: ConfigurationInput['kafka'];
  /** Pipelines beside it, in the same processes. Default: none. */
  readonly further?: ConfigurationInput['pipelines'];
}

export interface ProcessorSettings {
  readonly env?: Readonly<Record<string, string>>;
  /** Default: any. */
  readonly httpPort?: number;
  /** Edits of its sources before they are loaded. */
  readonly edits?: readonly SourceEdit[];
}

export interface FleetLoad {
  readonly sessions: number;
  readonly ratePerSecond: number;
  readonly heartbeatMs: number;
  readonly beats: number;
  readonly seed: number;
  /** Default: the fleet's own, two minutes. */
  readonly deliveryTimeoutMs?: number;
}

const entry = fileURLToPath(new URL('../../../../cli/src/developer/main.ts', import.meta.url));

const folders = new Set<string>();

/** For the end of a trial, however it ends, when they are no longer in use. */
export function removeApplicationFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

export class Application {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'flatline-chaos-'));
  readonly input: string;
  /** All inputs, the first one first. */
  readonly inputs: readonly string[];
  readonly output: string;
  readonly changelog: string;
  readonly deadLetters: string;
  readonly group: string;
  readonly config: string;
  readonly partitions: number;
  readonly timeoutMs: number;
  readonly kafka: KafkaOptions;
  readonly options: ApplicationOptions;

  constructor(options: ApplicationOptions) {
    const { name } = options;
    folders.add(this.folder);
    this.options = options;
    this.input = `${name}-in`;
    const [, ...further] = options.inputs ?? [];
    this.inputs = [this.input, ...further.map((_, i) => `${name}-in-${i + 2}`)];
    this.output = `${name}-out`;
    this.changelog = `${name}.visits.changelog`;
    this.deadLetters = `${name}.visits.dead-letters`;
    this.group = `${name}.visits`;
    this.config = join(this.folder, 'flatline.config.json');
    this.partitions = options.partitions ?? 4;
    this.timeoutMs = options.timeoutMs;
    this.kafka = { brokers: options.brokers.split(','), clientId: `chaos-${name}`, clock: systemClock };
    for (const [file, content] of Object.entries(options.files ?? {})) writeFileSync(join(this.folder, file), content);
    this.configure(options.processorBrokers ?? options.brokers);
  }

  configure(brokers: string): void {
    const { name, timestampType = 'LogAppendTime', pipeline, inputs = [], kafka, further = [] } = this.options;
    const sections = this.inputs.map((topic, i) => ({ topic, timestampType, ...inputs[i] }));
    const config: ConfigurationInput = {
      application: name,
      brokers: brokers.split(','),
      http: { port: 0 },
      // A killed member is missed soon, so that trials are short; the results do not depend on it.
      kafka: { sessionTimeoutMs: 2_000, heartbeatIntervalMs: 200, ...kafka },
      pipelines: [
        {
          name: 'visits',
          input: sections.length === 1 ? sections[0] : sections,
          output: { topic: this.output },
          ...pipeline,
          // The compiler does not know its kind; the processors check it.
        } as ConfigurationInput['pipelines'][number],
        ...further,
      ],
    };
    writeFileSync(this.config, JSON.stringify(config));
  }

  /** As its processors read it. */
  get pipeline(): PipelineConfig {
    return this.#pipelines[0]!;
  }

  get further(): readonly PipelineConfig[] {
    return this.#pipelines.slice(1);
  }

  get #pipelines(): readonly PipelineConfig[] {
    const file: unknown = JSON.parse(readFileSync(this.config, 'utf8'));
    const options = { source: basename(this.config), folder: this.folder, environment: {} };
    return resolveConfiguration(file, options).pipelines;
  }

  /** @throws Error with what the command printed. */
  async createTopics(): Promise<void> {
    const { brokers, replication = 1, inputSettings, timestampType = 'LogAppendTime' } = this.options;
    if (inputSettings !== undefined)
      await createTopic(this.kafka, {
        topic: this.input,
        partitions: this.partitions,
        replicationFactor: replication,
        settings: { 'message.timestamp.type': timestampType, 'retention.ms': '-1', ...inputSettings },
      });
    const sizes = ['--partitions', String(this.partitions), '--replication', String(replication)];
    await this.command('topics', 'create', '--config', this.config, '--brokers', brokers, ...sizes);
  }

  /** Recreates a deleted topic, as an operator's own tools would: `flatline topics create` refuses if a state needs the old one. */
  async recreate(topic: string): Promise<void> {
    const { replication = 1 } = this.options;
    const settings = { 'retention.ms': '-1', 'retention.bytes': '-1', 'message.timestamp.type': 'LogAppendTime' };
    await recreateTopic(this.kafka, { topic, partitions: this.partitions, replicationFactor: replication, settings });
  }

  stateDir(instance: string): string {
    return join(this.folder, 'state', instance);
  }

  processor(instance: string, { env = {}, httpPort = 0, edits = [] }: ProcessorSettings = {}): Child {
    const args = ['run', '--config', this.config, '--json', '--instance', instance, '--http-port', String(httpPort)];
    return this.flatline([...args, '--state-dir', this.stateDir(instance)], { env, edits });
  }

  get ledger(): string {
    return join(this.folder, 'ledger.jsonl');
  }

  /** Sessions that beat and mostly fall silent; their truth is in `ledger` once the child has ended. */
  fleet({ sessions, ratePerSecond, heartbeatMs, beats, seed, deliveryTimeoutMs }: FleetLoad): Child {
    const size = ['--sessions', String(sessions), '--rate', String(ratePerSecond)];
    const life = ['--heartbeat-ms', String(heartbeatMs), '--beats', String(beats), '--format', 'json'];
    const disorder = ['--duplicates', '0.02', '--lose', '0.02', '--reorder', '0.02', '--seed', String(seed)];
    const patience = deliveryTimeoutMs === undefined ? [] : ['--delivery-timeout-ms', String(deliveryTimeoutMs)];
    const where = ['--topic', this.input, '--brokers', this.options.brokers, '--ledger', this.ledger];
    return this.flatline(['simulate', ...where, ...size, ...life, ...disorder, ...patience]);
  }

  /** @throws Error with the command's output, if it ends with another code than 0. */
  async command(...args: readonly string[]): Promise<Child> {
    const child = this.flatline(args);
    const { code } = await child.ended;
    if (code !== 0) throw new Error(`flatline ${args.join(' ')} ended with ${code}\n${child.lines.join('\n')}`);
    return child;
  }

  /** The command as a user runs it. */
  flatline(args: readonly string[], { env = {}, edits = [] }: Omit<ProcessorSettings, 'httpPort'> = {}): Child {
    // Variables for this program are not meant for its children.
    const own = { KAFKA_BROKERS: '', SCHEMA_REGISTRY_URL: '', NO_COLOR: '1' };
    const node = ['--conditions=@flatline/source', ...editingArguments(edits)];
    return new Child(process.execPath, [...node, entry, ...args], { ...own, ...env });
  }
}
