// Who is alive: keys of a pipeline looked up at the processor's instances over HTTP, each at the one that has its partition.
//
// Owns: the owner map, the keys that wait for the next request, which instances are silent.
// Does not own: what is true (the processor; SPEC, Q1 and Q2).
import { type DurationMs, messageOf, Misconfigured, partitionOf, Retriable } from '@flatline/base';
import { type Asked, DirectoryAccess, type DirectoryCredentials } from './directory-access.ts';
import { act, type ActPlace, type Evicted, type EvictionPlaces, type KeyAct } from './directory-acts.ts';
import { NoAnswer, SilentEndpoints, systemClock } from '@flatline/system';
import type { DirectoryEntry } from './directory-entry.ts';
import { instancesOf, type OwnerMap, type OwnersSaid } from './directory-owners.ts';
import { DirectoryPipeline, whyNotListed } from './directory-pipeline.ts';
import { type DirectoryChange, watching } from './directory-watch.ts';
import { RefusedBy, StillStarting, type WatchTrouble } from './instance-troubles.ts';
import { checkCall } from './known-options.ts';
import { keyBytes, type RecordKey } from './message-bytes.ts';
import { warn } from './trouble.ts';

export interface DirectoryOptions extends DirectoryCredentials {
  /** HTTP addresses of some instances: `http://host:7070`. The others are found through them. */
  readonly urls: readonly string[];
  /** Default: the only one that the instances have. */
  readonly pipeline?: string;
  /** Longest wait for one instance. Default 2 000 ms. */
  readonly timeoutMs?: DurationMs;
}

export interface Directory {
  /**
   * Returns the key's state. Keys asked for at the same time go in one request to each instance. `moving` and `restoring` are answers,
   * too: ask again after `retryAfterMs`. Rejects with Retriable where no instance answers, with Error where there is no such
   * pipeline.
   */
  get(key: RecordKey, options?: DirectoryGetOptions): Promise<DirectoryEntry>;
  /** The same of many, in their order. */
  getAll(keys: readonly RecordKey[], options?: DirectoryGetOptions): Promise<readonly DirectoryEntry[]>;
  /**
   * Acts of an operator: each appends a record to the pipeline's input, and resolves once that is in the log. Rejects with Retriable
   * where that is not known, with Error where it was refused. `end`: the sessions of the key.
   */
  end(key: RecordKey): Promise<ActPlace>;
  /** The lease, whatever its token. */
  release(key: RecordKey): Promise<ActPlace>;
  /** The window fires at once, with what it has. */
  flush(key: RecordKey): Promise<ActPlace>;
  /** The window goes without its items, or all schedules of the key. */
  cancel(key: RecordKey): Promise<ActPlace>;
  /** All sessions, or leases, with the attribute, as of the records of the act. */
  evict(evicted: Evicted): Promise<EvictionPlaces>;
  /**
   * Yields a key's state, and then each output of it, once: over restarts and kills of instances, at any of `urls`. A `gap` is told where
   * outputs were missed, and a snapshot follows. Ends with `signal`, or where the loop is left. Throws where it is refused.
   */
  watch(key: RecordKey, options?: DirectoryWatchOptions): AsyncIterable<DirectoryChange>;
  /** The same of all keys that begin so; without a prefix of all of the pipeline. */
  watchAll(options?: DirectoryWatchAllOptions): AsyncIterable<DirectoryChange>;
  /** A page of what lives; `after` of its answer is where the next one begins. Rejects as `get`. */
  list(options?: DirectoryListOptions): Promise<DirectoryList>;
}

export interface DirectoryWatchOptions {
  /** Aborted, it ends. Default: it ends where the loop is left. */
  readonly signal?: AbortSignal;
  /**
   * Told of an address that gives no events: the first time, and each half minute until it does; it goes on all the same. Default: a
   * warning of the process (`process.emitWarning`).
   */
  readonly onTrouble?: (trouble: WatchTrouble) => void;
}

export interface DirectoryWatchAllOptions extends DirectoryWatchOptions {
  /** First bytes of the keys. Default: any. */
  readonly prefix?: RecordKey;
}

export interface DirectoryListOptions {
  /** First bytes of the keys. Default: any. */
  readonly prefix?: RecordKey;
  /** Entries with this value of it alone. Default: all. */
  readonly attribute?: { readonly name: string; readonly equals: string };
  /** How many entries the answer may have: how many at most, 1 to 1 000. Default 100. */
  readonly limit?: number;
  /** As the answer before this one said. Default: from the beginning. */
  readonly after?: string;
}

