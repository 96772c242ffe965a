// One seed, from the start of a cluster to the judgement: a safety phase in which every fault may happen, a liveness phase in
// which none does and everything must finish, and a clean stop.
import type { DurationMs, KindName, Millis, Random } from '@flatline/base';
import { type LogRecord, Simulation } from '@flatline/cluster';
import { KIND_LABS, type SimulatedKind } from '@flatline/lab-kinds';
import { calmLimitMs, LIVENESS_MAX_MS } from './calm-limit.ts';
import { changedScenario, drawSettings } from './changed-scenario.ts';
import { CLOCK_OVERTAKEN, Cluster, type ProcessSettings, type SimulatedProcess } from './cluster.ts';
import { Devices } from './devices.ts';
import { drawKind } from './draw-kind.ts';
import { lastCommit } from './judging/decisions.ts';
import { countSaidByFetch, foldPartition, originOf, undoneIn } from './judging/expectation.ts';
import { isClockByLostRecord } from './judging/lost-evidence.ts';
import { judgePartition } from './judging/judge-partition.ts';
import { brokenInvariants } from './inspection.ts';
import { hasStopped, type Loss, lossOf } from './lost-changelog.ts';
import { Nemesis } from './nemesis/nemesis.ts';
import { CLOCK_HEADER, INPUT, OUTPUT, TARGET } from './pipeline-names.ts';
import { drawAdoption, drawInputs, drawProbes, drawRoom, drawScenario, forSubject, type Scenario } from './scenario.ts';
import { checkGroup, checkStopped } from './stopped-stores.ts';
import { checkDeadlines } from './wheel-check.ts';
import { worldStart } from './world-start.ts';

export interface SeedReport {
  readonly seed: number;
  readonly kind: KindName;
  /** Empty: all is well. */
  readonly violations: readonly string[];
  readonly virtualMs: number;
  /** Events that happened, and how often. */
  readonly fired: ReadonlyMap<string, number>;
  /** Hash of all events in order: the same for the same seed. */
  readonly traceHash: string;
  readonly scenario: Scenario;
  /** The last lines that processes logged. */
  readonly lines: readonly string[];
}

/** Reasons of a partition that has stopped because its input has lost records that were read (R3). */
const LOSS = /acknowledged records were lost or replaced|is not the log that was read/;
const LOOK_MS = 1_000;
const UNEVEN_MS = 13;
const STEP_MAX_MS = 800;
/** Most processes have met and begun within this time. */
const IDLE_MS = 6_000;
/** An owner with nothing to do learns of a loss by the offset of its next commit. */
const ON_TOP_MAX = 1;

/** `kind`: default: as the seed draws it. */
export async function liveWorld(seed: number, kind?: KindName): Promise<SeedReport> {
  const drawn = kind ?? drawKind(new Simulation({ seed }).random('kind'));
  const simulation = new Simulation({ seed, ...worldStart(seed, drawn) });
  const scenario = scenarioOf(simulation, drawn);
  const world = new World(simulation, scenario);
  const violations = await world
    .toTheEnd()
    .catch((error: unknown) => [String(error instanceof Error ? error.stack : error)]);
  return {
    seed,
    kind: scenario.subject.kind,
    violations: violations.length > 0 ? violations : [...world.cluster.failures, ...world.wheels],
    virtualMs: simulation.time.nowMs,
    fired: simulation.faults.fired(),
    traceHash: simulation.trace.hash,
    scenario,
    lines: world.cluster.lines,
  };
}

/** Features common to worlds of all kinds are drawn alike. */
function scenarioOf(simulation: Simulation, kind: KindName): Scenario {
  const drawn = drawScenario(simulation.random('scenario'), drawRoom(simulation.random('room')));
  const adoption = drawAdoption(simulation.random('adoption'));
  const random = simulation.random('rules');
  const subject = KIND_LABS[kind].worlds.draw(random);
  const alone = forSubject(
    { ...drawn, ...adoption, settings: 'unsaid', furtherInputs: [], probeIntervalMs: undefined },
    subject,
    random,
  );
  const scenario = { ...alone, furtherInputs: drawInputs(simulation.random('several inputs'), alone) };
  const probeIntervalMs = drawProbes(simulation.random('probes'), scenario);
  return { ...scenario, probeIntervalMs, settings: drawSettings(simulation.random('settings'), scenario) };
}

/** undefined: settings never change. */
function changedSettings(simulation: Simulation, scenario: Scenario): ProcessSettings | undefined {
  if (scenario.settings !== 'change') return undefined;
  const changed = changedScenario(scenario, simulation.random('changed settings'));
  return { scenario: changed, kind: changed.subject.simulate(simulation, changed) };
}

