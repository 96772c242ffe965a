// Outputs for a group of consumers: partitions are shared out, positions are committed once their outputs are handled.
//
// Owns: the feeds of the assigned partitions, what is to be committed.
// Does not own: the membership and the reader, but for their end; what a record is (OutputKind); what is done
//   with an output.
//
// Invariants
//   CS1  A position is committed only once everything below it was handled, or needs no handling (a tombstone), and only for a
//        partition that this member has held without a break since.
//        Nor is what was passed over, before it is known to be the right topic (FR1), or a summary that waits to be final.
//   CS2  The next record of a partition is asked for once the one before was handled.
import { type Cancel, type Clock, type DurationMs, Misconfigured, PartitionStopped, Retriable } from '@flatline/base';
import type { Assignment, LogReader, MembershipListener } from '@flatline/ports';
import { News, withinDeadline } from '@flatline/system';
import { FirstRecords, STRANGERS_MAX } from './first-records.ts';
import { OutputConsumer } from './output-consumer.ts';
import type { Beside, OutputKind } from './output-kinds.ts';
import type { AtPosition, RawOutput, ReceiptRecord, UnreadableRecord, UpdateRecord } from './output-record.ts';
import { readPatiently } from './patient-reading.ts';
import type { WaitingSummaries } from './waiting-summaries.ts';

/** The part of a group membership that is used here. */
export interface GroupMembership {
  start(listener: MembershipListener): Promise<void>;
  commit(topic: string, offsets: ReadonlyMap<number, number>): Promise<boolean>;
  leave(): Promise<void>;
}

/** A record as interpreted: an output of the kind, or another. */
type OutputOrBeside<Found> = Found | Beside;

/** An output, and the record as it lies on the topic. */
export interface Given<Found> {
  readonly output: Found;
  readonly raw: RawOutput;
}

export interface GroupOutputsParts<Found> {
  readonly clock: Clock;
  readonly topic: string;
  readonly reader: LogReader;
  readonly kind: OutputKind<Found>;
  readonly membership: GroupMembership;
  /** Keeps outputs until their tombstones come, by `OutputKind.waitsAs`. */
  readonly waiting?: WaitingSummaries<Given<Found>> | undefined;
  /** Where the group stands in a partition, or begins. */
  readonly startOf: (partition: number) => Promise<number>;
  /** Where the partition's log begins now. */
  readonly logStartOf: (partition: number) => Promise<number>;
  readonly commitIntervalMs: DurationMs;
  /** Ends the iteration once what was given last was handled. */
  readonly signal: AbortSignal | undefined;
  readonly onUnreadable: ((record: UnreadableRecord) => void) | undefined;
  /** Told instead where no one else is. */
  readonly onPassedOver: (record: UnreadableRecord) => void;
  readonly onReceipt: ((record: ReceiptRecord) => void) | undefined;
  /** Told each time that a record cannot be read yet. */
  readonly onDelayed: (error: Retriable) => void;
}

interface Found<Output> {
  readonly found: OutputOrBeside<Output>;
  readonly raw: RawOutput;
}

interface Feed<Output> {
  readonly partition: number;
  readonly consumer: OutputConsumer<Found<Output>>;
  /** It waits for no registry any more. */
  readonly over: AbortController;
}

type Ready<Output> =
  | { readonly feed: Feed<Output>; readonly next: Found<Output> | undefined }
  | { readonly feed: Feed<Output>; readonly error: unknown };

/** The last commit, and leaving. */
const END_MS: DurationMs = 5_000;

export class GroupOutputs<Output extends AtPosition & { readonly kind: string }> {
  readonly #parts: GroupOutputsParts<Output>;
  readonly #feeds = new Map<number, Feed<Output>>();
  readonly #ready: Ready<Output>[] = [];
  /** Handled and not committed, by partition number. */
  readonly #handled = new Map<number, number>();
  #assignment: Assignment | undefined;
  /** The group has since taken this member for gone. */
  #wasLost = false;
  #failure: { readonly error: unknown } | undefined;
  /** Something has come since the loop last looked. */
  readonly #news = new News();
  #committing: Promise<void> | undefined;
  #timer: Cancel | undefined;
  #ended = false;
  readonly #first = new FirstRecords();

  constructor(parts: GroupOutputsParts<Output>) {
    this.#parts = parts;
  }

