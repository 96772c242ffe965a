// Committed outputs of a topic into a database: each partition by one process at a time, from the position that lies there.
//
// Owns: the feeds of the assigned partitions, the batch that is taken.
// Does not own: the transaction (SinkTarget), who should read a partition (the group): the database decides who may write it.
//
//   assigned → claimed, where the position comes from → read → a batch → written, with its position
//
// Invariants
//   SI1  While a batch is written nothing is taken: what is fetched waits in the reader, which has its bounds.
//        Nor is a batch held up by a registry: a record that has to ask one keeps back its own partition alone.
//   SI2  A feed goes on only with the epoch that it has claimed; where another has claimed since, what it took is forgotten.
import { type Clock, type DurationMs, PartitionStopped, Retriable, messageOf } from '@flatline/base';
import { OutputConsumer, type RawOutput } from '@flatline/client/parts';
import type { Assignment, LogReader, MembershipListener } from '@flatline/ports';
import { News, pause } from '@flatline/system';
import { SinkBatch, type Taken } from './sink-batch.ts';
import type { SinkTarget } from './sink-target.ts';

/** The part of a group membership that is used here. */
export interface SinkMembership {
  start(listener: MembershipListener): Promise<void>;
  confirm(): Promise<Assignment | undefined>;
  commit(topic: string, offsets: ReadonlyMap<number, number>): Promise<boolean>;
  leave(): Promise<void>;
}

export interface SinkRunParts {
  readonly clock: Clock;
  readonly topic: string;
  readonly reader: LogReader;
  readonly membership: SinkMembership;
  readonly target: SinkTarget;
  readonly bytesMax: number;
  /** Where the log of a partition begins, and what is committed ends. */
  readonly endsOf: (partition: number) => Promise<{ readonly start: number; readonly end: number }>;
  /** Turns a record into a row or nothing. May have to ask a registry, until `signal` is aborted. */
  readonly read: (raw: RawOutput, signal: AbortSignal) => Taken | Promise<Taken>;
  readonly signal: AbortSignal;
  /** Ends once everything is written that was committed when a partition was claimed. */
  readonly untilEnd: boolean;
  readonly onWritten: (written: { readonly rows: number; readonly repeated: number; readonly records: number }) => void;
  readonly onNote: (note: string) => void;
}

interface Feed {
  readonly partition: number;
  readonly epoch: string;
  readonly consumer: OutputConsumer<RawOutput>;
  /** It waits for no registry any more. */
  readonly over: AbortController;
  /** Behind the last record taken into a batch. */
  position: number;
  /** Behind the last record that was fetched, and may wait. */
  fetched: number;
  /** Came while it was waited for. */
  ready: Taken | undefined;
  isAsked: boolean;
  isDone: boolean;
  failure: { readonly error: unknown } | undefined;
}

/** Between two commits of the group's position, which is for tools that watch its lag: the database has the one in force. */
const GROUP_COMMIT_MS: DurationMs = 1_000;
/** Before a partition is claimed again that another has claimed outside of the group. */
const CLAIM_AGAIN_MS: DurationMs = 1_000;

export class SinkRun {
  readonly #parts: SinkRunParts;
  readonly #feeds = new Map<number, Feed>();
  #assignment: Assignment | undefined;
  #failure: { readonly error: unknown } | undefined;
  readonly #news = new News();
  #turn = 0;
  #committedAtMs: DurationMs = -Infinity;

  constructor(parts: SinkRunParts) {
    this.#parts = parts;
  }

