// The SDK in one call: an application names its brokers, and gets heartbeats and summaries over connections of this module.
//
// Owns: one connection for producing, and everything opened over this client: `close` closes it all.
import type { Clock, DurationMs, Millis } from '@flatline/base';
import {
  AcknowledgedWriter,
  KafkaAccess,
  type KafkaConnection,
  KafkaLogReader,
  type KafkaOptions,
  type KeyedRecord,
  openCluster,
} from '@flatline/kafka';
import { HttpSchemaRegistry, LeaseEventFormats, type OutgoingEvent, type SchemaRegistry } from '@flatline/records';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { credentialsFrom, type SaslOptions, type TlsOptions } from './credentials.ts';
import { type HeartbeatProducer, openHeartbeatProducer, type SessionId } from './heartbeat-producer.ts';
import { InputLooks } from './check-input.ts';
import { checkStamped } from './check-stamped.ts';
import { checkCall, checkFunction, checkLeaseId, checkToken } from './known-options.ts';
import type { LeaderOptions, Leadership } from './leadership.ts';
import type { LeaseStanding } from './lease-watch.ts';
import type { Lease, LeaseWish, ResumeOptions, WatchOptions } from './lease.ts';
import { HeldLeases } from './leases.ts';
import { endsOf, openSummaryConsumer } from './open-summary-consumer.ts';
import { type Dropped, LiveSessions, type Session, type SessionOptions, type SessionsLimits } from './live-sessions.ts';
import { type Items, type ItemsLimits, itemsOver } from './pushed-items.ts';
import { RecordProducer } from './record-producer.ts';
import { type Schedules, type SchedulesLimits, SentSchedules } from './sent-schedules.ts';
import type { CompletedSession, OutputsOptions } from './open-outputs.ts';
import { type OutputReaders, outputReaders, type ReadingClient } from './output-readers.ts';
import type { OutputRecord } from './output-record.ts';

export interface ConnectOptions {
  /** Bootstrap addresses, `host:port` or `[ipv6]:port`. */
  readonly brokers: readonly string[];
  /** How brokers name this client in their logs and quotas. Default `flatline-client`. */
  readonly clientId?: string;
  /** true: TLS with the system's certificate authorities. Default false. */
  readonly ssl?: boolean | TlsOptions;
  /** Default: none. */
  readonly sasl?: SaslOptions;
  /** Confluent's API, `http(s)://[user:password@]host[:port][/path]`. Needed for Avro. Default: none. */
  readonly schemaRegistryUrl?: string;
}

export interface HeartbeatsOptions {
  /** The input topic of a pipeline. */
  readonly topic: string;
  /** How the values of `event` are written; bare heartbeats have no value in either. Default `json`. */
  readonly format?: 'json' | 'avro';
  /**
   * How long a record that is not acknowledged is sent again before sending fails. In milliseconds; default 120 000, of
   * `sessions` without end.
   */
  readonly deliveryTimeoutMs?: DurationMs;
  /**
   * Told of a record that the topic has refused for its size after the call took it, since its `max.message.bytes` could not be
   * read or was lowered; all others go on. Default: the next `flush` or `close` rejects with it.
   */
  readonly onRefused?: (error: Error) => void;
}

/**
 * Says that sessions live. Records of one session reach the log in the order of the calls, each once, in the partition where
 * Java's default partitioner would put them. A call that returns a promise has taken its record, too: awaiting it before the
 * next call is what bounds memory. `timestamp` counts on `CreateTime` topics only: milliseconds since the epoch, default now.
 */
export interface Heartbeats {
  readonly partitionCount: number;
  partitionFor(id: SessionId): number;
  /** The session lives: an empty value, the cheapest record there is. */
  beat(id: SessionId, timestamp?: Millis): Promise<void> | undefined;
  /**
   * The session lives, and something is to be said about it. Throws for an event that no processor would take, or that is too
   * large for the topic.
   */
  event(id: SessionId, event: OutgoingEvent, timestamp?: Millis): Promise<void> | undefined;
  /** The session ends here, without waiting for its timeout. */
  end(id: SessionId, timestamp?: Millis): Promise<void> | undefined;
  /** Resolves when everything so far is in the log; rejects naming what is not. */
  flush(): Promise<void>;
  /** Takes nothing more, and resolves once what was taken is in the log. Idempotent. */
  close(): Promise<void>;
}