  /** An output counts as handled when the next one is asked for, or the iteration ends by `signal`. */
  async *iterate(): AsyncGenerator<Given<Output>, void> {
    const { membership, signal } = this.#parts;
    signal?.addEventListener('abort', this.#news.tell);
    try {
      // Does not end before the first assignment, which an abort does not wait for.
      membership.start(this.#listener).catch(this.#fail);
      while (signal?.aborted !== true) {
        this.#news.look();
        if (this.#failure !== undefined) throw this.#failure.error;
        if (this.#feeds.size < (this.#assignment?.partitions.length ?? 0)) await this.#adopt();
        const ready = this.#ready.shift();
        if (ready === undefined) await this.#news.some();
        else if (this.#feeds.get(ready.feed.partition) !== ready.feed) continue;
        else if ('error' in ready) await this.#beginAgain(ready.feed, ready.error);
        else if (ready.next !== undefined) {
          const { found, raw } = ready.next;
          const given = this.#given(found, raw);
          if (given !== undefined) yield given;
          this.#goOn(ready.feed, raw);
        }
      }
    } finally {
      signal?.removeEventListener('abort', this.#news.tell);
      await this.#end();
    }
  }

  /** The output that a record makes known; undefined: none. */
  #given(found: OutputOrBeside<Output>, raw: RawOutput): Given<Output> | undefined {
    const { waiting, kind } = this.#parts;
    if (isBeside(found)) {
      this.#passOver(found);
      return found.kind === 'tombstone' ? waiting?.take(found) : undefined;
    }
    this.#knowTopic();
    const given = { output: found, raw };
    const incarnation = waiting && kind.waitsAs?.(found);
    if (incarnation === undefined) return given;
    waiting!.keep(incarnation, given);
    return undefined;
  }

  /** The record was handled. */
  #goOn(feed: Feed<Output>, { offset }: RawOutput): void {
    // It may have moved away meanwhile.
    if (this.#feeds.get(feed.partition) !== feed) return;
    if (!this.#first.keepsBack(feed.partition, offset + 1)) this.#stands(feed.partition, offset + 1);
    this.#ask(feed);
  }

  /** Retention may have overtaken the reader: it goes on where the log begins now, and what is lost is told (`startOf`). */
  async #beginAgain(feed: Feed<Output>, error: unknown): Promise<void> {
    const { partition, consumer } = feed;
    const stands = consumer.positions.get(partition) ?? 0;
    if (!(error instanceof PartitionStopped) || (await this.#parts.logStartOf(partition)) <= stands) throw error;
    await this.#commit();
    if (this.#feeds.get(partition) === feed) this.#drop(feed);
  }

  #passOver(found: Beside): void {
    if (found.kind === 'receipt' || found.kind === 'update') {
      this.#knowTopic();
      if (found.kind === 'receipt') this.#parts.onReceipt?.(found);
      return;
    }
    if (found.kind === 'unreadable') this.#passOverUnread(found);
    // A tombstone with an incarnation is of more than one kind, and all that compaction leaves of what is over: it says neither.
    else if (found.incarnation === undefined) this.#countStranger(found);
  }

  #passOverUnread(record: UnreadableRecord): void {
    const { topic, onUnreadable, onPassedOver } = this.#parts;
    if (onUnreadable !== undefined) {
      onUnreadable(record);
      return;
    }
    // Nothing but a setting stands between it and its reader.
    if (record.reason === 'no-schema-registry')
      throw new Misconfigured(
        `topic ${topic} is written in Avro (at ${record.partition}-${record.offset}): give connect a schemaRegistryUrl`,
      );
    this.#countStranger(record);
    onPassedOver(record);
  }

  /** A topic that begins with nothing but other records is most likely another: without a word, it would be passed over whole. */
  #countStranger(record: Exclude<Beside, ReceiptRecord | UpdateRecord>): void {
    const { partition, offset } = record;
    if (this.#parts.onUnreadable !== undefined || !this.#first.isOneTooMany(partition)) return;
    const { topic, kind } = this.#parts;
    const why = record.kind === 'unreadable' ? `, ${record.reason}: ${record.detail}` : '';
    throw new Misconfigured(
      `the first ${STRANGERS_MAX} records of topic ${topic} are no ${kind.outputs} (the last is at ${partition}-${offset}${why}): ` +
        `give the output topic of ${kind.pipeline}, not its input, or onUnreadable to pass them over`,
    );
  }

  #knowTopic(): void {
    for (const [partition, offset] of this.#first.know()) this.#stands(partition, offset);
  }

  /** Everything of the partition below `offset` is handled, or waits. */
  #stands(partition: number, offset: number): void {
    this.#handled.set(partition, Math.min(offset, this.#parts.waiting?.oldest(partition) ?? Infinity));
    this.#commitLater();
  }

  #commitLater(): void {
    this.#timer ??= this.#parts.clock.after(this.#parts.commitIntervalMs, () => {
      this.#timer = undefined;
      void this.#commit().catch(this.#fail);
    });
  }

  readonly #listener: MembershipListener = {
    assigned: (assignment) => {
      const { partitions } = assignment;
      // Others may have gone on with a lost member's partitions: the group's present position tells.
      const isKept = this.#wasLost && !isSame(assignment, this.#assignment) ? () => false : isIn(partitions);
      for (const [partition, feed] of this.#feeds) if (!isKept(partition)) this.#drop(feed);
      this.#wasLost = false;
      this.#assignment = assignment;
      this.#news.tell();
    },
    // The partitions' next owner gives these outputs again; until then they are this member's.
    lost: () => {
      this.#wasLost = true;
    },
    failed: (error) => {
      this.#fail(error);
    },
  };

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#news.tell();
  };

  #drop({ partition, consumer, over }: Feed<Output>): void {
    this.#feeds.delete(partition);
    this.#handled.delete(partition);
    this.#first.forget(partition);
    this.#parts.waiting?.forget(partition);
    over.abort();
    consumer.close();
  }

