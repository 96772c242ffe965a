// Subscriptions to all pipelines of a port: who is let in, and how many there are.
//
// Owns: what is opened with the first subscription of each pipeline: connections to the brokers, and their end.
// Does not own: a subscription (PipelinePush).
import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { KafkaLogAdmin, KafkaLogReader, type KafkaOptions, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';
import type { PageSource } from '../directory/paging.ts';
import { Admission } from './admission.ts';
import { PipelinePush } from './pipeline-push.ts';

export interface PushesParts {
  readonly config: Pick<FlatlineConfig, 'pipelines'>;
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

/** Subscribers of a port. */
const SUBSCRIBERS_MAX = 20_000;
const ADMISSION = { perSecond: 500, burst: 1_000 };
/** Each connection is said to live once in so many seconds. */
const KEEP_ALIVE_TURNS = 15;
const TURN_MS: DurationMs = 1_000;
/** One answer is handed on in a turn of the event loop, which is others' too. */
const READING = {
  partitionFetchBytes: 128 * 1024,
  fetchBytes: 1024 * 1024,
  partitionBufferBytes: 256 * 1024,
  readerBufferBytes: 4 * 1024 * 1024,
};

interface Opened {
  readonly push: PipelinePush;
  readonly close: () => Promise<void>;
}

export class Pushes {
  readonly #parts: PushesParts;
  readonly #admission = new Admission(ADMISSION);
  readonly #opened = new Map<string, Promise<Opened>>();
  readonly #open = new Set<Opened>();
  #turn = 0;
  #cancel: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: PushesParts) {
    this.#parts = parts;
  }

  /** undefined: there is none of that name. */
  pipeline(name: string): PipelineConfig | undefined {
    return this.#parts.config.pipelines.find((each) => each.name === name);
  }

  /** 0: one more is let in. Else after how long to come again. */
  admit(): DurationMs {
    let subscribers = 0;
    for (const { push } of this.#open) subscribers += push.size;
    if (this.#isClosed || subscribers >= SUBSCRIBERS_MAX) return FULL_RETRY_MS;
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
    for (const { push } of this.#open) push.close();
    await Promise.all([...this.#open].map(({ close }) => close()));
  }

  async #openFor({ name, output }: PipelineConfig, source: PageSource): Promise<Opened> {
    const { kafka, clock, log } = this.#parts;
    const connection = openCluster(kafka);
    const [found] = await new KafkaTopicAdmin({ clock, connection })
      .describeTopics([output.topic])
      .catch((error: unknown) => {
        connection.close();
        throw error;
      });
    if (found?.kind !== 'present' || this.#isClosed) {
      connection.close();
      throw new Retriable(`topic ${output.topic} cannot be looked at`);
    }
    const admin = new KafkaLogAdmin({ clock, connection });
    const reader = new KafkaLogReader({ ...kafka, passesUnreadable: true }, READING);
    const { topicId, partitions } = found;
    const push = new PipelinePush({
      pipeline: name,
      outputTopic: output.topic,
      topic: { topicId, partitions },
      reader,
      ends: (partition) => admin.ends({ topic: output.topic, partition }),
      source,
      clock,
      log,
      turns: setImmediate,
    });
    const opened = {
      push,
      close: async () => {
        await reader.close();
        connection.close();
      },
    };
    this.#open.add(opened);
    this.#cancel ??= clock.after(TURN_MS, this.#tick);
    return opened;
  }

  readonly #tick = (): void => {
    for (const { push } of this.#open) push.tick(this.#turn, KEEP_ALIVE_TURNS);
    this.#turn += 1;
    this.#cancel = this.#isClosed ? undefined : this.#parts.clock.after(TURN_MS, this.#tick);
  };
}

const FULL_RETRY_MS: DurationMs = 10_000;
