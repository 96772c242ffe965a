// The SDK in one call: an application names its brokers, and gets heartbeats and summaries over connections of this module.
//
// Owns: one connection for producing, and everything opened over this client: `close` closes it all.
import { KafkaAccess, type KafkaConnection, type KafkaOptions, openCluster } from '@flatline/kafka';
import { HttpSchemaRegistry, type SchemaRegistry } from '@flatline/records';
import { systemClock } from '@flatline/system';
import { credentialsFrom } from './credentials.ts';
import type { ConnectOptions, Flatline } from './flatline.ts';
import { checkCall, checkTasks } from './known-options.ts';
import { type Leases, type LeasesOptions, openLeases } from './open-leases.ts';
import type { OutputsOptions } from './open-outputs.ts';
import { type Closable, Senders, type Shared } from './open-senders.ts';
import { openSummaries, type Summaries, type SummariesOptions } from './open-summaries.ts';
import { workOffTasks } from './open-tasks.ts';
import type { TasksOptions } from './tasks-options.ts';
import { type OutputReaders, outputReaders, type ReadingClient } from './output-readers.ts';
import type { Items } from './pushed-items.ts';
import type {
  Heartbeats,
  HeartbeatsOptions,
  ItemsOptions,
  SchedulesOptions,
  Sessions,
  SessionsOptions,
} from './senders.ts';
import type { Schedules } from './sent-schedules.ts';

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

/** Says how something was opened. */
type Call = 'heartbeats' | 'sessions' | 'items' | 'schedules' | 'leases' | 'summaries' | 'tasks';
const SENDS: readonly Call[] = ['heartbeats', 'sessions', 'items', 'schedules'];

class Client implements Omit<Flatline, keyof OutputReaders> {
  readonly #kafka: KafkaOptions;
  readonly #registry: SchemaRegistry | undefined;
  readonly #open = new Map<Closable, Call>();
  readonly #senders = new Senders();
  #connection: KafkaConnection | undefined;
  #closing: Promise<void> | undefined;
  /** Aborted on close: ends iterations over connections of their own. */
  readonly #ending = new AbortController();
  /** Set while in use: an application may only wait for records, and no socket keeps it alive while a broker is away. */
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

  /** For readers with connections of their own. */
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
    return this.#kept('heartbeats', options, () => this.#senders.heartbeats(options, this.#shared()));
  }

  sessions(options: SessionsOptions): Promise<Sessions> {
    return this.#kept('sessions', options, () => this.#senders.sessions(options, this.#shared()));
  }

  items(options: ItemsOptions): Promise<Items> {
    return this.#kept('items', options, () => this.#senders.items(options, this.#shared()));
  }

  schedules(options: SchedulesOptions): Promise<Schedules> {
    return this.#kept('schedules', options, () => this.#senders.schedules(options, this.#shared()));
  }

  leases(options: LeasesOptions): Promise<Leases> {
    return this.#kept('leases', options, () => openLeases(options, this.#shared()));
  }

  async tasks(options: TasksOptions): Promise<void> {
    this.#checkOpen();
    checkTasks(options);
    const done = this.#begin();
    const working = workOffTasks(options, this.reading.surroundings, this.#ending.signal);
    const worker: Closable = { close: () => working.catch(() => undefined) };
    this.#open.set(worker, 'tasks');
    try {
      await working;
    } finally {
      this.#open.delete(worker);
      done();
    }
  }

  /** Without a group. */
  openSummaries(options: SummariesOptions): Promise<Summaries> {
    return this.#kept('summaries', options, () => openSummaries(options, this.reading.surroundings));
  }

  close(): Promise<void> {
    this.#ending.abort();
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  #shared(): Shared {
    this.#connection ??= openCluster(this.#kafka);
    const [kafka, connection, registry] = [this.#kafka, this.#connection, this.#registry];
    return { kafka, clock: kafka.clock, connection, registry };
  }

  /** Opens something that is closed with the client; a failed opening does not keep the application alive. */
  async #kept<T extends Closable>(call: Call, options: object, open: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    checkCall(call, options);
    const done = this.#begin();
    try {
      const opened = await open();
      this.#open.set(opened, call);
      // The client did not know of it when it closed.
      if (this.#closing !== undefined) await opened.close();
      this.#checkOpen();
      return opened;
    } catch (error) {
      done();
      // An opening that `close` has cut short may fail with any error.
      this.#checkOpen();
      throw error;
    }
  }

  /** Marks the client in use until the returned function is called. */
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

  /** Closes everything, even if closing one of them fails. */
  async #closeAll(): Promise<void> {
    try {
      const open = [...this.#open];
      // A leader cleans up before its lease is given back: it may still send, and its loop over outputs ends.
      const before = await closed(open.filter(([, call]) => !SENDS.includes(call)));
      const senders = await closed(open.filter(([, call]) => SENDS.includes(call)));
      for (const ending of [...before, ...senders]) if (ending.status === 'rejected') throw ending.reason;
    } finally {
      this.#rest();
    }
  }
}

function closed(open: readonly (readonly [Closable, Call])[]): Promise<PromiseSettledResult<void>[]> {
  return Promise.allSettled(open.map(([each]) => each.close()));
}
