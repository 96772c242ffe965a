// The LogReader of one process, on the simulated network: fetch loops with long polls, prefetch, and the reader's own
// retries. The seed chooses how an answer is cut into parts, and how long it takes.
//
// Owns: subscriptions and their buffers.
// Does not own: a broker's answers (simulated-fetch.ts), walking batches (RecordWalk).
//
// Invariants
//   SR1  Records come in offset order without gaps; each subscription has at most one fetch under way.
//   SR2  Buffered bytes stay below BUFFER_BYTES_MAX plus one answer.
//   SR3  After a failure or close nothing more comes.
//   SR4  A deposed leader that still answers is left once metadata, requested on doubt and now and then, name another.
//   SR5  A leader of a later epoch is fetched from only once its log is known to hold the batch before the position (KIP-320).
import { Fatal, PartitionStopped, Retriable, assert, type DurationMs, type Random } from '@flatline/base';
import { KEY_GROUP_MAX, type LogEnds, type LogReader, type LogSubscription } from '@flatline/ports';
import type { ReadObstacle, FetchedRecords, TopicPartition } from '@flatline/ports';
import type { FaultPlan } from './fault-plan.ts';
import type { Answer, Network } from './network.ts';
import { RecordWalk, type FetchedBatch } from './record-walk.ts';
import type { EpochEnd } from './partition-requests.ts';
import { compareEpochs, type FetchAnswer, type ReadingPlace, serveFetch } from './simulated-fetch.ts';
import type { SimulatedHost } from './simulated-host.ts';
import type { SimulatedLog } from './simulated-log.ts';
import type { VirtualTime } from './virtual-time.ts';

const BUFFER_BYTES_MAX = 64 * 1024;
const FETCH_TIMEOUT_MS: DurationMs = 1_000;
const RETRY_MS: DurationMs = 20;
/** Long enough that, within the calm phase of a world, only a reader in doubt leaves its leader. */
const METADATA_AGE_MS: DurationMs = 600_000;
/** Delay between requests for metadata after a doubt, until a better informed node answers; and how many are sent. */
const DOUBT_MS: DurationMs = 500;
const DOUBT_QUESTIONS = 3;

export interface ReaderEnvironment {
  readonly host: SimulatedHost;
  readonly network: Network;
  readonly log: SimulatedLog;
  readonly faults: FaultPlan;
  readonly time: VirtualTime;
  /** Draws how many records are unpacked together: a stream of its own, since nothing may depend on it. */
  readonly unpacking: Random;
}

export class SimulatedReader implements LogReader {
  readonly #environment: ReaderEnvironment;
  readonly #subscriptions = new Set<FetchLoop>();

  constructor(environment: ReaderEnvironment) {
    this.#environment = environment;
  }

