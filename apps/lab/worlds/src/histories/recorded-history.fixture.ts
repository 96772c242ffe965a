// Histories to be judged: the real runtime on the simulated cluster, under faults by seed, recorded when all is quiet.
import {
  PipelineInstance,
  type PipelinePorts,
  type PipelineSettings,
  type StartFrom,
  TASK_BOUNDS,
} from '@flatline/runtime';
import {
  calm,
  type FaultRates,
  rough,
  scannedBatch,
  scannedRecord,
  Simulation,
  type SimulatedHost,
} from '@flatline/cluster';
import type { Random } from '@flatline/base';
import {
  type HistorySubject,
  OUTPUT,
  type RecordedLog,
  type RecordedPartition,
  sessions,
} from '@flatline/lab-kinds/histories';
import { rowsIn, type StateStores } from '@flatline/ports';
import {
  type BatchMark,
  type JudgedRules,
  letterRecord,
  type LogSource,
  type PartitionHistory,
  plainRecord,
  type RawRecord,
  type StoredEntry,
} from '@flatline/oracle';

export const INPUT = 'in';
const CHANGELOG = 'changelog';
const DEAD_LETTERS = 'dead';
const PARTITIONS = 2;
/** max.message.bytes of the dead-letter topic: some records are longer. */
const LETTER_BYTES_MAX = 1_500;

/** Low, so that the log is swept in a history of some minutes. */
const UNSWEPT_BYTES = 512;
const CHANGELOG_FACTOR = 4;

/** K8's limits for recorded histories: in so short a log a commit's header, and a claim, weigh as much as the live entries. */
export const LENGTH_RULES = { changelogFactor: CHANGELOG_FACTOR, unsweptBytesMax: 8 * UNSWEPT_BYTES };

/** A recorded partition as the checker reads it, in parts of a few records each. */
export function historyOf(recorded: RecordedPartition): PartitionHistory {
  const { partition, input, changelog, output, deadLetters, store } = recorded;
  return {
    partition,
    input: sourceOf(INPUT, input),
    changelog: sourceOf(CHANGELOG, changelog),
    output: sourceOf(OUTPUT, output),
    deadLetters: sourceOf(DEAD_LETTERS, deadLetters),
    outputDecidedBelow: Infinity,
    whyUndone: () => Promise.resolve(undefined),
    isComplete: true,
    store: { position: changelog.batches.at(-1)!.lastOffset + 1, entries: store },
  };
}

const PART_BATCHES = 7;

function sourceOf<R extends { readonly offset: number }>(
  topic: string,
  { records, batches, hanging }: RecordedLog<R>,
): LogSource<R> {
  let at = 0;
  let from = -1;
  return {
    topic,
    logStart: 0,
    read: () => {
      if (at >= batches.length) return Promise.resolve(undefined);
      const part = batches.slice(at, (at += PART_BATCHES));
      const end = part.at(-1)!.lastOffset;
      const within = records.filter(({ offset }) => offset > from && offset <= end);
      from = end;
      return Promise.resolve({ records: within, batches: part });
    },
    hanging: () => Promise.resolve(hanging),
  };
}

export interface RecordingOptions {
  readonly seed: number;
  readonly rates?: FaultRates;
  /** Kills and pauses of processes. */
  readonly storm?: boolean;
  /** Now and then, brokers that cannot be reached for longer than the timeout. */
  readonly outages?: boolean;
  /** Default: sessions. */
  readonly subject?: HistorySubject;
  /** Settings of each process once it is restarted, half-way through. */
  readonly changed?: HistorySubject;
  /** The input had records of the other timestamp type, then some of its own, before the application began behind them. */
  readonly adopted?: boolean;
}

/** Runs two instances until all is closed and quiet, stops them, and records the logs and stores. */
export async function record(options: RecordingOptions): Promise<RecordedPartition[]> {
  const {
    seed,
    rates = calm,
    storm = false,
    outages = false,
    subject = sessions(),
    changed,
    adopted = false,
  } = options;
  const faults = storm ? { ...rough, requestCrash: 0.001, writeCrash: 0.002 } : rates;
  const world = new RecordedWorld(seed, faults, { subject, changed });
  if (adopted) await world.haveHistory();
  await world.live(storm, outages);
  return world.atRest();
}

interface Process {
  readonly host: SimulatedHost;
  readonly instance: PipelineInstance;
  readonly stores: StateStores;
}

class RecordedWorld {
  readonly #simulation: Simulation;
  readonly #processes = new Map<string, Process>();
  readonly #subject: HistorySubject;
  readonly #changed: HistorySubject | undefined;
  /** By process, the subject for its next start. */
  readonly #next = new Map<string, HistorySubject>();
  /** Key → offsets of its records. */
  readonly #offsets = new Map<string, number[]>();
  #startFrom: StartFrom = 'earliest';