export interface DirectoryList {
  readonly entries: readonly DirectoryEntry[];
  /** Partitions whose entries are missing, and why. */
  readonly unanswered: readonly {
    readonly partition: number;
    readonly state: 'moving' | 'restoring';
    readonly owner?: string;
    readonly detail: string;
  }[];
  /** undefined: there are no more. */
  readonly after?: string;
}

export interface DirectoryGetOptions {
  /** `now`: as of all that was acknowledged before the call. Default: as of what the instance has read. */
  readonly proof?: 'now';
}

/** Most keys of one request, as the processor takes them. */
const KEYS_MAX = 100;
/** Requests of one `getAll` that are under way. */
const REQUESTS_MAX = 16;
/** An owner map is asked for again where an answer shows that it is old: not more often than this. */
const OWNERS_KEPT_MS: DurationMs = 1_000;

/** Asks with the first use. Throws a TypeError for options that it does not know, or of another type. */
export function directory(options: DirectoryOptions): Directory {
  checkCall('directory', options);
  return new HttpDirectory(options);
}

type Proof = DirectoryGetOptions['proof'];

/** Keys of one request, by their place among all that were asked for. */
interface KeyRequest {
  readonly indices: readonly number[];
  readonly ask: (proof: Proof) => Promise<readonly DirectoryEntry[]>;
}

interface Waiting {
  readonly key: Uint8Array;
  readonly resolve: (entry: DirectoryEntry) => void;
  readonly reject: (error: unknown) => void;
}

class HttpDirectory implements Directory {
  readonly #urls: readonly string[];
  readonly #pipeline: DirectoryPipeline;
  readonly #timeoutMs: DurationMs;
  readonly #access: DirectoryAccess;
  #owners: OwnerMap | undefined;
  #askedAtMs = -Infinity;
  #asking: Promise<void> | undefined;
  readonly #silent = new SilentEndpoints();
  readonly #waiting: Waiting[] = [];
  readonly #proving: Waiting[] = [];

