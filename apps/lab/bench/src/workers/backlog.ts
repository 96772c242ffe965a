// A backlog that is complete before any of it is visible: events, and then sessions that have been silent for long enough.
import type { DurationMs } from '@flatline/base';
import { GroupProgress, KafkaLogAdmin, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../tasks/application.ts';
import type { Ground } from '../frame/frame.ts';
import { untilCommitted } from '../input-commits.ts';
import { VisibilityGate } from '../scale/kafkajs-visibility-gate.ts';
import { CloseCount, stormKey } from '../storm/close-count.ts';
import { loadEvents } from '../throughput/event-load.ts';
import { NO_VALUE, writeRecords } from '../writing.ts';

export interface BacklogSettings {
  readonly events: number;
  /** Sessions of the events; none of them ends. */
  readonly sessions: number;
  /** Sessions that end together. */
  readonly closes: number;
  readonly partitions: number;
}

/** The sessions that are to end are all in the log, and applied, within this time after the first one's beat. */
const SILENCE_MS: DurationMs = 30_000;
const SILENT = Buffer.from(`{"timeoutMs":${SILENCE_MS}}`);
/** The record that proves the silence comes this long after the last deadline. */
const MARGIN_MS: DurationMs = 1_000;
const LOOK_MS: DurationMs = 20;
const PATIENCE_MS: DurationMs = 600_000;
const SEED = 1;
/** A summary and its tombstone. */
const RECORDS_OF_A_CLOSE = 2;

interface Readers {
  readonly group: string;
  /** Rejects when they end. */
  readonly ended: Promise<never>;
}

export class Backlog {
  readonly #ground: Ground<BacklogSettings>;
  readonly #application: Application;
  readonly #readers: Readers;
  readonly #admin: KafkaLogAdmin;
  readonly #progress: GroupProgress;

  constructor(ground: Ground<BacklogSettings>, application: Application, readers: Readers) {
    this.#ground = ground;
    this.#application = application;
    this.#readers = readers;
    const asked = { clock: systemClock, connection: ground.connection };
    this.#admin = new KafkaLogAdmin(asked);
    const { partitions } = ground;
    this.#progress = new GroupProgress(asked, { group: readers.group, topic: application.topic, partitions });
  }

  /** Events that are read as they come. */
  async warmUp(events: number): Promise<void> {
    await this.#committed(await this.#writeEvents(events));
  }

  /** Writes all events, then has `measure` wait until they are committed. */
  async events<T>(measure: (committed: () => Promise<void>) => Promise<T>): Promise<T> {
    const gate = await this.#shutGate();
    const ends = await this.#writeEvents(this.#ground.events);
    return measure(async () => {
      await gate.open();
      await this.#committed(ends);
    });
  }

  /**
   * Lets sessions fall silent unseen, then lets `measure` wait until all their closes are committed.
   * @throws Error if some have ended before, or not exactly once
   */
  async closes<T>(measure: (closed: () => Promise<void>) => Promise<T>): Promise<T> {
    const { closes } = this.#ground;
    await this.#write((partitions) => beatsOf(closes, partitions));
    const silentAtMs = performance.now();
    await this.#committed(await this.#ends());
    const gate = await this.#shutGate();
    if ((await this.#outputs()) > 0) throw new Error(`sessions ended before all ${closes} of them were applied`);
    await delay(Math.max(0, silentAtMs + SILENCE_MS + MARGIN_MS - performance.now()));
    await this.#write(evidence);
    const measured = await measure(async () => {
      await gate.open();
      await this.#whileRunning(this.#untilOutputs(RECORDS_OF_A_CLOSE * closes));
    });
    await this.#assertClosedOnce();
    return measured;
  }

  #shutGate(): Promise<VisibilityGate> {
    return VisibilityGate.shut(this.#ground.brokers, this.#application.topic, this.#ground.partitions);
  }

  async #writeEvents(events: number): Promise<readonly number[]> {
    const { connection, sessions, partitions } = this.#ground;
    await loadEvents(connection, this.#application.topic, { format: 'bare', events, sessions, partitions, seed: SEED });
    return this.#ends();
  }

  #write(records: (partitions: number) => Iterable<ProducedRecord>): Promise<void> {
    return writeRecords(this.#ground.connection, { topic: this.#application.topic, records });
  }

  #ends(): Promise<readonly number[]> {
    return this.#each((partition) => this.#admin.replicatedEnd({ topic: this.#application.topic, partition }));
  }

  #committed(ends: readonly number[]): Promise<void> {
    return this.#whileRunning(untilCommitted(ends, this.#progress));
  }

  /** Offsets visible to a read_committed reader of the output: records, and the markers between them. */
  async #outputs(): Promise<number> {
    const topic = `${this.#application.application}.output`;
    const ends = await this.#each(async (partition) => (await this.#admin.ends({ topic, partition })).lastStableOffset);
    return ends.reduce((sum, end) => sum + end, 0);
  }

  /** Markers count as well: with one of them per commit, the last few closes are not waited for. */
  async #untilOutputs(records: number): Promise<void> {
    const giveUpAtMs = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await this.#outputs();
      if (seen >= records) return;
      if (performance.now() > giveUpAtMs) throw new Error(`stuck at ${seen} of ${records} records of closes`);
      await delay(LOOK_MS);
    }
  }

  async #assertClosedOnce(): Promise<void> {
    const { kafka, partitions, closes } = this.#ground;
    const count = new CloseCount(kafka, `${this.#application.application}.output`, partitions, closes);
    const giveUpAtMs = performance.now() + PATIENCE_MS;
    try {
      while (count.closes < closes && performance.now() < giveUpAtMs) {
        if (count.failure !== undefined) throw count.failure;
        await delay(LOOK_MS);
      }
      const { closes: closed, closedTwice, closedAlive } = count;
      if (closed !== closes || closedTwice + closedAlive > 0)
        throw new Error(`${closed} of ${closes} sessions closed, ${closedTwice} twice, and ${closedAlive} that live`);
    } finally {
      await count.close();
    }
  }

  #each<T>(ask: (partition: number) => Promise<T>): Promise<readonly T[]> {
    return Promise.all(Array.from({ length: this.#ground.partitions }, (_, partition) => ask(partition)));
  }

  #whileRunning<T>(waiting: Promise<T>): Promise<T> {
    return Promise.race([waiting, this.#readers.ended]);
  }
}

function* beatsOf(sessions: number, partitions: number): Iterable<ProducedRecord> {
  for (let session = 0; session < sessions; session += 1)
    yield { partition: session % partitions, key: stormKey(session), value: SILENT };
}

/** Records, of a session that lives on, that prove the time. */
function* evidence(partitions: number): Iterable<ProducedRecord> {
  for (let partition = 0; partition < partitions; partition += 1)
    yield { partition, key: Buffer.from('evidence'), value: NO_VALUE };
}