  async #adopt(): Promise<void> {
    const { reader, topic, startOf } = this.#parts;
    const assignment = this.#assignment;
    for (const partition of assignment?.partitions ?? []) {
      if (this.#feeds.has(partition)) continue;
      const offset = await startOf(partition);
      // It may have moved away meanwhile, and come back.
      if (this.#assignment !== assignment) return;
      const over = new AbortController();
      const read = async (raw: RawOutput): Promise<Found<Output>> => ({
        found: await this.#read(raw, over.signal),
        raw,
      });
      const offsets = new Map([[partition, offset]]);
      const consumer = new OutputConsumer({ reader, topic, offsets, read, readNow: this.#readNow });
      const feed = { partition, consumer, over };
      this.#feeds.set(partition, feed);
      // A group that begins at the end stands there from now on, so what comes while no member runs is not passed over.
      this.#stands(partition, offset);
      this.#ask(feed);
    }
  }

  readonly #readNow = (raw: RawOutput): Found<Output> | undefined => {
    const found = this.#parts.kind.readNow?.(raw);
    return found && { found, raw };
  };

  #read(raw: RawOutput, signal: AbortSignal): Promise<OutputOrBeside<Output>> {
    const { clock, topic, kind, onDelayed, onUnreadable } = this.#parts;
    return readPatiently(
      raw,
      { clock, topic, kind, onDelayed, isToldOfUnreadable: onUnreadable !== undefined },
      signal,
    );
  }

  #ask(feed: Feed<Output>): void {
    try {
      // Most have nothing to wait for: a promise costs more than such a record.
      const next = feed.consumer.takeNow();
      if (next !== undefined) {
        this.#put({ feed, next });
        return;
      }
    } catch (error) {
      this.#put({ feed, error });
      return;
    }
    feed.consumer.next().then(
      (next) => {
        this.#put({ feed, next });
      },
      (error: unknown) => {
        this.#put({ feed, error });
      },
    );
  }

  #put(ready: Ready<Output>): void {
    this.#ready.push(ready);
    this.#news.tell();
  }

  /** One at a time. Positions that a rebalance or an outage keeps from being committed wait for the next. */
  async #commit(): Promise<void> {
    await this.#committing;
    const offsets = new Map(this.#handled);
    if (offsets.size === 0) return;
    this.#committing = this.#commitThese(offsets);
    await this.#committing;
  }

  async #commitThese(offsets: ReadonlyMap<number, number>): Promise<void> {
    const { membership, topic } = this.#parts;
    try {
      if (await membership.commit(topic, offsets))
        for (const [partition, offset] of offsets)
          if (this.#handled.get(partition) === offset) this.#handled.delete(partition);
    } catch (error) {
      if (!(error instanceof Retriable)) throw error;
    } finally {
      if (this.#handled.size > 0 && !this.#ended) this.#commitLater();
    }
  }

  async #end(): Promise<void> {
    this.#ended = true;
    for (const { over } of this.#feeds.values()) over.abort();
    this.#timer?.();
    const { clock, membership } = this.#parts;
    try {
      await withinDeadline(clock, END_MS, this.#commit(), () => new Retriable('the last positions were not committed'));
    } catch {
      // The outputs since are given again, to whoever goes on.
    } finally {
      for (const feed of [...this.#feeds.values()]) this.#drop(feed);
      await withinDeadline(clock, END_MS, membership.leave(), () => new Retriable('not left')).catch(() => undefined);
    }
  }
}

function isBeside<Output extends { readonly kind: string }>(found: OutputOrBeside<Output>): found is Beside {
  const { kind } = found;
  return kind === 'tombstone' || kind === 'update' || kind === 'receipt' || kind === 'unreadable';
}

function isSame(assignment: Assignment, before: Assignment | undefined): boolean {
  return assignment.generation === before?.generation && assignment.memberId === before.memberId;
}

function isIn(partitions: readonly number[]): (partition: number) => boolean {
  const named = new Set(partitions);
  return (partition) => named.has(partition);
}