export interface SessionsOptions extends HeartbeatsOptions, SessionsLimits {}

/** Sessions that beat by themselves, thousands in one process. */
export interface Sessions {
  /** To be kept while the session lives: each call makes another, with a source of its own. */
  session(id: SessionId, options?: SessionOptions): Session;
  /** How many beat. */
  readonly liveCount: number;
  /** Records dropped so far, since more were waiting for the broker than may. */
  readonly dropped: Dropped;
  /** Resolves when everything so far is in the log; rejects naming what is not. */
  flush(): Promise<void>;
  /**
   * Nothing beats any more, and everything said is in the log: rejects where that takes longer than `limitMs`, by default
   * 10 000 milliseconds. Sessions that were not ended end by their timeout.
   */
  close(limitMs?: DurationMs): Promise<void>;
}

export interface ItemsOptions extends ItemsLimits {
  /** The input topic of a pipeline of the kind `debounce`. */
  readonly topic: string;
  /** How long a record that is not acknowledged is sent again before sending fails. In milliseconds; default: without end. */
  readonly deliveryTimeoutMs?: DurationMs;
  /** Told of a record that the topic has refused for its size after the call took it. Default: the next `flush` or `close` rejects with it. */
  readonly onRefused?: (error: Error) => void;
}

export interface SchedulesOptions extends SchedulesLimits {
  /** The input topic of a pipeline of the kind `schedule`. */
  readonly topic: string;
  /** How long a record that is not acknowledged is sent again before its call rejects. In milliseconds; default 120 000. */
  readonly deliveryTimeoutMs?: DurationMs;
}

export interface LeasesOptions {
  /** The input and the output topic of a pipeline of the kind `lease`, whose input is stamped by the brokers. */
  readonly topic: string;
  readonly answers: string;
  /** By how much the brokers' clocks may differ: a lease is given up so much earlier. In milliseconds; default 500. */
  readonly clockSkewMs?: DurationMs;
  /** How long to wait for an answer to a request that is in the log. In milliseconds; default 30 000. */
  readonly answerWithinMs?: DurationMs;
}

/** Leases that are renewed by themselves, at a third of their timeout. */
export interface Leases {
  /**
   * Resolves once the lease is held: at once, or after waiting where the pipeline queues. Rejects with `LeaseNotGot` where it is
   * refused, or not answered in time. While no broker takes the request, it waits.
   */
  acquire(id: string, wish?: LeaseWish): Promise<Lease>;
  /**
   * Goes on with a lease whose token is known, after a restart or on another server; whoever held it so far is over, with
   * `RESUMED`. Rejects with `LeaseNotGot` where it has ended (`WRONG_TOKEN` where another holds it by a later grant), or nothing is answered
   * in time. It is renewed as others are, but counts on answers: without any for its timeout it is over.
   */
  resume(id: string, token: number, options?: ResumeOptions): Promise<Lease>;
  /**
   * Who holds a lease, and each change; a reader that is slow gets the newest. It begins with what the pipeline says when it is
   * asked, by a record that changes nothing: whether somebody holds it, with whose attributes, and until when at least. It cannot
   * say by which token, nor hear of renewals. Without an answer in time it begins with `unknown`.
   */
  watch(id: string, options?: WatchOptions): AsyncIterableIterator<LeaseStanding>;
  /**
   * Has `lead` run while the lease is held, and asks for it again when it was lost, refused, or `lead` has returned: until `signal`
   * or `close` ends it, with which it resolves. Rejects with what `lead` throws while it leads.
   */
  runWhileLeader(id: string, lead: (leadership: Leadership) => unknown, options?: LeaderOptions): Promise<void>;
  /**
   * Gives back what is held; of `runWhileLeader` once what leads has returned, which it waits for. Rejects where that is not in
   * the log within `limitMs`, by default 10 000 milliseconds; what is still led then is not given back, and expires.
   */
  close(limitMs?: DurationMs): Promise<void>;
}

