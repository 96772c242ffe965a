// The input of a population: bare heartbeats of sessions identified by their number.
import { type DurationMs, partitionOf, seededRandom } from '@flatline/base';
import { BatchProducer, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { KEY_BYTES, sessionKey, writeSessionKey } from '../session-key.ts';

const NO_VALUE = new Uint8Array(0);
/** Records added before the event loop, and so the sockets, get their turn. */
const ADDED_MAX = 20_000;

interface PopulationLoadOptions {
  /** Same seed, same keys. */
  readonly seed: number;
  /** Records already written by others; default 0. */
  readonly written?: number;
  /** Each key goes to its own partition, as Kafka's default partitioner has it. Default: sessions go to partitions in turn. */
  readonly isKeyed?: boolean;
  /** Time for which a record waits for others; undefined: the default of batch producers. */
  readonly lingerMs?: DurationMs;
}

export class PopulationLoad {
  readonly #producer: BatchProducer;
  readonly #seed: number;
  readonly #isKeyed: boolean;
  readonly #key = new Uint8Array(KEY_BYTES);
  #written: number;

  private constructor(producer: BatchProducer, { seed, written = 0, isKeyed = false }: PopulationLoadOptions) {
    this.#producer = producer;
    this.#isKeyed = isKeyed;
    this.#seed = seed;
    this.#written = written;
  }

  static async open(
    connection: KafkaConnection,
    topic: string,
    { lingerMs, ...options }: PopulationLoadOptions,
  ): Promise<PopulationLoad> {
    const linger = lingerMs === undefined ? {} : { lingerMs };
    return new PopulationLoad(await BatchProducer.open({ clock: systemClock, connection, topic, ...linger }), options);
  }

  /** Records written so far, without ends: those that a processor applies. */
  get beats(): number {
    return this.#written;
  }

  partitionOf(session: number): number {
    return session % this.#producer.partitionCount;
  }

  keyOf(session: number): string {
    return sessionKey(session, this.#seed).toString('latin1');
  }

  /** One beat of each session from `from` up to, and not including, `to`. */
  open(from: number, to: number): Promise<void> {
    return this.beatInTurn(from, to, Infinity);
  }

  /** The beats numbered `from` up to `to` of sessions that beat in turn, again and again. */
  async beatInTurn(from: number, to: number, sessions: number): Promise<void> {
    for (let beat = from; beat < to; beat += 1) {
      const room = this.#beat(beat % sessions);
      if (room !== undefined) await room;
    }
  }

  /** Beats of random sessions below `sessions`. */
  async beat(count: number, sessions: number): Promise<void> {
    const random = seededRandom(this.#seed + this.#written);
    for (let beat = 0; beat < count; beat += 1) {
      const room = this.#beat(random.below(sessions));
      if (room !== undefined) await room;
    }
  }

  /** An explicit end: a key with a null value. */
  async end(session: number): Promise<void> {
    await this.#add(session, null);
    await this.#producer.flush();
  }

  flush(): Promise<void> {
    return this.#producer.flush();
  }

  close(): Promise<void> {
    return this.#producer.close();
  }

  /** Returns a promise only if it must be awaited: one per record would cost more than the record. */
  #beat(session: number): Promise<unknown> | undefined {
    this.#written += 1;
    const room = this.#add(session, NO_VALUE);
    return room ?? (this.#written % ADDED_MAX === 0 ? new Promise(setImmediate) : undefined);
  }

  #add(session: number, value: Uint8Array | null): Promise<void> | undefined {
    writeSessionKey(session, this.#seed, this.#key);
    const partition = this.#isKeyed ? partitionOf(this.#key, this.#producer.partitionCount) : this.partitionOf(session);
    return this.#producer.add({ partition, key: this.#key, value });
  }
}
