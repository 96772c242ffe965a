// One seed of look-ups: keys come and go, processes are killed, frozen, started and leave, and every process is asked for every key,
// over and over; each answer is judged by the log.
import { type KindName, partitionOf, type Random, seededRandom } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import { INPUT } from '../pipeline-names.ts';
import type { SeedResult } from '../tally.ts';
import {
  LONG_EVENT,
  LookUpCluster,
  type LookUpProcess,
  type LookUpScenario,
  type Saying,
  TIMEOUT_MS,
} from './look-up-cluster.ts';
import { type JudgedAnswer, judgeAnswers, judgeOwnersWords, type OwnersWord } from './look-up-judge.ts';

const KIND: KindName = 'session';
const KEYS = Array.from({ length: 14 }, (_, i) => `k${i}`);
/** One that never comes. */
const STRANGER = 'stranger';
const DEEDS = 220;
const KEYS_ASKED_MAX = 8;
const STEP_MAX_MS = 300;
/** How often between two slices. */
const ASKED_BETWEEN_SLICES = 0.05;
const FAULTS_SHOWN = 5;
const utf8 = new TextEncoder();

export async function liveLookUpWorld(seed: number): Promise<SeedResult> {
  const world = new LookUpWorld(seed);
  const violations = await world
    .toTheEnd()
    .catch((error: unknown) => [String(error instanceof Error ? error.stack : error)]);
  const { simulation, lines } = world.cluster;
  return {
    seed,
    kind: KIND,
    violations,
    virtualMs: simulation.time.nowMs,
    fired: [...simulation.faults.fired()],
    lines: violations.length > 0 ? lines.slice(-60) : [],
  };
}

class LookUpWorld {
  readonly cluster: LookUpCluster;
  readonly #random: Random;
  readonly #betweenSlices: Random;
  readonly #isMadeAgain: boolean;
  /** By partition count: the input as processes of that count know it. */
  readonly #judged = new Map<number, JudgedAnswer[]>();
  /** The same of what processes said as owners. */
  readonly #words = new Map<number, OwnersWord[]>();
  readonly #former = new Map<number, readonly LogRecord[]>();
  #madeAgainAt: number | undefined;
  readonly #faults: string[] = [];

