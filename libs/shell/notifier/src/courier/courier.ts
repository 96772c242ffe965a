// Has one partition carried for as long as it is this process's: begins again after each failure.
//
// Owns: the run under way.
import { type Clock, type DurationMs, Fenced, messageOf, type Random } from '@flatline/base';
import type { CommittedScan, LogAdmin, LogReader, TopicPartition, TransactionalWriters } from '@flatline/ports';
import { BackOff, pause } from '@flatline/system';
import type { Carried } from './carried.ts';
import { CourierRun, isForeseen } from './courier-run.ts';
import { GRACE_MS } from './limits.ts';
import { type KeptState, restore } from './restoration.ts';

export interface CourierParts extends Carried {
  readonly clock: Clock;
  readonly random: Random;
  readonly reader: LogReader;
  readonly writers: TransactionalWriters;
  readonly transactionalId: string;
  readonly admin: Pick<LogAdmin, 'committedOffset' | 'ends'>;
  readonly scan: CommittedScan;
  /** Asks the group whether the partition is still this process's. @throws where it cannot be asked */
  readonly isOurs: () => Promise<boolean>;
  readonly startFrom: 'earliest' | 'latest';
  readonly readState: (partition: number, end: AbortSignal) => Promise<KeptState>;
}

const BACK_OFF = { firstMs: 100, mostMs: 10_000 };
/** A run that lasted so long had begun well. */
const WELL_MS: DurationMs = 10_000;

export class Courier {
  readonly #parts: CourierParts;
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  #run: CourierRun | undefined;

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#done = this.#live();
  }

  get endpoints(): CourierRun['endpoints'] {
    return this.#run?.endpoints ?? [];
  }

  /** Requests under way may end first. Idempotent. */
  async close(): Promise<void> {
    this.#end.abort();
    const run = this.#run;
    run?.close();
    const cancel = this.#parts.clock.after(GRACE_MS, () => {
      run?.abort();
    });
    await this.#done;
    cancel();
  }

  #isClosed(): boolean {
    return this.#end.signal.aborted;
  }

  async #live(): Promise<void> {
    const { clock, log, partition, notified, random } = this.#parts;
    const backOff = new BackOff(BACK_OFF, () => random.next());
    while (!this.#isClosed()) {
      const beganMs = clock.monotonicMs();
      try {
        await this.#runOnce();
        return;
      } catch (error) {
        if (this.#isClosed()) return;
        if (clock.monotonicMs() - beganMs > WELL_MS) backOff.reset();
        const facts = { pipeline: notified.pipeline.name, partition, why: messageOf(error) };
        if (isForeseen(error)) log.warn('the deliveries of a partition begin again', facts);
        else log.error('the deliveries of a partition begin again after a defect', { ...facts, error });
        const isFenced = error instanceof Fenced;
        do await pause(clock, backOff.nextDelayMs(), this.#end.signal);
        while (isFenced && !this.#isClosed() && !(await this.#isOurs()));
      }
    }
  }

  /** Who was fenced would fence its successor by beginning again, and be fenced by that: only the group says who is right. */
  async #isOurs(): Promise<boolean> {
    try {
      return await this.#parts.isOurs();
    } catch {
      return false;
    }
  }

  async #runOnce(): Promise<void> {
    const { clock, writers, transactionalId, partition, notified, scan, readState, ways } = this.#parts;
    // First: from here on no one else moves a position or keeps anything.
    const writer = await writers.open(transactionalId);
    try {
      const offsets = {
        outputs: await this.#startOf({ topic: notified.pipeline.output.topic, partition }, this.#parts.startFrom),
        due: await this.#startOf({ topic: notified.deliveries.output.topic, partition }, 'earliest'),
      };
      const restored = await restore({
        clock,
        scan,
        application: notified.application,
        readState: () => readState(partition, this.#end.signal),
        deliveries: { topic: notified.deliveries.input.topic, partition },
        due: { topic: notified.deliveries.output.topic, partition },
        dueFrom: offsets.due,
        tellKeys: new Set(
          ways.flatMap(({ endpoint: { name, order, supersede } }) => (order === 'key' || supersede ? [name] : [])),
        ),
        end: this.#end.signal,
      });
      if (this.#isClosed()) return;
      this.#run = new CourierRun({ ...this.#parts, writer, offsets, restored });
      await this.#run.work();
    } finally {
      await writer.close();
    }
  }

  /** Where the group stands, or begins. */
  async #startOf(place: TopicPartition, from: 'earliest' | 'latest'): Promise<number> {
    const { admin, notified, log } = this.#parts;
    const committed = await admin.committedOffset(notified.group, place);
    const { logStartOffset, lastStableOffset } = await admin.ends(place);
    if (committed === undefined) return from === 'earliest' ? logStartOffset : lastStableOffset;
    const { offset } = committed;
    if (offset >= logStartOffset && offset <= lastStableOffset) return offset;
    const goesOnAt = offset < logStartOffset ? logStartOffset : lastStableOffset;
    log.error('the log is not where it was left: what lies between is not delivered', { ...place, offset, goesOnAt });
    return goesOnAt;
  }
}
