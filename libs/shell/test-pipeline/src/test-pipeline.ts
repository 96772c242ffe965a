// A pipeline of any kind in memory with virtual time: the product's own configuration, decoders, rules, changelog and encoders,
// without a broker and without waiting.
//
//   const p = testPipeline({ name: 'visits', kind: 'session', timeoutMs: '30m', input: { topic: 'in' }, output: { topic: 'out' } });
//   p.send('visitor-7', { type: 'VIEW' });
//   p.advance('30m');
//   p.outputs();                         // one summary
//
// Owns: virtual time, what has come out and was not asked for.
// Does not own: a partition (TestPartition), the rules.
import { copyBytes, type Millis, partitionOf } from '@flatline/base';
import type { KindOutput } from '@flatline/kinds';
import type { DeadLetter } from '@flatline/partition';
import { inputTopicsOf, kindOf } from '@flatline/kind-modules';
import { SchemasAtHand } from '@flatline/records';
import { type DeadLetterOutput, deadLetterOf, entryOf, type LoggedRecord, type TestEntry } from './shown-state.ts';
import type { InputRecord } from './memory-cursor.ts';
import { headersOf, keyBytes, valueBytes } from './input-record.ts';
import { PARTITIONS_MAX } from './limits.ts';
import {
  checkPipelineOptions,
  checkSendOptions,
  type ReplayedRecord,
  type SendOptions,
  type TestPipelineOptions,
  wholeNumber,
} from './options.ts';
import {
  type BatchOutput,
  type LeaseOutput,
  outputOf,
  type OutputsByKind,
  type ReceiptOutput,
  type RunOutput,
  type SummaryOutput,
  type WrittenRecord,
} from './outputs.ts';
import { shown } from './shown.ts';
import { testedPipeline } from './task-options.ts';
import { pipelineOf, type TestedConfiguration } from './tested-config.ts';
import { testedKind } from './tested-kind.ts';
import { type Tested, TestPartition } from './test-partition.ts';
import { type Duration, durationOf, type Instant, instantOf } from './times.ts';
import { VirtualTime } from './virtual-time.ts';
import { Waiting } from './waiting.ts';

const START_AT: Instant = '2026-01-01T00:00:00Z';
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

type Kind = keyof OutputsByKind;

/** The kind that a section names; of a whole configuration, those of its pipelines. */
export type KindOf<Config> = Config extends { readonly kind: infer Named extends Kind }
  ? Named
  : Config extends { readonly pipelines: readonly { readonly kind: infer Named extends Kind }[] }
    ? Named
    : Kind;

/** Where a record that was sent lies in the input. */
export interface SentRecord {
  readonly partition: number;
  readonly offset: number;
  /** Its stamp, in milliseconds since the epoch. */
  readonly timestamp: Millis;
}