  constructor(seed: number) {
    const cluster = new LookUpCluster(seed, drawScenario(seed), {
      onSaid: (said) => {
        this.#checkSaid(said);
      },
      onTurn: (name) => {
        const process = this.cluster.processes.get(name);
        if (process?.host.alive === true && this.#betweenSlices.chance(ASKED_BETWEEN_SLICES)) this.#ask(process);
      },
    });
    this.cluster = cluster;
    this.#random = cluster.simulation.random('look-ups');
    this.#betweenSlices = cluster.simulation.random('between slices');
    this.#isMadeAgain = this.#random.chance(0.2);
  }

  async toTheEnd(): Promise<readonly string[]> {
    const { cluster } = this;
    const { time, faults } = cluster.simulation;
    for (const name of ['a', 'b']) cluster.launch(name);
    await time.runFor(5_000);
    for (let deed = 0; deed < DEEDS; deed += 1) {
      if (this.#isMadeAgain && deed === Math.floor(0.7 * DEEDS)) this.#makeAgain();
      this.#produce();
      for (const process of cluster.up) this.#ask(process);
      this.#disturb();
      await time.runFor(this.#random.below(STEP_MAX_MS));
    }
    for (const { host } of cluster.up) host.resume();
    await time.runFor(20_000);
    for (const [partitions, answers] of this.#judged) {
      const recordsOf = (partition: number): readonly LogRecord[] => this.#recordsOf(partitions, partition);
      this.#faults.push(...judgeAnswers(answers, recordsOf, TIMEOUT_MS));
      this.#faults.push(...judgeOwnersWords(this.#words.get(partitions) ?? [], recordsOf, TIMEOUT_MS));
      for (const { answer } of answers) {
        faults.count('answers');
        faults.count(`answer/${answer.state}/${answer.from ?? 'none'}`);
      }
    }
    if (!this.#isMadeAgain) this.#faults.push(...cluster.failures);
    return this.#faults.slice(0, FAULTS_SHOWN);
  }

  #produce(): void {
    const { log } = this.cluster.simulation;
    for (let left = 1 + this.#random.below(3); left > 0; left -= 1) {
      const key = KEYS[this.#random.below(KEYS.length)]!;
      const value = this.#random.chance(0.1) ? null : this.#random.chance(0.3) ? LONG_EVENT : '';
      log.produce(INPUT, partitionOf(utf8.encode(key), this.cluster.inputPartitions), { key, value });
    }
  }

  /** A process that stands still cannot be asked, and is as soon as it goes on. */
  #ask(process: LookUpProcess): void {
    const { simulation } = this.cluster;
    const { inputPartitions } = process;
    const count = 1 + this.#random.below(KEYS_ASKED_MAX);
    const keys = Array.from({ length: count }, () => KEYS[this.#random.below(KEYS.length)]!);
    if (this.#random.chance(0.2)) keys.push(STRANGER);
    const isNow = this.#random.chance(0.3);
    process.host.run(() => {
      const isOfNow = inputPartitions === this.cluster.inputPartitions;
      const ends = keys.map((key) => {
        const partition = partitionOf(utf8.encode(key), inputPartitions);
        return isNow && isOfNow ? simulation.log.partition(INPUT, partition).ends().highWatermark : 0;
      });
      const bytes = keys.map((key) => utf8.encode(key));
      void this.cluster.ask(process, bytes, isNow).then((answers) => {
        for (const [i, answer] of answers.entries()) {
          const partition = partitionOf(bytes[i]!, inputPartitions);
          const all = this.#judged.get(inputPartitions) ?? [];
          this.#judged.set(inputPartitions, all);
          const knownUntil = inputPartitions === this.cluster.inputPartitions ? undefined : this.#madeAgainAt;
          all.push({ key: keys[i]!, partition, answer, acknowledged: ends[i]!, knownUntil });
        }
      });
    });
  }

  /** Asks a process by itself: it speaks as an owner only where a task of it has run. */
  #checkSaid({ process: { name, ran, inputPartitions }, keys, answers: { answers } }: Saying): void {
    for (const [i, answer] of answers.entries()) {
      if (answer.kind !== 'found' || answer.from !== 'owner') continue;
      const { partition, entries, asOf } = answer;
      if (!ran.has(partition))
        this.#faults.push(`[Q1] ${name} answers as the owner of ${partition}, which it never was`);
      const count = Number(entries[0]?.['eventCount'] ?? 0);
      const committed = this.cluster.committedPosition(partition, name);
      const all = this.#words.get(inputPartitions) ?? [];
      this.#words.set(inputPartitions, all);
      all.push({ by: name, key: Buffer.from(keys[i]!).toString(), partition, count, asOf, committed });
    }
  }

  #disturb(): void {
    const { cluster } = this;
    const random = this.#random;
    const { faults, log } = cluster.simulation;
    for (const { name, host } of cluster.processes.values())
      if (!host.alive && random.chance(0.1)) cluster.launch(name);
    if (!random.chance(0.06)) return;
    const process = cluster.up[random.below(Math.max(1, cluster.up.length))];
    const act = random.below(6);
    if (act === 0) process?.host.kill();
    else if (act === 1) this.#freeze(process);
    else if (act === 2 && process?.isLeaving === false && !process.host.paused) cluster.leave(process);
    else if (act === 3 && !cluster.processes.has('c')) cluster.launch('c');
    else if (act === 4) log.partition(INPUT, random.below(cluster.inputPartitions)).changeLeader({});
    else if (act === 5 && process !== undefined) {
      process.host.kill();
      cluster.simulation.disk(process.name).wipe();
    }
    faults.count(`lookUpAct/${act}`);
  }

  /** Often for longer than the group waits: its partitions have other owners when it wakes. */
  #freeze(process: LookUpProcess | undefined): void {
    if (process === undefined || process.host.paused) return;
    process.host.pause();
    this.cluster.simulation.time.after(this.#random.chance(0.4) ? 2_000 : 16_000, () => {
      process.host.resume();
    });
  }

  /** The input is deleted and made again with more partitions: keys lie elsewhere, and no process may tell of where they lay. */
  #makeAgain(): void {
    const { cluster } = this;
    const { log, faults } = cluster.simulation;
    const { inputPartitions } = cluster;
    for (let partition = 0; partition < inputPartitions; partition += 1)
      this.#former.set(partition, cluster.committed(partition));
    this.#madeAgainAt = cluster.simulation.trueMs();
    log.deleteTopic(INPUT);
    cluster.inputPartitions = inputPartitions + 2;
    log.createTopic(INPUT, { partitions: cluster.inputPartitions });
    faults.count('inputMadeAgain');
  }

  #recordsOf(partitions: number, partition: number): readonly LogRecord[] {
    const { cluster } = this;
    return partitions === cluster.inputPartitions ? cluster.committed(partition) : this.#former.get(partition)!;
  }
}

function drawScenario(seed: number): LookUpScenario {
  const random = seededRandom(seed);
  return {
    partitions: 2 + random.below(3),
    standbys: random.below(2),
    isRough: random.chance(0.5),
    commitIntervalMs: [20, 100, 500, 2_000][random.below(4)]!,
    hasSmallSlices: random.chance(0.6),
    maxDuePerSecond: random.chance(0.2) ? 4 : undefined,
  };
}