  subscribe(partition: TopicPartition, offset: number, readEpoch = -1, topicId?: string): LogSubscription {
    assert(Number.isSafeInteger(offset) && offset >= 0, 'a log is read from an offset', { ...partition, offset });
    const loop = new FetchLoop(this.#environment, partition, { offset, readEpoch, topicId });
    this.#subscriptions.add(loop);
    return loop;
  }

  close(): Promise<void> {
    for (const loop of this.#subscriptions) loop.close();
    this.#subscriptions.clear();
    return Promise.resolve();
  }
}

interface ReadFrom {
  readonly offset: number;
  readonly readEpoch: number;
  /** undefined: the one that has the name now. */
  readonly topicId: string | undefined;
}

class FetchLoop implements LogSubscription {
  readonly partition: TopicPartition;
  readonly #environment: ReaderEnvironment;
  readonly #fetched: FetchedRecords[] = [];
  #bufferedBytes = 0;
  readonly #place: ReadingPlace;
  /** The latest epoch whose leader is known to hold the batch before the position. */
  #agreedEpoch: number;
  #ends: LogEnds | undefined;
  #failure: Error | undefined;
  #obstacle: ReadObstacle | undefined;
  #listener: (() => void) | undefined;
  #closed = false;
  /** The fetch under way whose answer counts. */
  #flight: object | undefined;
  #doubts = 0;
  #asking = false;

  constructor(
    environment: ReaderEnvironment,
    partition: TopicPartition,
    { offset, readEpoch, topicId = environment.log.idOf(partition.topic) }: ReadFrom,
  ) {
    this.#environment = environment;
    this.partition = partition;
    const leaderEpoch = environment.log.find(partition)?.leaderEpoch ?? 0;
    this.#place = { partition, topicId, position: offset, readEpoch, leaderEpoch };
    this.#agreedEpoch = readEpoch;
    this.#waitFor('its leader');
    // Deferred: a listener set right after subscribing hears of everything.
    environment.host.after(0, () => {
      this.#fetch();
      this.#askNowAndThen();
    });
  }

  get ends(): LogEnds | undefined {
    return this.#ends;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  get obstacle(): ReadObstacle | undefined {
    return this.#obstacle;
  }

  take(): FetchedRecords | undefined {
    const next = this.#fetched.shift();
    if (next === undefined) return undefined;
    this.#bufferedBytes -= next.byteLength;
    this.#fetch();
    return next;
  }

  onChange(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }

  lookAgain(): void {
    this.#doubts = DOUBT_QUESTIONS;
    this.#askWhoLeads();
  }

  close(): void {
    this.#closed = true;
    this.#obstacle = undefined;
    this.#fetched.length = 0;
    this.#listener = undefined;
  }

  #fetch(): void {
    if (this.#flight !== undefined || this.#ended || this.#bufferedBytes >= BUFFER_BYTES_MAX) return;
    const flight = {};
    this.#flight = flight;
    const { host, network } = this.#environment;
    const askedAtMs = host.monotonicMs();
    const about = `${this.partition.topic}-${this.partition.partition}@${this.#place.position}`;
    const compares = this.#place.readEpoch >= 0 && this.#place.leaderEpoch > this.#agreedEpoch;
    const kind = compares ? 'OffsetForLeaderEpoch' : 'Fetch';
    const serve = (answer: Answer<FetchAnswer>): void => {
      if (compares) answer.ok(compareEpochs(this.#environment, this.#place));
      else serveFetch(this.#environment, this.#place, answer);
    };
    network.request(host, { kind, about, serve, timeoutMs: FETCH_TIMEOUT_MS }).then(
      (answer) => {
        if (this.#landed(flight)) this.#take(answer, askedAtMs);
      },
      (error: unknown) => {
        if (this.#landed(flight)) this.#onFetchError(error);
      },
    );
  }

  get #ended(): boolean {
    return this.#closed || this.#failure !== undefined;
  }

  /** False for the answer of a leader that has been left meanwhile. */
  #landed(flight: object): boolean {
    if (this.#flight !== flight) return false;
    this.#flight = undefined;
    return true;
  }

  #askNowAndThen(): void {
    if (this.#ended) return;
    this.#environment.host.after(METADATA_AGE_MS, () => {
      this.#askWhoLeads();
      this.#askNowAndThen();
    });
  }

  /** Asks any node, which may be as deposed as the leader. */
  #askWhoLeads(): void {
    if (this.#asking || this.#ended) return;
    this.#asking = true;
    this.#doubts = Math.max(0, this.#doubts - 1);
    const { host, network, log, faults } = this.#environment;
    const about = `${this.partition.topic}-${this.partition.partition}`;
    const serve = (answer: Answer<number>): void => {
      const known = faults.below(DOUBT_QUESTIONS) > 0 ? log.find(this.partition)?.leaderEpoch : undefined;
      answer.ok(known ?? this.#place.leaderEpoch);
    };
    const again = (): void => {
      this.#asking = false;
      if (this.#doubts > 0)
        host.after(DOUBT_MS, () => {
          this.#askWhoLeads();
        });
    };
    network.request(host, { kind: 'Metadata', about, serve, timeoutMs: FETCH_TIMEOUT_MS }).then((leaderEpoch) => {
      again();
      this.#named(leaderEpoch);
    }, again);
  }

  #named(leaderEpoch: number): void {
    if (this.#ended || leaderEpoch <= this.#place.leaderEpoch) return;
    this.#environment.faults.count('staleLeaderLeft');
    this.#doubts = 0;
    this.#place.leaderEpoch = leaderEpoch;
    this.#flight = undefined;
    this.#fetch();
  }

  #onFetchError(error: unknown): void {
    if (!(error instanceof Retriable)) {
      this.#fail(error instanceof Error ? error : new Fatal(String(error)));
    } else if (this.#environment.faults.subscriptionFails(this.#environment.host.name)) this.#fail(error);
    else {
      this.#waitFor(`its leader (${error.message})`);
      this.#environment.host.after(RETRY_MS, () => {
        this.#fetch();
      });
    }
  }

  #take(answer: FetchAnswer, askedAtMs: DurationMs): void {
    if (this.#closed) return;
    const place = `${this.partition.topic}-${this.partition.partition}`;
    if (answer.kind === 'topicGone') {
      const why = `${place} does not exist: was the topic deleted? Create it, or restore it`;
      this.#fail(new PartitionStopped(why, undefined, { isMendable: true }));
    } else if (answer.kind === 'otherTopic') {
      this.#fail(new PartitionStopped(`${place}: the topic was deleted and created again while it was read`));
    } else if (answer.kind === 'outOfRange') {
      const position = this.#place.position;
      this.#fail(new PartitionStopped(`${place} does not hold offset ${position}: was it truncated or recreated?`));
    } else if (this.#environment.faults.subscriptionFails(this.#environment.host.name)) {
      this.#fail(new Retriable(`${place}: the subscription broke off`));
    } else if (answer.kind === 'fenced') {
      this.#place.leaderEpoch = answer.leaderEpoch;
      this.#fetch();
    } else if (answer.kind === 'epochEnd') {
      this.#compared(answer.end, answer.leaderEpoch);
    } else {
      this.#place.leaderEpoch = answer.leaderEpoch;
      this.#ends = { ...answer.ends, askedAtMs };
      this.#obstacle = undefined;
      this.#buffer(answer.batches);
      if (answer.batches.length > 0) this.#agreedEpoch = answer.leaderEpoch;
      this.#fetch();
      this.#listener?.();
    }
  }

  #compared({ leaderEpoch, endOffset }: EpochEnd, comparedEpoch: number): void {
    if (leaderEpoch === this.#place.readEpoch && endOffset >= this.#place.position) {
      this.#agreedEpoch = comparedEpoch;
      this.#fetch();
      return;
    }
    // The buffer was read from the log that was lost.
    this.#fetched.length = 0;
    this.#bufferedBytes = 0;
    const place = `${this.partition.topic}-${this.partition.partition}`;
    const found = `epoch ${leaderEpoch} of the new leader's log ends at ${endOffset}`;
    this.#environment.faults.count('divergenceFound');
    this.#fail(
      new PartitionStopped(
        `${place}: read up to offset ${this.#place.position} in leader epoch ${this.#place.readEpoch}, and ${found}: ` +
          'acknowledged records were lost or replaced',
      ),
    );
  }

  /** Turns one answer into one part or several, cut between batches by the seed. */
  #buffer(batches: readonly FetchedBatch[]): void {
    for (let at = 0; at < batches.length;) {
      const count = this.#environment.faults.coin() ? batches.length - at : 1;
      this.#push(batches.slice(at, at + count));
      at += count;
    }
  }

  #push(batches: readonly FetchedBatch[]): void {
    const last = batches.at(-1)!.batch;
    const cursor = new RecordWalk(batches, this.#place.position, this.#groupMax());
    const byteLength = batches.reduce((sum, { batch }) => sum + batch.byteLength, 0);
    const receivedAtMs = this.#environment.host.monotonicMs();
    this.#place.position = last.lastOffset + 1;
    this.#place.readEpoch = last.leaderEpoch;
    this.#bufferedBytes += byteLength;
    this.#fetched.push({ cursor, nextOffset: last.lastOffset + 1, byteLength, receivedAtMs });
  }

  /** Real readers unpack all records at hand; small groups reach boundaries that would otherwise take long batches. */
  #groupMax(): number {
    const { unpacking } = this.#environment;
    return unpacking.chance(0.5) ? KEY_GROUP_MAX : 1 + unpacking.below(4);
  }

  #waitFor(what: string): void {
    this.#obstacle = { what, sinceMs: this.#obstacle?.sinceMs ?? this.#environment.host.monotonicMs() };
  }

  #fail(failure: Error): void {
    this.#failure = failure;
    this.#obstacle = undefined;
    this.#listener?.();
  }
}