  /** Resolves once it is stopped, or everything is written. @throws what reading, the group or the database cannot go on from */
  async run(): Promise<void> {
    const { membership, signal } = this.#parts;
    signal.addEventListener('abort', this.#news.tell);
    try {
      membership.start(this.#listener).catch(this.#fail);
      while (!signal.aborted && !this.#isDone()) {
        this.#news.look();
        if (this.#failure !== undefined) throw this.#failure.error;
        for (const feed of this.#feeds.values()) if (feed.failure !== undefined) await this.#beginAgain(feed);
        await this.#adopt();
        const batch = this.#collected();
        if (!batch.isEmpty()) await this.#write(batch);
        else if (!this.#isDone()) await this.#news.some();
      }
      await this.#commitPositions(true);
    } catch (error) {
      // Rows that waited for the database are given up, and read again by whoever goes on.
      if (!(signal.aborted && error instanceof Retriable)) throw error;
    } finally {
      signal.removeEventListener('abort', this.#news.tell);
      for (const feed of [...this.#feeds.values()]) this.#drop(feed);
      await membership.leave().catch(() => undefined);
    }
  }

  #isDone(): boolean {
    if (!this.#parts.untilEnd || this.#assignment === undefined) return false;
    return this.#assignment.partitions.every((partition) => this.#feeds.get(partition)?.isDone === true);
  }

  /** Claims what is assigned and not claimed. */
  async #adopt(): Promise<void> {
    const { reader, topic, target, endsOf, untilEnd, signal, onNote } = this.#parts;
    const assignment = this.#assignment;
    for (const partition of assignment?.partitions ?? []) {
      if (this.#feeds.has(partition)) continue;
      const { start, end } = await endsOf(partition);
      const { epoch, nextOffset } = await target.claim(partition, start);
      // It may have moved away meanwhile.
      if (this.#assignment !== assignment || signal.aborted) return;
      const offset = Math.max(nextOffset, start);
      if (offset > nextOffset)
        onNote(
          `offsets ${nextOffset} to ${start - 1} of ${topic}-${partition} were removed by its retention before they were written: ` +
            'raise retention.ms of the topic above the longest time that no sink runs',
        );
      const consumer = new OutputConsumer<RawOutput>({
        reader,
        topic,
        offsets: new Map([[partition, offset]]),
        until: untilEnd ? new Map([[partition, end]]) : undefined,
        read: (raw) => Promise.resolve(raw),
        readNow: (raw) => raw,
      });
      const state = { fetched: 0, ready: undefined, isAsked: false, failure: undefined, over: new AbortController() };
      const isDone = untilEnd && offset >= end;
      this.#feeds.set(partition, { partition, epoch, consumer, position: nextOffset, isDone, ...state });
    }
  }

  /** Retention may have overtaken the reader: it goes on where the log begins now, and what is lost is told. @throws what else failed */
  async #beginAgain(feed: Feed): Promise<void> {
    const { error } = feed.failure!;
    if (!(error instanceof PartitionStopped)) throw error;
    const { start } = await this.#parts.endsOf(feed.partition);
    if (start <= (feed.consumer.positions.get(feed.partition) ?? 0)) throw error;
    this.#drop(feed);
  }

  /** Takes what is there, in turns, until the batch is full or nothing is left. */
  #collected(): SinkBatch {
    const batch = new SinkBatch(this.#parts.bytesMax);
    const feeds = [...this.#feeds.values()];
    // Begins with another each time, so that none waits behind a busy one.
    this.#turn += 1;
    for (let i = 0; i < feeds.length && !batch.isFull(); i += 1) {
      const feed = feeds[(i + this.#turn) % feeds.length]!;
      for (let next = this.#next(feed); next !== undefined; next = batch.isFull() ? undefined : this.#next(feed)) {
        batch.take({ partition: feed.partition, epoch: feed.epoch, from: feed.position }, next);
        feed.position = next.offset + 1;
      }
    }
    return batch;
  }

  /** Reads the next record, if it is there; else the loop is woken once it is. */
  #next(feed: Feed): Taken | undefined {
    const { ready } = feed;
    feed.ready = undefined;
    if (ready !== undefined || feed.isAsked || feed.isDone || feed.failure !== undefined) return ready;
    const raw = this.#fetchedNow(feed);
    const taken = raw && this.#read(feed, raw);
    if (taken !== undefined && !(taken instanceof Promise)) return taken;
    feed.isAsked = true;
    const coming = taken ?? feed.consumer.next().then((fetched) => fetched && this.#read(feed, fetched));
    coming.then(
      (next) => {
        feed.isAsked = false;
        feed.ready = next;
        feed.isDone = next === undefined;
        this.#news.tell();
      },
      (error: unknown) => {
        this.#failed(feed, error);
      },
    );
    return undefined;
  }

  #read(feed: Feed, raw: RawOutput): Taken | Promise<Taken> {
    feed.fetched = raw.offset + 1;
    return this.#parts.read(raw, feed.over.signal);
  }

  #fetchedNow(feed: Feed): RawOutput | undefined {
    try {
      return feed.consumer.takeNow();
    } catch (error) {
      this.#failed(feed, error);
      return undefined;
    }
  }

  #failed(feed: Feed, error: unknown): void {
    feed.failure ??= { error };
    this.#news.tell();
  }

  async #write(batch: SinkBatch): Promise<void> {
    const { target, onWritten, onNote, clock, membership, signal } = this.#parts;
    const { fenced, ...written } = await target.write(batch.parts);
    onWritten({ ...written, records: batch.records });
    await this.#commitPositions(false);
    if (fenced.length === 0) return;
    onNote(`partitions ${fenced.join(', ')} have been claimed by another sink: what was read of them is left to it`);
    for (const partition of fenced) this.#drop(this.#feeds.get(partition));
    // Ours all the same: by the group they are, so whoever has claimed them is gone, or is another group's.
    const confirmed = await membership.confirm().catch(() => this.#assignment);
    if (confirmed === undefined) this.#assignment = undefined;
    await pause(clock, CLAIM_AGAIN_MS, signal);
  }

  async #commitPositions(isLast: boolean): Promise<void> {
    const { clock, membership, topic } = this.#parts;
    const now = clock.monotonicMs();
    if (!isLast && now - this.#committedAtMs < GROUP_COMMIT_MS) return;
    this.#committedAtMs = now;
    const feeds = [...this.#feeds.values()];
    const offsets = new Map(
      feeds.map(({ partition, consumer, position, fetched }) => [
        partition,
        // Behind markers of transactions, where nothing waits.
        fetched > position ? position : Math.max(position, consumer.positions.get(partition) ?? 0),
      ]),
    );
    if (offsets.size === 0) return;
    await membership.commit(topic, offsets).catch((error: unknown) => {
      if (!(error instanceof Retriable))
        this.#parts.onNote(`the group's position was not committed: ${messageOf(error)}`);
    });
  }

  readonly #listener: MembershipListener = {
    assigned: (assignment) => {
      this.#assignment = assignment;
      for (const feed of [...this.#feeds.values()])
        if (!assignment.partitions.includes(feed.partition)) this.#drop(feed);
      this.#news.tell();
    },
    // Others may claim the partitions; until they do, they are ours to write.
    lost: () => undefined,
    failed: (error) => {
      this.#fail(error);
    },
  };

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#news.tell();
  };

  #drop(feed: Feed | undefined): void {
    if (feed === undefined) return;
    this.#feeds.delete(feed.partition);
    feed.over.abort();
    feed.consumer.close();
  }
}