/** One pipeline, without a broker. Every call returns once all that it brings about has come out. */
export interface TestPipeline<K extends Kind = Kind> {
  /** The present of virtual time, in milliseconds since the epoch. */
  readonly now: Millis;
  /**
   * A record comes to the input. The value: an object goes as JSON, text and bytes as they are, `null` is a null value (an end, a
   * cancel), and without one it is empty (a bare heartbeat). @throws TypeError
   */
  send(key: string | Uint8Array | null, value?: unknown, options?: SendOptions): SentRecord;
  /**
   * Records come to the input as they lay in a topic, each with its stamp, clock records among them: time is theirs alone, and
   * nothing is added. @throws TypeError
   */
  replay(records: Iterable<ReplayedRecord>): void;
  /**
   * So much time passes, in milliseconds or as "30m", on a quiet log that a running processor listens to: what is due takes effect
   * at its instant. @throws TypeError
   */
  advance(duration: Duration): void;
  /** Time passes until then; not before the present. @throws TypeError */
  advanceTo(instant: Instant): void;
  /**
   * So much time passes, in milliseconds or as "10m", in which the log could not be written or had no listener; then a
   * processor goes on. Unheard time is held (C8), where the configuration has it. @throws TypeError
   */
  outage(duration: Duration): void;
  /**
   * The processor stops and starts again, at once: its state is read back from what it has committed. With other settings, those
   * hold from now on. @throws TypeError, ConfigurationError
   */
  restart(config?: TestedConfiguration): void;
  /** Outputs since it was asked last: summaries, lease events, batches or runs, in the order in which they came. */
  outputs(): OutputsByKind[K][];
  /** `outputs()` of a pipeline of sessions. @throws TypeError: it is of another kind. */
  summaries(): SummaryOutput[];
  /** `outputs()` of a pipeline of leases. @throws TypeError: it is of another kind. */
  leaseEvents(): LeaseOutput[];
  /** `outputs()` of a pipeline that debounces. @throws TypeError: it is of another kind. */
  batches(): BatchOutput[];
  /** `outputs()` of a pipeline of schedules: those of its output and of all `targets`, each with its topic. @throws TypeError: it is of another kind. */
  runs(): RunOutput[];
  /** Receipts of schedules since it was asked last, where the pipeline has `receipts`. */
  receipts(): ReceiptOutput[];
  /** Records of the output and of all `targets` since it was asked last, tombstones and receipts among them: the newest million. */
  records(): WrittenRecord[];
  /** Records of the input since it was asked last, clock records among them, in the order in which they came: the newest million. */
  input(): LoggedRecord[];
  /** Records that could not be used, since it was asked last. */
  deadLetters(): DeadLetterOutput[];
  /** Live entries, by partition and key. */
  entries(): TestEntry[];
}

/**
 * A pipeline in memory, with the rules of this version of Flatline.
 * @throws ConfigurationError with everything that is wrong with the configuration; TypeError.
 */
export function testPipeline<const Config extends TestedConfiguration>(
  config: Config,
  options: TestPipelineOptions = {},
): TestPipeline<KindOf<Config>> {
  return new PipelineInMemory(config, options) as TestPipeline as TestPipeline<KindOf<Config>>;
}

class PipelineInMemory implements TestPipeline {
  readonly #options: TestPipelineOptions;
  readonly #schemas: SchemasAtHand;
  readonly #partitions: readonly TestPartition[];
  readonly #ends = new Map<string, number>();
  readonly #input = new Waiting<LoggedRecord>('input');
  readonly #outputs = new Waiting<OutputsByKind[Kind]>('outputs');
  readonly #receipts = new Waiting<ReceiptOutput>('receipts');
  readonly #records = new Waiting<WrittenRecord>('records');
  readonly #deadLetters = new Waiting<DeadLetterOutput>('deadLetters');
  readonly #time: VirtualTime;
  #tested: Tested;

  constructor(config: unknown, options: TestPipelineOptions) {
    const call = 'testPipeline';
    checkPipelineOptions(call, options);
    const { startAt = START_AT, partitions = 1, schemas } = options;
    const partitionCount = wholeNumber(call, 'partitions', partitions, { least: 1, most: PARTITIONS_MAX });
    this.#options = options;
    this.#schemas = new SchemasAtHand('schemas', schemas);
    this.#time = new VirtualTime(instantOf(call, 'startAt', startAt));
    this.#tested = this.#testedBy(config, call, partitionCount);
    const parts = {
      partitionCount,
      onInput: this.#onInput,
      onOutput: this.#onOutput,
      onDeadLetter: this.#onDeadLetter,
    };
    this.#partitions = Array.from(
      { length: partitionCount },
      (_, partition) => new TestPartition(this.#tested, { ...parts, partition }, this.#now),
    );
  }

  get now(): Millis {
    return this.#now;
  }