  constructor({ urls, pipeline, timeoutMs = 2_000, ...credentials }: DirectoryOptions) {
    this.#urls = urls.map((url) => url.replace(/\/+$/, ''));
    this.#access = new DirectoryAccess(this.#urls, credentials);
    this.#pipeline = new DirectoryPipeline(pipeline, () =>
      this.#fromAny(this.#urls, '/api/v1/pipelines', {}, whyNotListed),
    );
    this.#timeoutMs = timeoutMs;
  }

  async get(key: RecordKey, options: DirectoryGetOptions = {}): Promise<DirectoryEntry> {
    checkCall('lookUp', options, 'get');
    const bytes = keyBytes(key);
    const { proof } = options;
    const waiting = proof === 'now' ? this.#proving : this.#waiting;
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(() => void this.#askFor(waiting, proof));
      waiting.push({ key: bytes, resolve, reject });
    });
  }

  async getAll(keys: readonly RecordKey[], options: DirectoryGetOptions = {}): Promise<readonly DirectoryEntry[]> {
    checkCall('lookUp', options, 'getAll');
    if (!Array.isArray(keys)) throw new TypeError(`getAll: keys is ${String(keys)}: give an array of keys`);
    const entries = new Array<DirectoryEntry>(keys.length);
    await this.#look(keys.map(keyBytes), async ({ indices, ask }) => {
      const found = await ask(options.proof);
      for (const [at, i] of indices.entries()) entries[i] = found[at]!;
    });
    return entries;
  }

  end(key: RecordKey): Promise<ActPlace> {
    return this.#act('end', key);
  }

  release(key: RecordKey): Promise<ActPlace> {
    return this.#act('release', key);
  }

  flush(key: RecordKey): Promise<ActPlace> {
    return this.#act('flush', key);
  }

  cancel(key: RecordKey): Promise<ActPlace> {
    return this.#act('cancel', key);
  }

  async evict(evicted: Evicted): Promise<EvictionPlaces> {
    checkCall('evict', evicted);
    const { topic, records } = await act<EvictionPlaces>(this.#access, this.#known(), {
      path: `${await this.#path('entries')}:evict`,
      body: evicted,
    });
    return { topic, records };
  }

  async #act(name: KeyAct, key: RecordKey): Promise<ActPlace> {
    // Any byte of a key may be none of UTF-8.
    const inPath = [...keyBytes(key)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const { topic, partition, offset } = await act<ActPlace>(this.#access, this.#known(), {
      path: `${await this.#path('entries')}/${inPath}:${name}`,
    });
    return { topic, partition, offset };
  }

  async #path(of: 'entries' | 'owners'): Promise<string> {
    return `/api/v1/${of}/${encodeURIComponent(await this.#pipeline.name())}`;
  }

  watch(key: RecordKey, options: DirectoryWatchOptions = {}): AsyncIterable<DirectoryChange> {
    checkCall('watchKey', options, 'watch');
    return this.#watch(`key=${escaped(keyBytes(key))}`, options);
  }

  watchAll(options: DirectoryWatchAllOptions = {}): AsyncIterable<DirectoryChange> {
    checkCall('watchAll', options);
    const { prefix = '' } = options;
    return this.#watch(prefix.length === 0 ? '' : `prefix=${escaped(keyBytes(prefix))}`, options);
  }

  async list(options: DirectoryListOptions = {}): Promise<DirectoryList> {
    checkCall('list', options);
    const { prefix = '', attribute, limit, after } = options;
    const query = [
      prefix.length > 0 && `prefix=${escaped(keyBytes(prefix))}`,
      attribute && `attribute=${encodeURIComponent(attribute.name)}=${encodeURIComponent(attribute.equals)}`,
      limit !== undefined && `limit=${limit}`,
      after !== undefined && `after=${encodeURIComponent(after)}`,
    ].filter((each) => typeof each === 'string');
    const { said } = await this.#fromAny(this.#known(), `${await this.#path('entries')}?${query.join('&')}`);
    const { pipeline, kind, entries, unanswered, ...more } = said as Listed;
    return {
      entries: entries.map((entry) => ({ ...entry, pipeline, kind, state: 'live' })),
      unanswered,
      ...(more.after !== undefined && { after: more.after }),
    };
  }

  async *#watch(query: string, options: DirectoryWatchOptions): AsyncGenerator<DirectoryChange, void> {
    const { signal = NEVER, onTrouble = warn } = options;
    // Any instance serves: they are tried in turn.
    yield* watching({
      pipeline: this.#pipeline,
      query,
      urls: () => this.#urls,
      access: this.#access,
      clock: systemClock,
      timeoutMs: this.#timeoutMs,
      onTrouble,
      signal,
    });
  }

  /** Answers each key with its own request: an instance that does not answer delays only its own keys. */
  async #askFor(all: Waiting[], proof: Proof): Promise<void> {
    const waiting = all.splice(0);
    const reject = (error: unknown, indices: Iterable<number>): void => {
      for (const i of indices) waiting[i]!.reject(error);
    };
    const keys = waiting.map(({ key }) => key);
    await this.#look(keys, async ({ indices, ask }) => {
      try {
        const found = await ask(proof);
        for (const [at, i] of indices.entries()) waiting[i]!.resolve(found[at]!);
      } catch (error) {
        reject(error, indices);
      }
    }).catch((error: unknown) => {
      reject(error, waiting.keys());
    });
  }

  /** Has the keys taken request by request, those that one instance has together. @throws what `take` throws; Retriable */
  async #look(keys: readonly Uint8Array[], take: (request: KeyRequest) => Promise<void>): Promise<void> {
    if (this.#owners === undefined) await this.#learnOwners();
    const places = Map.groupBy(keys.keys(), (i) => this.#endpointOf(keys[i]!));
    const requests = [...places].flatMap(([endpoint, all]) =>
      Array.from({ length: Math.ceil(all.length / KEYS_MAX) }, (_, i): KeyRequest => {
        const indices = all.slice(i * KEYS_MAX, (i + 1) * KEYS_MAX);
        const asked = indices.map((each) => keys[each]!);
        return { indices, ask: (proof) => this.#ask(endpoint, asked, proof) };
      }),
    );
    const takeNext = async (): Promise<void> => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) await take(next);
    };
    await Promise.all(Array.from({ length: Math.min(REQUESTS_MAX, requests.length) }, takeNext));
  }

  #endpointOf(key: Uint8Array): string {
    const owners = this.#owners;
    if (owners === undefined) return '';
    return owners.endpointOf(partitionOf(key, owners.partitionCount)) ?? '';
  }

  /** Asks the given instance, else any other that answers: each of them knows the owner. */
  async #ask(endpoint: string, keys: readonly Uint8Array[], proof: Proof): Promise<readonly DirectoryEntry[]> {
    const asked = keys.map((key) => ({ base64: Buffer.from(key).toString('base64') }));
    const body = JSON.stringify({ keys: asked, ...(proof && { proof }) });
    const path = `${await this.#path('entries')}:lookup`;
    const headers = { 'content-type': 'application/json' };
    const { by, said } = await this.#fromAny([endpoint, ...this.#known()], path, { method: 'POST', headers, body });
    const { entries } = said as { readonly entries: readonly DirectoryEntry[] };
    // Somebody else answered for it, or in its stead, as where it has started again at another address: the map is old. The next look
    // goes to the right one.
    const isOld = by !== endpoint || entries.some(({ owner, partition }) => owner !== this.#owners?.nameOf(partition));
    if (isOld) void this.#refresh();
    return entries;
  }

  #known(): readonly string[] {
    return [...(this.#owners?.endpoints ?? []), ...this.#urls];
  }

  async #learnOwners(): Promise<void> {
    this.#askedAtMs = performance.now();
    const { said } = await this.#fromAny(this.#known(), await this.#path('owners'));
    this.#owners = instancesOf(said as OwnersSaid);
  }

  /** Never rejects: the known map goes on serving. */
  #refresh(): Promise<void> {
    if (performance.now() - this.#askedAtMs < OWNERS_KEPT_MS) return Promise.resolve();
    this.#asking ??= this.#learnOwners()
      .catch(() => undefined)
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  /** Each once, silent ones last: a question waits for them only where none of the others answers. */
  #inOrder(endpoints: readonly string[]): readonly string[] {
    const all = [...new Set(endpoints)].filter((endpoint) => endpoint !== '');
    const silent = all.filter((endpoint) => this.#silent.isSilent(endpoint));
    for (const endpoint of silent)
      if (this.#silent.isTryDue(endpoint, performance.now()))
        this.#askOne(endpoint, '/livez', {}).catch(() => undefined);
    return [...all.filter((endpoint) => !silent.includes(endpoint)), ...silent];
  }

  /** @throws Error that says why there is no answer */
  async #askOne(endpoint: string, path: string, asked: Asked): ReturnType<DirectoryAccess['ask']> {
    const askedAtMs = performance.now();
    try {
      const answer = await this.#access.ask(endpoint, path, asked, this.#timeoutMs);
      this.#silent.heard(endpoint, performance.now());
      return answer;
    } catch (error) {
      if (error instanceof NoAnswer) this.#silent.waitedInVain(endpoint, askedAtMs, performance.now());
      throw error;
    }
  }

  /** @throws Retriable where none answers, Misconfigured where one refuses the question */
  async #fromAny(
    endpoints: readonly string[],
    path: string,
    asked: Asked = {},
    whyNot: (said: unknown) => string | undefined = () => undefined,
  ): Promise<{ readonly by: string; readonly said: unknown }> {
    const failures: string[] = [];
    let cause: RefusedBy | StillStarting | undefined;
    for (const endpoint of this.#inOrder(endpoints)) {
      try {
        const { status, body } = await this.#askOne(endpoint, path, asked);
        const why = status === 200 ? whyNot(body) : undefined;
        if (status === 200 && why === undefined) return { by: endpoint, said: body };
        const { error = why } = body as Said;
        if (why !== undefined) cause ??= new StillStarting(why);
        if (status === 401 || status === 403) cause = new RefusedBy(status);
        if (status === 400) throw new Misconfigured(error ?? 'the question was refused');
        failures.push(`${endpoint}: ${error ?? status}`);
      } catch (failure) {
        if (failure instanceof Misconfigured) throw failure;
        failures.push(`${endpoint}: ${messageOf(failure)}`);
      }
    }
    const { known } = this.#pipeline;
    const of = known === undefined ? '' : ` for pipeline ${known}`;
    throw new Retriable(`no instance answers${of}: ${failures.join('; ')}`, cause);
  }
}

interface Said {
  readonly error?: string;
}

type Listed = DirectoryList & Pick<DirectoryEntry, 'pipeline' | 'kind'>;

const NEVER = new AbortController().signal;

/** Percent-encoded, whatever the bytes. */
function escaped(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