  constructor(
    seed: number,
    rates: FaultRates,
    { subject, changed }: { readonly subject: HistorySubject; readonly changed: HistorySubject | undefined },
  ) {
    this.#subject = subject;
    this.#changed = changed;
    this.#simulation = new Simulation({ seed, rates });
    for (const topic of [INPUT, OUTPUT, CHANGELOG]) this.#simulation.log.createTopic(topic, { partitions: PARTITIONS });
    this.#simulation.log.createTopic(DEAD_LETTERS, { partitions: PARTITIONS, maxMessageBytes: LETTER_BYTES_MAX });
    this.#simulation.group('app.visits', { partitions: PARTITIONS, sessionTimeoutMs: 10_000 });
  }

  /** Two kinds of it: from before the input had its timestamp type, and after. */
  async haveHistory(): Promise<void> {
    const { log, time } = this.#simulation;
    const random = this.#simulation.random('history');
    for (const type of ['CreateTime', 'LogAppendTime'] as const) {
      for (let partition = 0; partition < PARTITIONS; partition += 1)
        log.partition(INPUT, partition).alterTimestampType(type);
      for (let i = 0; i < 30; i += 1) this.#produce(random, 0);
    }
    await time.runFor(1_000);
    this.#startFrom = { timestamp: this.#simulation.trueMs() - 500 };
    for (let i = 0; i < 30; i += 1) this.#produce(random, 0);
    await time.runFor(1_000);
  }

  async live(storm: boolean, outages: boolean): Promise<void> {
    const { time, network } = this.#simulation;
    const random = this.#simulation.random('workload');
    for (const name of ['a', 'b']) await this.#launch(name);
    for (let round = 0; round < 60; round += 1) {
      for (let i = random.below(8); i > 0; i -= 1) this.#produce(random, round);
      if (round === 25) this.#change('a');
      if (round === 30) this.#change('b');
      if (round % 25 === 13) this.#produceWhatIsTooLong();
      if (round % 25 === 3) this.#produceWhatLasts();
      const { host } = this.#processes.get(random.chance(0.5) ? 'a' : 'b')!;
      if (storm && random.chance(0.06)) host.kill();
      if (storm && random.chance(0.06)) host.pause();
      if (random.chance(0.3)) host.resume();
      await this.#relaunch();
      await time.runFor(random.below(1_500));
      if (!outages || round % 12 !== 11) continue;
      network.setOutage(true);
      await time.runFor(3_000 + random.below(15_000));
      network.setOutage(false);
    }
  }

  /** All faults off, all devices silent for long enough, all processes stopped. */
  async atRest(): Promise<RecordedPartition[]> {
    const { time, faults } = this.#simulation;
    faults.setRates(calm);
    const processes = this.#processes;
    for (const { host } of processes.values()) host.resume();
    // Repeated if one died: a crash drawn for a request under way comes after the faults are off.
    do {
      await this.#relaunch();
      await time.runFor(120_000);
    } while ([...processes.values()].some(({ host }) => !host.alive));
    const { stores, instance } = processes.get('a')!;
    // One instance alone has all partitions, and its stores are the newest when it leaves.
    await time.complete(processes.get('b')!.instance.stop());
    this.#beatOnce();
    await time.runFor(15_000);
    await time.complete(instance.stop());
    // Its last commit is acknowledged before its end markers are in the logs.
    await time.runFor(1_000);
    return Promise.all(
      Array.from({ length: PARTITIONS }, async (_, partition) =>
        this.#recorded(partition, await storedIn(stores, partition)),
      ),
    );
  }

