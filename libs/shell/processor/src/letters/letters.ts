// Dead letters for whoever looks over HTTP: the newest of a pipeline, and some of them sent back.
//
// Owns: how much is under way.
// Does not own: what a letter is (letter.ts), how they go back (replay.ts), who may (the guard).
//
// Invariants
//   DL1  What was replayed is not sent back again: a replay that broke off is simply asked for again.
import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import {
  type KafkaConnection,
  KafkaLogScan,
  type KafkaOptions,
  KafkaTopicAdmin,
  KafkaTransactionalWriters,
  openCluster,
  type TopicDescription,
} from '@flatline/kafka';
import { inputTopicsOf } from '@flatline/kind-modules';
import type { LetterPlace } from './letter.ts';
import { type Scanned, scanLetters } from './letter-scan.ts';
import { type ListedLetter, listedLetter } from './listed-letter.ts';
import { replay } from './replay.ts';
import { byPartition, type LeftLetter, lettersAt, selectLetters } from './selection.ts';
import { untilSettled } from './settled.ts';
import { UnderWay } from './under-way.ts';

export interface LettersParts {
  readonly config: Pick<FlatlineConfig, 'application' | 'pipelines'>;
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
}

export interface SentBack extends LetterPlace {
  readonly topic: string;
  /** Where it is now in the input's partition of the same number. */
  readonly inputOffset: number;
}

export interface ReplayOutcome {
  readonly replayed: readonly SentBack[];
  readonly left: readonly LeftLetter[];
}

/** At once, in a process: each has a connection of its own. */
const UNDER_WAY_MAX = 4;
const WITHIN_MS: DurationMs = 15_000;
/** For open transactions in a partition of the dead-letter topic: longer than tasks that live have theirs open. */
const SETTLED_MS: DurationMs = 5_000;
/** Offsets that are looked at behind the end of a partition: letters, marks, and the ends of transactions. */
const NEWEST_OFFSETS = 2_000;

export class Letters {
  readonly #parts: LettersParts;
  readonly #underWay = new UnderWay(UNDER_WAY_MAX);

  constructor(parts: LettersParts) {
    this.#parts = parts;
  }

  pipeline(name: string): PipelineConfig | undefined {
    return this.#parts.config.pipelines.find((each) => each.name === name);
  }

  /** The newest first. @throws Retriable, Fatal, PartitionStopped */
  newest({ deadLetterTopic }: PipelineConfig, limit: number): Promise<readonly Scanned<ListedLetter>[]> {
    return this.#using(async (connection) => {
      const { topic, partitions } = await this.#topic(connection, deadLetterTopic);
      const scan = new KafkaLogScan({ clock: this.#parts.clock, connection });
      const from = (_start: number, end: number): number => end - NEWEST_OFFSETS;
      let newest: readonly Scanned<ListedLetter>[] = [];
      for (let partition = 0; partition < partitions; partition += 1) {
        const found = await scanLetters(scan, { topic, partition }, { from, keep: listedLetter, most: limit });
        newest = [...newest, ...found].sort((a, b) => b.writtenAt - a.writtenAt).slice(0, limit);
      }
      return newest;
    });
  }

  /** DL1. @throws NoSuchPartition; as `newest`, and Fenced where another replays */
  replay(pipeline: PipelineConfig, places: readonly LetterPlace[]): Promise<ReplayOutcome> {
    return this.#using(async (connection) => {
      const { config, clock } = this.#parts;
      const letterTopic = await this.#topic(connection, pipeline.deadLetterTopic);
      const asked = byPartition(places, letterTopic);
      const writers = new KafkaTransactionalWriters({ clock, connections: [connection] });
      // Before looking at what was replayed: it ends another replay of this pipeline, or settles one that broke off.
      const writer = await writers.open(`${config.application}.${pipeline.name}.replay`);
      try {
        const inputs = new Map<string, TopicDescription>();
        for (const topic of inputTopicsOf(pipeline)) inputs.set(topic, await this.#topic(connection, topic));
        const { topic } = letterTopic;
        const scan = new KafkaLogScan({ clock, connection });
        const replayed: SentBack[] = [];
        const left: LeftLetter[] = [];
        // All of them first: what was sent back by then would be told of to no one.
        for (const partition of asked.keys())
          await untilSettled(scan, { topic, partition }, { clock, withinMs: SETTLED_MS });
        for (const [partition, offsets] of asked) {
          const chosen = await selectLetters(scan, { topic, partition }, offsets, inputs);
          left.push(...chosen.left);
          const parts = { clock, writer, inputs, letterTopic: topic };
          const whole = lettersAt(scan, { topic, partition }, chosen.selected);
          for await (const { letter, inputOffset } of replay(parts, whole))
            replayed.push({ partition, offset: letter.offset, topic: letter.origin.topic, inputOffset });
        }
        return { replayed, left };
      } finally {
        await writer.close();
      }
    });
  }

  async #topic(connection: KafkaConnection, topic: string): Promise<TopicDescription> {
    const [found] = await new KafkaTopicAdmin({ clock: this.#parts.clock, connection }).describeTopics([topic]);
    if (found?.kind === 'present') return found;
    throw new Retriable(`topic ${topic} is not there, or may not be described: flatline doctor says which`);
  }

  #using<T>(use: (connection: KafkaConnection) => Promise<T>): Promise<T> {
    const { kafka, clock } = this.#parts;
    return this.#underWay.run(clock, WITHIN_MS, () => {
      const connection = openCluster(kafka);
      const end = (): void => {
        connection.close();
      };
      return { work: use(connection), end };
    });
  }
}
