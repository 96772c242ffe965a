// Subscriptions to all pipelines of a port: who is let in, and how many there are.
//
// Owns: what is opened with the first subscription of each pipeline, and its end: with the last one, or once its topic is another.
// Does not own: a subscription (PipelinePush).
import { type Clock, type DurationMs, messageOf, Retriable } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import type { KafkaOptions } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';
import type { PageSource } from '../directory/paging.ts';
import { Admission } from './admission.ts';
import { openOutputTopic, type OutputTopic } from './output-topic.ts';
import { PipelinePush } from './pipeline-push.ts';

export interface PushesParts {
  readonly config: Pick<FlatlineConfig, 'application' | 'pipelines'>;
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

/** Subscribers of a port, and of its connections: others ask it, too. */
const SUBSCRIBERS_MAX = 20_000;
const CONNECTIONS_SHARE = 0.9;
const ADMISSION = { perSecond: 500, burst: 1_000 };
/** Each connection is said to live once in so many seconds. */
const KEEP_ALIVE_TURNS = 15;
const TURN_MS: DurationMs = 1_000;
interface Opened {
  readonly name: string;
  readonly push: PipelinePush;
  readonly output: OutputTopic;
  isLookedAt: boolean;
}

type OpenOutput = (pipeline: PipelineConfig) => OutputTopic;

export class Pushes {
  readonly #parts: PushesParts;
  readonly #subscribersMax: number;
  readonly #openOutput: OpenOutput;
  readonly #admission = new Admission(ADMISSION);
  readonly #opened = new Map<string, Promise<Opened>>();
  readonly #open = new Set<Opened>();
  #turn = 0;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  /** `connectionsMax`: of the port. */
  constructor(parts: PushesParts, connectionsMax: number, openOutput?: OpenOutput) {
    const { kafka, clock } = parts;
    this.#parts = parts;
    this.#subscribersMax = Math.min(SUBSCRIBERS_MAX, Math.floor(connectionsMax * CONNECTIONS_SHARE));
    this.#openOutput = openOutput ?? ((pipeline) => openOutputTopic(kafka, clock, pipeline));
  }

  /** undefined: there is none of that name. */
  pipeline(name: string): PipelineConfig | undefined {
    return this.#parts.config.pipelines.find((each) => each.name === name);
  }

  /** 0: one more is let in. Else after how long to come again. */
  admit(): DurationMs {
    let subscribers = 0;
    for (const { push } of this.#open) subscribers += push.size;
    if (this.#isClosed || subscribers >= this.#subscribersMax) return FULL_RETRY_MS;
    return this.#admission.ask(this.#parts.clock.monotonicMs());
  }

  /** @throws Retriable, Fatal where the output cannot be looked at */
  async of(pipeline: PipelineConfig, source: PageSource): Promise<PipelinePush> {
    const opening = this.#opened.get(pipeline.name) ?? this.#openFor(pipeline, source);
    this.#opened.set(pipeline.name, opening);
    try {
      return (await opening).push;
    } catch (error) {
      // Another who asked with this one may have begun the next.
      if (this.#opened.get(pipeline.name) === opening) this.#opened.delete(pipeline.name);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await Promise.all([...this.#open].map((opened) => this.#end(opened)));
  }

  async #openFor(pipeline: PipelineConfig, source: PageSource): Promise<Opened> {
    const { clock, log } = this.#parts;
    const { name } = pipeline;
    const output = this.#openOutput(pipeline);
    try {
      const topic = await output.describe();
      if (this.#isClosed) throw new Retriable('the process stops');
      const push = new PipelinePush({
        pipeline: name,
        outputTopic: pipeline.output.topic,
        topic,
        reader: output.reader,
        ends: output.ends,
        source,
        clock,
        log,
        turns: setImmediate,
        onLost: () => void this.#lookAgain(opened),
      });
      const opened: Opened = { name, push, output, isLookedAt: false };
      this.#open.add(opened);
      this.#cancel ??= clock.after(TURN_MS, this.#tick);
      return opened;
    } catch (error) {
      await output.close();
      throw error;
    }
  }

  /** A topic that was made again has other offsets: who hears the former one begins again, with a cursor that says of which it is. */
  async #lookAgain(opened: Opened): Promise<void> {
    if (opened.isLookedAt) return;
    opened.isLookedAt = true;
    const { name: pipeline, push, output } = opened;
    const now = await output.describe().catch((error: unknown) => messageOf(error));
    opened.isLookedAt = false;
    const { topicId, partitions } = push.topic;
    if (typeof now === 'object' && now.topicId === topicId && now.partitions === partitions) return;
    const why = typeof now === 'string' ? now : 'the output topic is another one than before';
    this.#parts.log.warn('all subscriptions of a pipeline begin again', { pipeline, why });
    await this.#end(opened);
  }

  /** Whoever comes next has the topic looked at. Never rejects. */
  async #end(opened: Opened): Promise<void> {
    const { name: pipeline, push, output } = opened;
    if (!this.#open.delete(opened)) return;
    this.#opened.delete(pipeline);
    push.close();
    await output.close().catch((error: unknown) => {
      this.#parts.log.warn('a reading of outputs does not close', { pipeline, why: messageOf(error) });
    });
  }

  readonly #tick = (): void => {
    for (const opened of [...this.#open]) {
      // Without subscribers nothing is read that would tell that the topic was made again.
      if (opened.push.size === 0) void this.#end(opened);
      else opened.push.tick(this.#turn, KEEP_ALIVE_TURNS);
    }
    this.#turn += 1;
    this.#cancel = this.#isClosed ? undefined : this.#parts.clock.after(TURN_MS, this.#tick);
  };
}

const FULL_RETRY_MS: DurationMs = 10_000;