  /** Entries that are alive at the end, so that stores and changelogs are not empty. */
  #beatOnce(): void {
    for (let key = 0; key < 10; key += 1)
      this.#simulation.log.produce(INPUT, key % PARTITIONS, { key: `k${key}`, ...this.#subject.lasting });
  }

  /** Writes to each partition an entry that lives while the log is swept. */
  #produceWhatLasts(): void {
    for (let partition = 0; partition < PARTITIONS; partition += 1)
      this.#simulation.log.produce(INPUT, partition, { key: `old-${partition}`, ...this.#subject.lasting });
  }

  /** Writes to each partition a record too long for its letter, and a batch that cannot be unpacked. */
  #produceWhatIsTooLong(): void {
    const { log } = this.#simulation;
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      log.produce(INPUT, partition, { key: `k${partition}`, ...this.#subject.tooLong });
      void log.produceUnreadable(INPUT, partition, 2);
      log.produce(INPUT, partition, { key: `k${partition}`, value: 'no event' });
    }
  }

  #produce(random: Random, round: number): void {
    const { log } = this.#simulation;
    const number = random.below(30);
    const [key, partition] = [`k${number}`, number % PARTITIONS];
    const offsets = this.#offsets.get(key) ?? [];
    this.#offsets.set(key, offsets);
    if (random.chance(0.02)) log.produce(INPUT, partition, { key: null, value: 'no key' });
    else
      offsets.push(log.produce(INPUT, partition, { key, ...this.#subject.producers.act(key, random, round, offsets) }));
  }

  #change(name: string): void {
    if (this.#changed === undefined) return;
    this.#next.set(name, this.#changed);
    this.#processes.get(name)!.host.kill();
  }

  async #relaunch(): Promise<void> {
    for (const [name, { host }] of this.#processes) if (!host.alive) await this.#launch(name);
  }

  async #launch(name: string): Promise<void> {
    const { host, ports } = this.#simulation.start(name);
    const random = this.#simulation.random(`entropy of ${name} at ${this.#simulation.trueMs()}`);
    const subject = this.#next.get(name) ?? this.#subject;
    const kind = await subject.open(host);
    const pipelinePorts: PipelinePorts = {
      ...ports,
      input: ports.reader,
      changelog: ports.reader,
      proofs: ports.proof,
      membership: ports.membership('app.visits'),
      kind,
      turns: (callback) => {
        host.after(0, callback);
      },
      entropy: {
        id: () => `${random.below(2 ** 32).toString(16)}${random.below(2 ** 32).toString(16)}`,
        seed: () => random.below(2 ** 32),
      },
      log: { info: nothing, warn: nothing, error: nothing },
    };
    const onFatal = (error: Error): void => {
      throw error;
    };
    const rulesText = this.#changed && settingsText(subject.rules);
    const settings = { ...settingsOf(name, subject.rules), startFrom: this.#startFrom, rulesText };
    const bounds = { ...TASK_BOUNDS, unsweptLogBytes: UNSWEPT_BYTES };
    const instance = new PipelineInstance({ settings, ports: pipelinePorts, onFatal, bounds });
    this.#processes.set(name, { host, instance, stores: ports.stores });
    void instance.start();
  }

  #recorded(partition: number, store: StoredEntry[]): RecordedPartition {
    const { log } = this.#simulation;
    const batches = (topic: string): BatchMark[] => log.batches(topic, partition).map(scannedBatch);
    const records = <R>(topic: string, read: (record: RawRecord) => R): R[] =>
      log.committed(topic, partition).map((record) => read(scannedRecord(record)));
    const logOf = <R>(topic: string, read: (record: RawRecord) => R): RecordedLog<R> => ({
      records: records(topic, read),
      batches: batches(topic),
      hanging: [],
    });
    return {
      kind: this.#subject.rules.kind,
      partition,
      input: logOf(INPUT, (record) => this.#subject.input(record)),
      changelog: logOf(CHANGELOG, plainRecord),
      output: logOf(OUTPUT, (record) => this.#subject.output(record)),
      deadLetters: logOf(DEAD_LETTERS, letterRecord),
      store,
    };
  }
}

const nothing = (): void => undefined;

async function storedIn(stores: StateStores, partition: number): Promise<StoredEntry[]> {
  const { store } = await stores.open(partition);
  return Array.from(rowsIn(store.scan()), ({ key, image }) => ({ key, image }));
}

/** The text of these settings in a changelog, as docs/FORMATS.md has it. */
export function settingsText(rules: JudgedRules): string {
  const entries = Object.entries({ tombstones: true, ...rules }).filter(
    ([name]) => name !== 'calendar' && name !== 'kind',
  );
  return JSON.stringify(Object.fromEntries(entries.map(([name, value]): [string, unknown] => [name, value ?? null])));
}

function settingsOf(
  owner: string,
  { timestampType, maxKeyBytes, unheardMs, maxHoldMs, proof }: JudgedRules,
): PipelineSettings {
  return {
    ...(proof === 'fetch' && { proofByFetch: { clockSkewMs: 500 } }),
    name: 'visits',
    owner,
    group: 'app.visits',
    inputTopic: INPUT,
    inputPartitions: PARTITIONS,
    outputTopic: OUTPUT,
    changelogTopic: CHANGELOG,
    deadLetterTopic: DEAD_LETTERS,
    letterBytesMax: LETTER_BYTES_MAX,
    startFrom: 'earliest',
    transactionalId: (partition) => `app.visits.${partition}`,
    input: {
      timestampType,
      maxKeyBytes,
      maxFutureMs: 3_600_000,
      maxLeadMs: 60_000,
      liveWithinMs: 300_000,
    },
    tickMs: 10,
    commitIntervalMs: 100,
    closeDelayMs: 20,
    proofIntervalMs: 100,
    handoverMs: 10_000,
    drainMs: 1_000,
    changelogFactor: CHANGELOG_FACTOR,
    truncateLagMs: 600_000,
    truncateLagBytes: 1e12,
    heldTime: { unheardMs, maxHoldMs },
  };
}