export interface SummariesOptions {
  /** The output topic of a pipeline. */
  readonly topic: string;
  /** Where to begin: all there is, only what comes from now on, or where another stood (its `positions`). */
  readonly from: 'beginning' | 'end' | ReadonlyMap<number, number>;
  /** `end`: give what is committed now, and be done. Default: follow until closed. */
  readonly until?: 'end';
  /** How the topic is written. Default `auto`: told apart by the first byte. */
  readonly format?: 'auto' | 'json' | 'avro';
}

/** Committed records of an output topic, each once, in the order of each partition. Leaving the loop closes it. */
export interface Summaries extends AsyncIterable<OutputRecord> {
  /** The offset after the last record given, by partition number: to be kept with what was made of the records. */
  readonly positions: ReadonlyMap<number, number>;
  /** Ends the iteration, and closes the connections. Idempotent. */
  close(): Promise<void>;
}

export interface Flatline extends OutputReaders {
  /** Rejects where no broker answers, the topic does not exist, or Avro has no registry. */
  heartbeats(options: HeartbeatsOptions): Promise<Heartbeats>;
  /** Sessions that beat by themselves. A record is sent again for as long as the broker is away. Rejects as `heartbeats`. */
  sessions(options: SessionsOptions): Promise<Sessions>;
  /** What windows collect. A record is sent again for as long as the broker is away. Rejects as `heartbeats`. */
  items(options: ItemsOptions): Promise<Items>;
  /** Messages that come out later. Rejects as `heartbeats`. */
  schedules(options: SchedulesOptions): Promise<Schedules>;
  /** Rejects where no broker answers, or a topic does not exist. */
  leases(options: LeasesOptions): Promise<Leases>;
  /** Sessions that have closed: the kind `session`. */
  summaries(options: OutputsOptions): AsyncIterableIterator<CompletedSession>;
  /** Without a group. Rejects where no broker answers, or the topic does not exist. */
  summaries(options: SummariesOptions): Promise<Summaries>;
  /** Sends what is waiting, and closes everything that was opened here. Idempotent. */
  close(): Promise<void>;
}

const CLOSE_MS: DurationMs = 10_000;
const CLOCK_SKEW_MS: DurationMs = 500;
const ANSWER_WITHIN_MS: DurationMs = 30_000;
/** What waits is bounded by count, not by time. */
const FOR_EVER_MS: DurationMs = 2 ** 42;

interface Closable {
  close(): Promise<void>;
}

/** As `sessions` sends: for ever, unless a time is given. Programs in plain JavaScript give undefined, too. */
export function patient<T extends { readonly deliveryTimeoutMs?: DurationMs | undefined }>(
  options: T,
): Omit<T, 'deliveryTimeoutMs'> & { readonly deliveryTimeoutMs: DurationMs } {
  return { ...options, deliveryTimeoutMs: options.deliveryTimeoutMs ?? FOR_EVER_MS };
}

/** Connects with the first use. Throws a TypeError for options that it does not know, or of another type, as all calls do. */
export function connect(options: ConnectOptions): Flatline {
  checkCall('connect', options);
  const client = new Client(options);
  const readers = outputReaders(client.reading);
  return Object.assign(client, readers, {
    summaries: ((asked: OutputsOptions | SummariesOptions | undefined) =>
      // Programs in plain JavaScript may give no object at all.
      typeof asked === 'object' && 'group' in asked
        ? readers.summaries(asked)
        : client.openSummaries(asked as SummariesOptions)) as Flatline['summaries'],
  });
}

class Client implements Omit<Flatline, keyof OutputReaders> {
  readonly #kafka: KafkaOptions;
  readonly #registry: SchemaRegistry | undefined;
  readonly #open = new Set<Closable>();
  readonly #looks = new InputLooks();
  #connection: KafkaConnection | undefined;
  #closing: Promise<void> | undefined;
  /** What iterates over connections of its own ends by it. */
  readonly #ending = new AbortController();
  /** An application may wait for records alone, and no socket may keep it alive while a broker is away: there while in use. */
  #alive: NodeJS.Timeout | undefined;
  #uses = 0;

