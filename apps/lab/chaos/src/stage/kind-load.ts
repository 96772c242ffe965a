// The producers of a pipeline without a fleet, within this process and bypassing any proxy.
//
// Owns: a producer of each input, the ledger of their records.
// Does not own: their contents (`KindTraffic`).
//
// Invariants
//   KL1  A record counts in the ledger once it is acknowledged, and only then (X3); one that may be of no life not at all, so that
//        more of its key may be found.
import { writeFileSync } from 'node:fs';
import { type Random, seededRandom } from '@flatline/base';
import { BatchProducer, openCluster, type ProducedRecord } from '@flatline/kafka';
import type { LedgerLine } from '@flatline/oracle';
import { systemClock } from '@flatline/system';
import type { ProducersSender } from '@flatline/lab-kinds';
import type { Application } from './application.ts';
import { sleep } from './sleep.ts';

export interface LoadSettings {
  readonly ratePerSecond: number;
  readonly seed: number;
}

const TICK_MS = 20;
/** Few, so that each is heard from again while something of it lives. */
const KEYS = 240;
/** Offsets remembered per key: the first belongs to a holder whose time is over. */
const OFFSETS_KEPT = 4;

interface Acknowledged {
  readonly baseOffset: number;
  readonly count: number;
}

interface Waiting {
  readonly key: string;
  readonly counts: boolean;
}

interface Sent {
  readonly acknowledged: number;
  readonly offsets: readonly number[];
}

export class KindLoad {
  readonly #application: Application;
  readonly #sender: ProducersSender;
  readonly #settings: LoadSettings;
  readonly #random: Random;
  readonly #sent = new Map<string, Sent>();
  /** By input and partition: the unacknowledged records, in order. */
  readonly #waiting: readonly Waiting[][][];
  readonly #maybeIdle = new Set<string>();
  readonly #done: Promise<void>;
  #isOver = false;

  constructor(application: Application, sender: ProducersSender, settings: LoadSettings) {
    this.#application = application;
    this.#sender = sender;
    this.#settings = settings;
    this.#random = seededRandom(settings.seed);
    const { inputs, partitions } = application;
    this.#waiting = inputs.map(() => Array.from({ length: partitions }, () => []));
    this.#done = this.#run();
    // Reported where it is awaited.
    this.#done.catch(() => undefined);
  }

  /** Stops sending, and writes the ledger. @throws the producer's error: the trial then shows nothing */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#done;
    const lines = [...this.#sent].map(([sessionId, { acknowledged }]): LedgerLine => ({
      sessionId,
      acknowledged,
      duplicates: 0,
      ended: this.#maybeIdle.has(sessionId) ? 'cutOff' : 'silence',
      longestGapMs: 0,
    }));
    writeFileSync(this.#application.ledger, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  async #run(): Promise<void> {
    const { kafka, inputs } = this.#application;
    const connection = openCluster(kafka);
    try {
      const opening = inputs.map((topic, input) =>
        BatchProducer.open({
          clock: systemClock,
          connection,
          topic,
          onAcknowledged: (partition, baseOffset, count) => {
            this.#acknowledge(input, partition, { baseOffset, count });
          },
        }),
      );
      const producers = await Promise.all(opening);
      const since = performance.now();
      for (let sent = 0; !this.#isOver;) {
        const owed = ((performance.now() - since) / 1_000) * this.#settings.ratePerSecond;
        for (; sent < owed; sent += 1) {
          const { input, record } = this.#next();
          await producers[input]!.send([record]);
        }
        await sleep(TICK_MS);
      }
      await Promise.all(producers.map((producer) => producer.close()));
    } finally {
      connection.close();
    }
  }

  #next(): { readonly input: number; readonly record: ProducedRecord } {
    const number = this.#random.below(KEYS);
    const partition = number % this.#application.partitions;
    const key = `key-${number}`;
    const drawn = this.#sender.act(this.#random, this.#sent.get(key)?.offsets ?? []);
    const { input = 0, behindMs = 0, mayBeIdle = false, ...act } = drawn;
    this.#waiting[input]![partition]!.push({ key, counts: !mayBeIdle });
    if (mayBeIdle) this.#maybeIdle.add(key);
    const timestamp = systemClock.wallMs() - behindMs;
    return { input, record: { key: Buffer.from(key), partition, timestamp, ...act } };
  }

  /** Offsets are remembered of the first input. */
  #acknowledge(input: number, partition: number, { baseOffset, count }: Acknowledged): void {
    for (const [index, { key, counts }] of this.#waiting[input]![partition]!.splice(0, count).entries()) {
      const { acknowledged, offsets } = this.#sent.get(key) ?? { acknowledged: 0, offsets: [] };
      const isKnown = baseOffset >= 0 && input === 0;
      const known = isKnown ? [...offsets, baseOffset + index].slice(-OFFSETS_KEPT) : offsets;
      this.#sent.set(key, { acknowledged: acknowledged + (counts ? 1 : 0), offsets: known });
    }
  }
}