  get #now(): Millis {
    return this.#time.now;
  }

  send(key: unknown, value?: unknown, options: SendOptions = {}): SentRecord {
    checkSendOptions('send', options);
    const record = {
      key: keyBytes('send', key),
      value: valueBytes('send', value),
      headers: headersOf('send', options.headers),
    };
    const partition = this.#partitionOf('send', record.key, options.partition);
    if (options.at !== undefined) this.#pass(this.#laterThanNow('send', 'at', options.at));
    const timestamp = this.#stampOf(options.timestamp);
    const input = this.#inputOf('send', options.topic);
    const task = this.#partitions[partition]!;
    const offset = task.endOf(input);
    task.append({ ...record, offset, timestamp }, this.#now, input);
    return { partition, offset, timestamp };
  }

  replay(records: Iterable<ReplayedRecord>): void {
    for (const record of records) {
      const timestamp = instantOf('replay', 'timestamp', numberIn(record.timestamp));
      const partition = this.#partitionOf('replay', null, record.partition);
      // Whatever the topic was called that a pipeline with one input had its records from.
      const input = this.#tested.pipeline.inputs === undefined ? 0 : this.#inputOf('replay', record.topic);
      const task = this.#partitions[partition]!;
      const end = task.endOf(input);
      const offset = wholeNumber('replay', 'offset', numberIn(record.offset) ?? end, {
        least: end,
        most: Number.MAX_SAFE_INTEGER - 1,
      });
      const key = keyBytes('replay', record.key);
      const value = valueBytes('replay', record.value);
      const headers = headersOf('replay', record.headers);
      this.#time.jump(Math.max(this.#now, timestamp));
      task.appendAsItLay({ key, value, headers, timestamp, offset }, this.#now, input);
    }
  }

  advance(duration: Duration): void {
    this.#pass(this.#now + durationOf('advance', duration));
  }

  advanceTo(instant: Instant): void {
    this.#pass(this.#laterThanNow('advanceTo', 'the instant', instant));
  }

  outage(duration: Duration): void {
    this.#time.jump(this.#now + durationOf('outage', duration));
    this.#pass(this.#now);
  }

  restart(config?: TestedConfiguration): void {
    if (config !== undefined) this.#tested = this.#likeBefore(config);
    for (const partition of this.#partitions) partition.restart(this.#tested, this.#now);
  }

  outputs(): OutputsByKind[Kind][] {
    return this.#outputs.take();
  }

  summaries(): SummaryOutput[] {
    return this.#outputsOf('session', 'summaries') as SummaryOutput[];
  }

  leaseEvents(): LeaseOutput[] {
    return this.#outputsOf('lease', 'leaseEvents') as LeaseOutput[];
  }

  batches(): BatchOutput[] {
    return this.#outputsOf('debounce', 'batches') as BatchOutput[];
  }

  runs(): RunOutput[] {
    return this.#outputsOf('schedule', 'runs') as RunOutput[];
  }

  receipts(): ReceiptOutput[] {
    return this.#receipts.take();
  }

  records(): WrittenRecord[] {
    return this.#records.take();
  }

  input(): LoggedRecord[] {
    return this.#input.take();
  }

  deadLetters(): DeadLetterOutput[] {
    return this.#deadLetters.take();
  }

  entries(): TestEntry[] {
    return this.#partitions.flatMap((task, partition) =>
      [...task.entries()]
        .toSorted((a, b) => Buffer.compare(a.key, b.key))
        .map(({ key, shown: state }) => entryOf(key, partition, state)),
    );
  }

  #testedBy(config: unknown, call: string, partitionCount: number): Tested {
    const { pipeline: name, reducers = {} } = this.#options;
    const pipeline = pipelineOf(config, { call, pipeline: name, reducers });
    return testedPipeline(pipeline, testedKind(pipeline, this.#schemas), partitionCount);
  }

  /** A processor refuses the same (I4): heads of one kind may well be read as those of another. */
  #likeBefore(config: unknown): Tested {
    const tested = this.#testedBy(config, 'restart', this.#partitions.length);
    const { name, kind } = this.#tested.pipeline;
    const [former, topics] = [this.#tested, tested].map(({ pipeline }) => inputTopicsOf(pipeline).join(', '));
    if (former !== topics && (this.#tested.pipeline.inputs ?? tested.pipeline.inputs) !== undefined)
      throw new TypeError(
        `restart: the inputs are ${topics}, and what pipeline ${name} keeps is of ${former}: make another testPipeline`,
      );
    if (tested.pipeline.kind === kind) return tested;
    throw new TypeError(
      `restart: kind is "${tested.pipeline.kind}", and what pipeline ${name} keeps is of kind "${kind}": make another testPipeline`,
    );
  }

  #outputsOf(kind: Kind, call: string): OutputsByKind[Kind][] {
    const { kind: own } = this.#tested.pipeline;
    if (own !== kind) throw new TypeError(`${call}: the pipeline is of kind "${own}", not "${kind}": call outputs()`);
    return this.outputs();
  }

  #partitionOf(call: string, key: Uint8Array | null, wish: unknown): number {
    const { length } = this.#partitions;
    if (wish !== undefined) return wholeNumber(call, 'partition', wish, { least: 0, most: length - 1 });
    return key === null ? 0 : partitionOf(key, length);
  }

  #inputOf(call: string, topic: unknown): number {
    const topics = inputTopicsOf(this.#tested.pipeline);
    if (topic === undefined) return 0;
    const input = topics.findIndex((each) => each === topic);
    if (input >= 0) return input;
    throw new TypeError(`${call}: topic is ${shown(topic)}: the inputs of the pipeline are ${topics.join(', ')}`);
  }

  #stampOf(timestamp: Instant | undefined): Millis {
    if (timestamp === undefined) return this.#now;
    if (this.#tested.pipeline.input.timestampType === 'LogAppendTime')
      throw new TypeError(
        'send: timestamp is for inputs with timestampType "CreateTime"; here the broker stamps what it appends: give at',
      );
    return instantOf('send', 'timestamp', timestamp);
  }

  #laterThanNow(call: string, name: string, value: unknown): Millis {
    const instant = instantOf(call, name, value);
    if (instant >= this.#now) return instant;
    const [given, now] = [instant, this.#now].map((each) => new Date(each).toISOString());
    throw new TypeError(`${call}: ${name} is ${given}, and it is ${now} already: time does not go back`);
  }

  #pass(until: Millis): void {
    this.#time.pass(this.#partitions, until);
  }

  readonly #onInput = (record: InputRecord, partition: number, input: number): void => {
    this.#input.addNewest({ ...record, topic: this.#topicOf(input), partition });
  };

  #topicOf(input: number): string {
    return inputTopicsOf(this.#tested.pipeline)[input]!;
  }

  readonly #onOutput = (output: KindOutput, partition: number): void => {
    const { pipeline } = this.#tested;
    const ownTopic = pipeline.output.topic;
    const { topic = ownTopic, key, value, headers = [] } = output;
    const place = `${partition} ${topic}`;
    const offset = this.#ends.get(place) ?? 0;
    this.#ends.set(place, offset + 1);
    const ownKey = copied(key!);
    const record: WrittenRecord = {
      topic,
      partition,
      offset,
      timestamp: this.#now,
      key: ownKey,
      keyText: utf8.decode(ownKey),
      value: value === null ? null : copied(value),
      headers: headers.map(({ name, value: bytes }) => ({ name, value: bytes === null ? null : copied(bytes) })),
    };
    this.#records.addNewest(record);
    // Statistics are beside the outputs (S12): `records()` has them.
    const isOther = topic !== ownTopic && kindOf(pipeline).targetUse === 'statistics';
    const said = isOther ? undefined : outputOf(record, this.#tested.read);
    if (said?.kind === 'receipt') this.#receipts.add(said);
    else if (said !== undefined) this.#outputs.add(said);
  };

  readonly #onDeadLetter = (letter: DeadLetter, partition: number): void => {
    // A pipeline in memory has no routes, whose letters are of no input.
    this.#deadLetters.add(deadLetterOf(letter, this.#topicOf(letter.input ?? 0), partition));
  };
}

/** Copies an output: it may lie in memory that is written over. */
function copied(bytes: Uint8Array): Uint8Array {
  return copyBytes(bytes, 0, bytes.length);
}

/** kafkajs gives numbers as text. */
function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
}