  constructor({ brokers, clientId = 'flatline-client', ssl, sasl, schemaRegistryUrl: url }: ConnectOptions) {
    const clock = systemClock;
    const access = new KafkaAccess({
      clock,
      credentials: credentialsFrom({ ssl, sasl }),
      settingsIn: '',
      onTrouble: (message) => {
        process.emitWarning(message, 'FlatlineWarning');
      },
    });
    this.#kafka = { brokers, clientId, clock, access };
    if (url !== undefined) this.#registry = new HttpSchemaRegistry({ url, clock, setting: 'schemaRegistryUrl' });
  }

  /** For what reads over connections of its own. */
  get reading(): ReadingClient {
    return {
      surroundings: { kafka: this.#kafka, registry: this.#registry },
      ending: this.#ending.signal,
      checkOpen: () => {
        this.#checkOpen();
      },
      begin: () => this.#begin(),
    };
  }

  heartbeats(options: HeartbeatsOptions): Promise<Heartbeats> {
    return this.#kept('heartbeats', options, () => this.#openProducer(options));
  }

  sessions(options: SessionsOptions): Promise<Sessions> {
    return this.#kept('sessions', options, () => this.#openSessions(options));
  }

  items(options: ItemsOptions): Promise<Items> {
    return this.#kept('items', options, () => this.#openItems(options));
  }

  schedules(options: SchedulesOptions): Promise<Schedules> {
    return this.#kept('schedules', options, () => this.#openSchedules(options));
  }

  leases(options: LeasesOptions): Promise<Leases> {
    return this.#kept('leases', options, () => this.#openLeases(options));
  }

  /** Without a group. */
  openSummaries(options: SummariesOptions): Promise<Summaries> {
    return this.#kept('summaries', options, () => this.#openSummaries(options));
  }

  close(): Promise<void> {
    this.#ending.abort();
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  #openProducer(options: HeartbeatsOptions): Promise<HeartbeatProducer> {
    return this.#checked(options.topic, openHeartbeatProducer({ ...options, ...this.#shared() }));
  }

  async #openItems(options: ItemsOptions): Promise<Items> {
    const { clock } = this.#kafka;
    const opening = RecordProducer.open({ ...patient(options), ...this.#shared() });
    return itemsOver(await this.#checked(options.topic, opening), options, clock);
  }

  async #openSchedules({ topic, deliveryTimeoutMs, bufferRecordsMax }: SchedulesOptions): Promise<Schedules> {
    const { clock, connection } = this.#shared();
    const named = { clock, connection, topic };
    const timing = deliveryTimeoutMs === undefined ? {} : { deliveryTimeoutMs };
    const writer = await this.#checked(topic, AcknowledgedWriter.open({ ...named, ...timing }));
    return new SentSchedules({ clock, topic, writer, ...(bufferRecordsMax !== undefined && { bufferRecordsMax }) });
  }

  /** Looked at once a broker has answered: nothing else would say so, and the processor would read nothing of it. */
  async #checked<T extends Closable & { readonly partitionCount: number }>(
    topic: string,
    opening: Promise<T>,
  ): Promise<T> {
    const producer = await opening;
    try {
      await this.#looks.check(this.#shared(), topic, producer.partitionCount);
      return producer;
    } catch (error) {
      await producer.close();
      throw error;
    }
  }

  async #openSessions(options: SessionsOptions): Promise<Sessions> {
    const { clock } = this.#kafka;
    const producer = await this.#checked(
      options.topic,
      openHeartbeatProducer({ ...patient(options), ...this.#shared() }),
    );
    const opened = new LiveSessions({ ...options, clock, producer, random: Math.random });
    let closing: Promise<void> | undefined;
    return {
      session: (id, named) => opened.session(id, named),
      get liveCount() {
        return opened.liveCount;
      },
      get dropped() {
        return opened.dropped;
      },
      flush: () => opened.flush(),
      close: (limitMs = CLOSE_MS) => (closing ??= opened.close(limitMs)),
    };
  }

  async #openLeases(options: LeasesOptions): Promise<Leases> {
    const { topic, answers, clockSkewMs = CLOCK_SKEW_MS, answerWithinMs = ANSWER_WITHIN_MS } = options;
    const { clock, connection } = this.#shared();
    await checkStamped(topic, { clock, connection });
    const ends = await endsOf(this.#kafka, answers);
    const producer = await AcknowledgedWriter.open({
      clock,
      connection,
      topic,
      lingerMs: 0,
      deliveryTimeoutMs: FOR_EVER_MS,
    });
    const write = (record: KeyedRecord): Promise<Millis | undefined> => producer.write(record);
    const named = { clockSkewMs, answerWithinMs, topic, answers };
    const held = new HeldLeases({ ...named, clock, write, newRequestId: randomUUID });
    const reader = new KafkaLogReader(this.#kafka);
    const formats = new LeaseEventFormats({ format: 'auto', registry: this.#registry, clock });
    held
      .follow(reader, answers, new Map(ends.map(({ partition, end }) => [partition, end])), formats)
      .catch((error: unknown) => {
        held.fail(error);
      });
    let closing: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      await Promise.all([reader.close(), producer.close()]);
    };
    return {
      acquire: async (id, wish = {}) => {
        checkLeaseId('acquire', id);
        checkCall('acquire', wish);
        return await held.acquire(id, wish);
      },
      resume: async (id, token, options = {}) => {
        checkLeaseId('resume', id);
        checkToken('resume', token);
        checkCall('resume', options);
        return await held.resume(id, token, options);
      },
      watch: (id, options = {}) => {
        checkLeaseId('watch', id);
        checkCall('watch', options);
        return held.watch(id, options);
      },
      runWhileLeader: async (id, lead, options = {}) => {
        checkLeaseId('runWhileLeader', id);
        checkFunction('runWhileLeader', 'what leads', lead);
        checkCall('runWhileLeader', options);
        await held.lead(id, lead, options);
      },
      close: (limitMs = CLOSE_MS) => (closing ??= held.close(limitMs, end)),
    };
  }

  async #openSummaries(options: SummariesOptions): Promise<Summaries> {
    const { consumer, close } = await openSummaryConsumer({ ...options, kafka: this.#kafka, registry: this.#registry });
    return {
      get positions() {
        return consumer.positions;
      },
      close,
      [Symbol.asyncIterator]: async function* () {
        try {
          yield* consumer;
        } finally {
          await close();
        }
      },
    };
  }

  #shared(): {
    readonly clock: Clock;
    readonly connection: KafkaConnection;
    readonly registry: SchemaRegistry | undefined;
  } {
    this.#connection ??= openCluster(this.#kafka);
    return { clock: this.#kafka.clock, connection: this.#connection, registry: this.#registry };
  }

  /** What was opened is closed with the client; where that failed, it does not keep the application alive. */
  async #kept<T extends Closable>(
    call: 'heartbeats' | 'sessions' | 'items' | 'schedules' | 'leases' | 'summaries',
    options: object,
    open: () => Promise<T>,
  ): Promise<T> {
    this.#checkOpen();
    checkCall(call, options);
    const done = this.#begin();
    try {
      const opened = await open();
      this.#open.add(opened);
      // The client did not know of it when it closed.
      if (this.#closing !== undefined) await opened.close();
      this.#checkOpen();
      return opened;
    } catch (error) {
      done();
      // What closing breaks off says anything else.
      this.#checkOpen();
      throw error;
    }
  }

  /** The caller tells when it needs the client no longer. */
  #begin(): () => void {
    this.#uses += 1;
    this.#alive ??= setInterval(() => undefined, 2 ** 30);
    return () => {
      this.#uses -= 1;
      if (this.#uses === 0) this.#rest();
    };
  }

  /** The next use connects again. */
  #rest(): void {
    clearInterval(this.#alive);
    this.#alive = undefined;
    this.#connection?.close();
    this.#connection = undefined;
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new Error('this client is closed: connect again');
  }

  /** Everything is closed, whatever one of them says on the way. */
  async #closeAll(): Promise<void> {
    try {
      const endings = await Promise.allSettled([...this.#open].map((each) => each.close()));
      for (const ending of endings) if (ending.status === 'rejected') throw ending.reason;
    } finally {
      this.#rest();
    }
  }
}