class World {
  readonly cluster: Cluster;
  /** Faults of wheels (V8). */
  readonly wheels: string[] = [];
  /** Invariants of the core that were broken when one first was. */
  readonly #broken: string[] = [];
  #turns = 0;
  readonly #simulation: Simulation;
  readonly #scenario: Scenario;
  readonly #kind: SimulatedKind;
  readonly #devices: Devices;
  readonly #nemesis: Nemesis;
  readonly #random: Random;

  constructor(simulation: Simulation, scenario: Scenario) {
    this.#simulation = simulation;
    this.#scenario = scenario;
    this.#random = simulation.random('run');
    this.#kind = scenario.subject.simulate(simulation, scenario);
    this.cluster = new Cluster(simulation, { scenario, kind: this.#kind }, changedSettings(simulation, scenario));
    this.#devices = new Devices(simulation, scenario, this.#kind);
    this.#nemesis = new Nemesis(this.cluster, this.#devices);
  }

  async toTheEnd(): Promise<readonly string[]> {
    await this.#storm();
    if (this.#broken.length > 0) return this.#broken;
    const unfinished = await this.#calm();
    if (this.#broken.length > 0) return this.#broken;
    if (unfinished !== undefined)
      return [
        `[X5] not finished within ${unfinished.limitMs} ms of calm: ${unfinished.what}`,
        ...(await this.#judge({ undone: 'the world was not finished' })),
      ];
    const found = await this.#judge({});
    if (found.length > 0) return found;
    this.#countConsequences();
    const areStopped = this.#mayHaveStopped.size > 0 || this.#partitions.some((each) => this.#isBereft(each));
    return areStopped ? this.#leave() : this.#orderlyStop();
  }

  async #storm(): Promise<void> {
    const { time, faults } = this.#simulation;
    const { machines, rates, stormMs, traffic, ferocity } = this.#scenario;
    await this.#devices.early();
    faults.setRates(rates);
    for (const name of machines) this.cluster.launch(name);
    if (this.#scenario.diesIdle) await this.#dieIdle();
    while (time.nowMs < stormMs && this.#broken.length === 0) {
      for (let left = 3; left > 0; left -= 1) if (this.#random.chance(traffic)) this.#devices.act();
      if (this.#random.chance(ferocity)) this.#nemesis.act();
      this.#kind.actors?.act();
      this.#nemesis.restart(0.2);
      await time.runFor(this.#random.below(STEP_MAX_MS));
      this.#inspect();
    }
  }

  /** Q5: that they go all the way, and that they are seen to be stuck. */
  #noteProbes(): void {
    if (this.#scenario.probeIntervalMs === undefined) return;
    const { faults } = this.#simulation;
    const { up } = this.cluster;
    const probes = up.flatMap(({ instance }) => instance.status().flatMap(({ probe }) => probe ?? []));
    if (probes.some(({ durations }) => durations.count > 0)) faults.count('probed');
    for (const { stuck } of probes) if (stuck !== undefined) faults.count(`probeStuck/${stuck.leg}`);
    if (up.some(({ instance }) => instance.silentOwners().length > 0)) faults.count('ownerSilent');
  }

  /** Every other turn, for the time it takes. */
  #inspect(): void {
    this.#turns += 1;
    this.#noteProbes();
    if (this.#turns % 2 === 0 && this.#broken.length === 0) this.#broken.push(...brokenInvariants(this.cluster));
  }

  /** Records from here on are read, whether or not a process has begun. */
  async #dieIdle(): Promise<void> {
    const { time, faults } = this.#simulation;
    await time.runFor(IDLE_MS);
    for (const { host } of this.cluster.up) host.kill();
    faults.count('diedIdle');
  }

  /** The work that is unfinished when time is up; undefined: none. */
  async #calm(): Promise<{ readonly what: string; readonly limitMs: DurationMs } | undefined> {
    const { time } = this.#simulation;
    this.#nemesis.heal();
    this.#kind.actors?.rest();
    const startMs = time.nowMs;
    let losses = this.#nemesis.changelogLosses;
    for (;;) {
      this.#nemesis.restart(1);
      this.#nemesis.heal();
      this.#devices.greetOnce();
      // A fault planned in the storm may come now.
      if (this.#nemesis.changelogLosses > losses) this.#devices.greet(this.#nemesis.lostChangelogs);
      losses = this.#nemesis.changelogLosses;
      await time.runFor(this.#lookMs);
      this.#inspect();
      if (this.#broken.length > 0) return undefined;
      const unfinished = this.#unfinished();
      if (unfinished !== undefined && this.#mayStillTake(time.nowMs - startMs)) continue;
      // A repetition would come soon.
      await time.runFor(this.#lookMs);
      // A partition that had stopped may run again by now, under an owner that has just taken it over.
      const what = unfinished === undefined && this.#mayHaveStopped.size === 0 ? undefined : this.#unfinished();
      if (unfinished === undefined && what !== undefined && this.#mayStillTake(time.nowMs - startMs)) continue;
      return what === undefined ? undefined : { what, limitMs: this.#calmLimitMs };
    }
  }

  /** Probes come at even distances: looks at even ones would find one under way each time. */
  get #lookMs(): DurationMs {
    return this.#scenario.probeIntervalMs === undefined ? LOOK_MS : LOOK_MS + UNEVEN_MS;
  }

  /** Folds the input only of a world that takes long. */
  #mayStillTake(calmMs: DurationMs): boolean {
    return calmMs < LIVENESS_MAX_MS || calmMs < this.#calmLimitMs;
  }

  get #calmLimitMs(): DurationMs {
    const { maxDuePerSecond } = this.#scenario.subject;
    if (maxDuePerSecond === undefined) return LIVENESS_MAX_MS;
    const dues = this.#partitions.map((partition) => foldPartition(this.cluster, partition).dues);
    return calmLimitMs(maxDuePerSecond, dues);
  }

  #unfinished(): string | undefined {
    // A process that left in the storm may end in the calm, and leave no owner behind.
    const [down] = this.cluster.down;
    if (down !== undefined) return `${down} is down`;
    // An answer to its joining may be lost: until it joins again it takes what others have by then for its own.
    const members = this.cluster.group.members().map(({ instance }) => instance);
    const outsider = this.cluster.up.find(({ name }) => !members.includes(name));
    if (outsider !== undefined) return `${outsider.name} is not in the group`;
    const stopped = this.#mayHaveStopped;
    const unready = this.cluster.up.find((process) => {
      if (process.leaving !== undefined) return true;
      return stopped.size === 0 ? !this.#isReady(process) : process.instance.interruption !== undefined;
    });
    if (unready !== undefined) {
      const tasks = unready.instance
        .status()
        .map(({ partition, state, detail }) => `${partition} ${state} ${detail ?? ''}`);
      return `${unready.name} is not ready: ${unready.instance.interruption ?? ''} ${tasks.join('; ')}`;
    }
    for (const partition of this.#partitions) {
      const input = this.#simulation.log.partition(INPUT, partition);
      const { lastStableOffset } = input.ends();
      // X3 is judged of a stopped partition, too.
      if (lastStableOffset < input.logEnd) return `partition ${partition}: the input is not replicated yet`;
      if (this.#isBereft(partition)) continue;
      if (stopped.has(partition)) {
        const hasEnded = hasStopped(this.cluster, partition);
        if (hasEnded === true) continue;
        if (hasEnded === undefined || stopped.get(partition)!.what === 'commits')
          return `partition ${partition} has lost ${stopped.get(partition)!.what} of its changelog, and no process says so`;
      }
      // Asked first, since it needs no fold of the input.
      const committed = this.#committedOf(partition) ?? 0;
      const behind = this.#behindIn(partition);
      if (behind !== undefined) return `partition ${partition}: ${behind}`;
      // R3: an owner that comes after the cut has yet to find it.
      if (committed > input.logEnd)
        return `partition ${partition}: its input ends at ${input.logEnd}, below its commit`;
      const open = this.#isOvertaken ? this.#livingOn(partition) : undoneIn(this.cluster, partition);
      if (open !== undefined) return `partition ${partition}: ${open}`;
    }
    return undefined;
  }

  /** F26: partitions whose changelog has lost acknowledged blocks, and which. */
  get #mayHaveStopped(): ReadonlyMap<number, Loss> {
    const { lostChangelogs } = this.#nemesis;
    return new Map([...lostChangelogs].map((partition) => [partition, lossOf(this.#simulation, partition)]));
  }

  /** True also for one that had stopped when all was calm, and whose next owner has not noticed yet. */
  #hasStopped(partition: number): boolean {
    const hasEnded = hasStopped(this.cluster, partition);
    return hasEnded ?? lossOf(this.#simulation, partition).what === 'commits';
  }

  get #partitions(): readonly number[] {
    return Array.from({ length: this.#scenario.partitions }, (_, partition) => partition);
  }

  /** True if all its tasks run, except those that must have stopped. */
  #isReady({ instance }: SimulatedProcess): boolean {
    if (instance.isReady) return true;
    const statuses = instance.status();
    const stopped = statuses.filter(({ partition }) => this.#isBereft(partition));
    const running = statuses.filter(({ state }) => state === 'running');
    return (
      instance.interruption === undefined && stopped.length > 0 && stopped.length + running.length === statuses.length
    );
  }

  /** R3: its input has lost records that were read, and its owner says so. */
  #isBereft(partition: number): boolean {
    if (!this.#nemesis.bereft.has(partition)) return false;
    const tasks = this.cluster.up.flatMap(({ instance }) =>
      instance.status().filter((status) => status.partition === partition),
    );
    return tasks.some(({ state, detail }) => state === 'stopped' && LOSS.test(detail ?? ''));
  }

  /** For a partition where no fold can tell what must close: why its task is not empty yet; undefined: it is. */
  #livingOn(partition: number): string | undefined {
    const statuses = this.cluster.up.flatMap(({ instance }) => instance.status());
    const live = statuses.find((status) => status.partition === partition && status.state === 'running')?.liveEntries;
    return live === 0 ? undefined : `${String(live)} live on`;
  }

  /** True if the processor itself says that proof by fetch was wrong (C3): the closes then are no function of the log. */
  get #isOvertaken(): boolean {
    return !this.#scenario.hidesNothing && this.#simulation.faults.fired().has(CLOCK_OVERTAKEN);
  }

  /** `undone`: why work may be left. `last`: the last process to leave cleanly. */
  async #judge({ undone, last }: { readonly undone?: string; readonly last?: string }): Promise<string[]> {
    const violations = [...this.cluster.failures];
    if (this.#scenario.hidesNothing && this.cluster.overtaken.some((each) => !this.#isRecordsStamp(each)))
      violations.push('[C3] the clock was overtaken, though all that it presumes was so');
    for (const partition of this.#partitions) {
      const before = this.#nemesis.bereft.get(partition);
      const inputRead = this.#isBereft(partition) ? before : undefined;
      const isByLost = inputRead === undefined && isClockByLostRecord(this.#simulation, partition, before);
      const isChangelogLost = this.#nemesis.lostChangelogs.has(partition) && this.#hasStopped(partition);
      const stopped = inputRead !== undefined || isChangelogLost ? 'the partition has stopped' : undefined;
      const disk = last === undefined ? undefined : this.#simulation.disk(last);
      const fate = {
        isOvertaken: this.#isOvertaken,
        isClockByLostRecord: isByLost,
        isChangelogLost,
        inputRead,
        undone: undone ?? stopped,
        disk,
      };
      const beginning = this.cluster.beginnings?.fault(partition, originOf(this.#simulation, partition));
      if (beginning !== undefined) violations.push(`partition ${partition}: ${beginning}`);
      violations.push(...(await judgePartition(this.cluster, partition, fate)));
      if (last === undefined) continue;
      violations.push(...checkStopped(this.#simulation, last, partition));
      violations.push(...checkGroup(this.#simulation, this.#inputs, partition));
    }
    for (const [partition, { onTop }] of this.#mayHaveStopped)
      if (onTop > ON_TOP_MAX)
        violations.push(`[R3] partition ${partition}: ${onTop} commits on top of one that is lost`);
    return [...violations, ...(this.#kind.actors?.faults() ?? []), ...this.#checkAcknowledged()];
  }

  /**
   * True if the evidence is merely a record's stamp. What moved a restored clock is not recorded, and counts as evidence if the last
   * record is stamped before it, although leaders' clocks differ and another record may have that stamp. It closed nothing then.
   */
  #isRecordsStamp({ partition, evidence }: { readonly partition: number; readonly evidence: Millis }): boolean {
    return this.#simulation.log.committed(INPUT, partition).some(({ timestamp }) => timestamp === evidence);
  }

  #countConsequences(): void {
    const { faults, log } = this.#simulation;
    const { kind } = this.#scenario.subject;
    for (const partition of this.#partitions) {
      if (this.#isBereft(partition)) faults.count('stoppedForLoss');
      if (this.#scenario.furtherInputs.length > 0) faults.count('severalInputs');
      const origin = originOf(this.#simulation, partition) ?? 0;
      if (origin > 0) faults.count('beganBehindTheLogStart');
      if (origin === 0 && this.#scenario.startFrom === 'latest') faults.count('beganAtTheEndOfNothing');
      if (countSaidByFetch(this.cluster, partition) > 0) faults.count(`${kind}/byFetch`);
      for (const record of log.committed(OUTPUT, partition))
        faults.count(`${kind}/${this.#kind.word(record)?.what ?? 'tombstone'}`);
      for (let left = log.committed(TARGET, partition).length; left > 0; left -= 1)
        faults.count(`${kind}/runForTarget`);
    }
    for (const [partition, { what }] of this.#mayHaveStopped)
      faults.count(`changelogLost/${what}/${hasStopped(this.cluster, partition) === true ? 'stopped' : 'goesOn'}`);
  }

  /** X3: all acknowledged records are in the log. */
  #checkAcknowledged(): string[] {
    const kept = Array.from(
      { length: this.#scenario.partitions },
      (_, partition) => new Set(this.#simulation.log.committed(INPUT, partition).map(({ offset }) => offset)),
    );
    return this.#devices.acknowledged
      .filter(({ partition, offset, count }) => {
        for (let at = offset; at < offset + count; at += 1) if (!kept[partition]!.has(at)) return true;
        return false;
      })
      .map(({ partition, offset }) => `[X3] partition ${partition} offset ${offset} was acknowledged and is lost`);
  }

  /** X5: a process with a stopped partition leaves like any other. */
  async #leave(): Promise<readonly string[]> {
    for (const process of this.cluster.up) await this.#simulation.time.complete(this.cluster.leave(process), 120_000);
    return this.cluster.failures;
  }

  /** V8: new sessions, then one process after another leaves; the last one's disk must have the state. */
  async #orderlyStop(): Promise<string[]> {
    const { time } = this.#simulation;
    for (let count = 0; count < 10; count += 1) this.#devices.act();
    await time.runFor(LOOK_MS);
    const processes = this.cluster.up;
    const troublesBefore = this.#troubles();
    this.#lookAtWheels('wheelsChecked');
    for (const process of processes) {
      await time.complete(this.cluster.leave(process), 120_000);
      await time.runUntil(() => this.#isTakenOver(), 60_000);
      this.#lookAtWheels('wheelsCheckedAfterTakeover');
    }
    const last = processes.at(-1)!;
    await time.runFor(LOOK_MS);
    // A process that leaves does not wait for the outcome of a commit that fails just then, nor mends a store it has given up.
    const isOrderly = this.#troubles() === troublesBefore && !this.cluster.gaveStoreUp.has(last.name);
    const undone = 'what comes due while processes leave is closed by none of them';
    return [...this.wheels, ...(await this.#judge({ undone, ...(isOrderly && { last: last.name }) }))];
  }

  /** While anything lives, between two acts. Counted, so that a campaign in which nothing ever did is invalid. */
  #lookAtWheels(what: string): void {
    if (this.#isOvertaken) return;
    const { entries, violations } = checkDeadlines(this.cluster);
    this.wheels.push(...violations);
    if (entries > 0) this.#simulation.faults.count(what);
  }

  #troubles(): number {
    return this.#simulation.faults.fired().get('commitOutcomeUnknown') ?? 0;
  }

  /**
   * True if every partition runs somewhere, or no process is left to run it. A task that was fenced while it handed over, and has its
   * partition again, counts as running until it commits: its last commit is not the group's.
   */
  #isTakenOver(): boolean {
    const { up } = this.cluster;
    const running = up.flatMap(({ instance }) => instance.status().filter(({ state }) => state === 'running'));
    const owned = running.filter(
      ({ partition, committedPosition }) => committedPosition === this.#committedOf(partition),
    );
    return up.length === 0 || new Set(owned.map(({ partition }) => partition)).size === this.#scenario.partitions;
  }

  /** By the changelog: the group's offset may follow an interval later (R3), and probes leave it no rest to do so. */
  #committedOf(partition: number, input = 0): number | undefined {
    return lastCommit(this.#simulation, partition)?.positions[input];
  }

  get #inputs(): readonly string[] {
    return [INPUT, ...this.#scenario.furtherInputs.map(({ topic }) => topic)];
  }

  /** Input that no commit covers. Of several, clock records may wait for each other at the end. */
  #behindIn(partition: number): string | undefined {
    const { log } = this.#simulation;
    const topics = this.#inputs;
    for (const [input, topic] of topics.entries()) {
      const { lastStableOffset } = log.partition(topic, partition).ends();
      const committed = this.#committedOf(partition, input) ?? 0;
      if (committed >= lastStableOffset) continue;
      const isAllThere = lastStableOffset === log.partition(topic, partition).logEnd;
      const left = log.committed(topic, partition).filter((record) => record.offset >= committed && !isClock(record));
      if (topics.length === 1 || left.length > 0 || !isAllThere)
        return `${topic} at ${committed} of ${lastStableOffset}`;
    }
    return undefined;
  }
}

function isClock({ key, headers }: LogRecord): boolean {
  return key === null && headers.some(({ name }) => name === CLOCK_HEADER);
}
