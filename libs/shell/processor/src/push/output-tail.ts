// Reads the output partitions that someone hears, once for all of them, and lets go of those that are not heard any more.
//
// Owns: the readings.
// Does not own: what is made of the outputs (Hub), who hears them.
import { type Cancel, type Clock, type DurationMs, messageOf, PartitionStopped } from '@flatline/base';
import type { LogReader, LogSubscription } from '@flatline/ports';
import type { RuntimeLog } from '@flatline/runtime';
import { copyOf, type Output } from './output.ts';

export interface OutputEnds {
  ends(partition: number): Promise<{ readonly logStartOffset: number; readonly lastStableOffset: number }>;
}

export interface OutputTailParts {
  readonly topic: string;
  readonly reader: Pick<LogReader, 'subscribe'>;
  readonly ends: OutputEnds['ends'];
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly turns: (turn: () => void) => void;
  /** The partition is read from that offset on. */
  readonly onOpen: (partition: number, offset: number) => void;
  readonly onOutput: (output: Output) => void;
  /** All up to the offset has come. */
  readonly onRead: (partition: number, offset: number) => void;
  /** The records to read are gone, or the topic was deleted and made again: nothing is read of it until it is opened again. */
  readonly onLost: (partition: number, why: string) => void;
}

/** Offsets read before the one that is asked for: others who resume then find theirs. */
const SLACK_OFFSETS = 1_000;
const RETRY_MS: DurationMs = 1_000;

interface Reading {
  subscription: LogSubscription;
  next: number;
  isQueued: boolean;
  retry?: Cancel;
}

export class OutputTail {
  readonly #parts: OutputTailParts;
  readonly #readings = new Map<number, Reading>();
  readonly #opening = new Map<number, Promise<void>>();
  #isClosed = false;

  constructor(parts: OutputTailParts) {
    this.#parts = parts;
  }

  get partitions(): readonly number[] {
    return [...this.#readings.keys()];
  }

  /**
   * Has the partition read, from the offset on if that is the first to ask for it; without one from its end.
   * @throws Retriable, PartitionStopped, Fatal
   */
  async open(partition: number, offset?: number): Promise<void> {
    while (!this.#readings.has(partition)) {
      const opening = this.#opening.get(partition) ?? this.#open(partition, offset);
      this.#opening.set(partition, opening);
      try {
        await opening;
      } finally {
        this.#opening.delete(partition);
      }
    }
  }

  async #open(partition: number, offset: number | undefined): Promise<void> {
    const { logStartOffset, lastStableOffset } = await this.#parts.ends(partition);
    if (this.#isClosed) throw new PartitionStopped('no more is read: the process stops');
    const from = Math.max(logStartOffset, Math.min(offset ?? lastStableOffset, lastStableOffset) - SLACK_OFFSETS);
    this.#parts.onOpen(partition, from);
    this.#readings.set(partition, { subscription: this.#subscribe(partition, from), next: from, isQueued: false });
  }

  /** It is not heard any more. */
  release(partition: number): void {
    const reading = this.#readings.get(partition);
    this.#readings.delete(partition);
    reading?.retry?.();
    reading?.subscription.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const partition of this.partitions) this.release(partition);
  }

  #subscribe(partition: number, from: number): LogSubscription {
    const { reader, topic } = this.#parts;
    const subscription = reader.subscribe({ topic, partition }, from);
    subscription.onChange(() => {
      this.#queue(partition);
    });
    this.#parts.turns(() => {
      this.#queue(partition);
    });
    return subscription;
  }

  #queue(partition: number): void {
    const reading = this.#readings.get(partition);
    if (reading === undefined || reading.isQueued) return;
    reading.isQueued = true;
    this.#parts.turns(() => {
      reading.isQueued = false;
      if (this.#readings.get(partition) === reading) this.#read(partition, reading);
    });
  }

  /** Reads the records of one answer; the next one has its own turn. */
  #read(partition: number, reading: Reading): void {
    const { subscription } = reading;
    const fetched = subscription.take();
    if (fetched === undefined) {
      if (subscription.failure !== undefined) this.#failed(partition, reading, subscription.failure);
      return;
    }
    try {
      for (const { cursor } = fetched; cursor.next();)
        if (cursor.keyLength >= 0) this.#parts.onOutput(copyOf(partition, cursor));
    } catch (error) {
      this.#failed(partition, reading, error);
      return;
    }
    reading.next = fetched.nextOffset;
    this.#parts.onRead(partition, fetched.nextOffset);
    this.#queue(partition);
  }

  #failed(partition: number, reading: Reading, error: unknown): void {
    const { clock, log, topic, onLost } = this.#parts;
    const why = messageOf(error);
    reading.subscription.close();
    if (error instanceof PartitionStopped) {
      log.warn('outputs cannot be followed; who hears them begins again', { topic, partition, why });
      this.release(partition);
      onLost(partition, why);
      return;
    }
    log.warn('reading the output is interrupted; trying again', { topic, partition, why });
    reading.retry = clock.after(RETRY_MS, () => {
      if (this.#readings.get(partition) === reading) reading.subscription = this.#subscribe(partition, reading.next);
    });
  }
}
