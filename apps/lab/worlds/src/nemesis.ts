// What is done to the cluster while the storm lasts, and how everything is mended afterwards.
//
// Owns: what is broken at present and when it mends by itself, copies taken of local stores, what the log has lost for good.
// Does not own: chances per request (FaultPlan), what devices send.
import type { Random } from '@flatline/base';
import { calm, type Cut, type LogBatch, type SimulatedDisk, type Simulation } from '@flatline/cluster';
import type { Cluster, SimulatedProcess } from './cluster.ts';
import type { Devices } from './devices.ts';
import { CHANGELOG, INPUT, OUTPUT } from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';

type StoreCopy = { readonly partition: number; readonly file: ReturnType<SimulatedDisk['copy']> };

/** A machine that joins in the middle of the storm. */
const LATECOMER = 'z';
const HOUR_MS = 3_600_000;
const COPIES_MAX = 8;
const ANSWER_LOST = 'EndTxn/answerLost';
/** About three commits. */
const LOST_BATCHES_MAX = 6;
/** How far off a leader's clock is at most: where C3 may presume that they agree, and elsewhere. */
const AGREEING_MS = 200;
const DISAGREEING_MS = 10_000;
/** A leader that goes on answering is deposed within this before the calm. */
const STALE_BEFORE_MS = 4_000;
const OPEN_BEFORE_MS = 1_000;
/** Records that an unclean election takes away. */
const LOST_MAX = 8;

/** How often each is drawn against the others. A run must have seen them all (reach.ts). */
export const ACTS = {
  kill: 2,
  killAll: 1,
  pause: 2,
  pauseRestoring: 2,
  leave: 1,
  join: 1,
  reboot: 1,
  diskReplaced: 1,
  storeCopied: 2,
  storeStale: 1,
  storeForeign: 1,
  storeDamaged: 1,
  storeRots: 1,
  leaderChange: 2,
  changelogLost: 2,
  changelogLostUnknown: 1,
  claimLost: 1,
  followersStall: 1,
  brokersSlow: 1,
  cutOff: 1,
  outage: 1,
  diskFull: 1,
  deviceFails: 2,
  clockStep: 1,
  clockFreeze: 1,
  clockDrift: 1,
  upstreamBegins: 1,
  upstreamEnds: 1,
  lull: 1,
} as const;

type Act = keyof typeof ACTS;
const DRAWN: readonly Act[] = (Object.keys(ACTS) as Act[]).flatMap((act) =>
  Array.from({ length: ACTS[act] }, () => act),
);

export class Nemesis implements Record<Act, () => boolean> {
  /** Partitions whose changelog has lost something that may have been acknowledged. */
  readonly lostChangelogs = new Set<number>();
  readonly #cluster: Cluster;
  readonly #devices: Devices;
  readonly #simulation: Simulation;
  readonly #scenario: Scenario;
  readonly #random: Random;
  readonly #copies: StoreCopy[] = [];
  /** Partitions of the input that have lost what may have been read of them. */
  readonly bereft = new Set<number>();

  constructor(cluster: Cluster, devices: Devices) {
    this.#cluster = cluster;
    this.#devices = devices;
    this.#simulation = cluster.simulation;
    this.#scenario = cluster.scenario;
    this.#random = cluster.simulation.random('nemesis');
    this.#arrange();
  }

  /** Does one thing out of all, if it can be done now. Counts it as `nemesis/<name>`. */
  act(): void {
    const act = DRAWN[this.#random.below(DRAWN.length)]!;
    if (!this[act]()) return;
    this.#simulation.faults.count(`nemesis/${act}`);
    this.#simulation.trace.note(`nemesis ${act}`);
  }

  /** Starts again what is down; in the storm with a chance, so that nobody may be there for a while. */
  restart(chance: number): void {
    for (const name of this.#cluster.down) if (this.#random.chance(chance)) this.#launch(name);
  }

  /** Everything works from now on; what was lost stays lost. */
  heal(): void {
    const { faults, network } = this.#simulation;
    faults.setRates(calm);
    faults.slowProduces(undefined);
    if (network.outage) network.setOutage(false);
    for (const { host } of this.#cluster.up) {
      host.cutOff('none');
      host.machine.thaw();
      host.machine.step(this.#simulation.trueMs() - host.wallMs());
      host.resume();
    }
    for (const name of this.#cluster.processes.keys()) {
      const disk = this.#simulation.disk(name);
      disk.full = false;
      disk.failing = false;
    }
    this.#endStaleLeaders();
    while (this.#devices.openTransactions > 0) this.#devices.endTransaction();
  }

  kill(): boolean {
    const process = this.#someone();
    process?.host.kill();
    return process !== undefined;
  }

  killAll(): boolean {
    for (const { host } of this.#cluster.up) host.kill();
    return true;
  }

  /** Shorter or longer than the group's session timeout; the longer make zombies. */
  pause(): boolean {
    const process = this.#someone();
    if (process === undefined || process.host.paused) return false;
    process.host.pause(this.#random.chance(0.3));
    this.#later(this.#random.chance(0.5) ? 3_000 : 25_000, () => {
      process.host.resume();
    });
    return true;
  }

  /** A process that is just restoring a task: others take over, commit and truncate before it goes on. */
  pauseRestoring(): boolean {
    const process = this.#cluster.up.find(
      ({ host, instance }) => !host.paused && instance.status().some(({ state }) => state === 'restoring'),
    );
    process?.host.pause();
    this.#later(30_000, () => {
      process?.host.resume();
    });
    return process !== undefined;
  }

  leave(): boolean {
    const process = this.#someone();
    if (process === undefined || process.leaving !== undefined) return false;
    void this.#cluster.leave(process);
    return true;
  }

  join(): boolean {
    if (this.#cluster.processes.has(LATECOMER)) return false;
    this.#launch(LATECOMER);
    return true;
  }

  /** Power failure: what was not closed cleanly may lack pages. */
  reboot(): boolean {
    const process = this.#someone();
    if (process === undefined) return false;
    process.host.kill();
    this.#simulation.disk(process.name).reboot();
    return true;
  }

  diskReplaced(): boolean {
    const name = this.#machineBroughtDown();
    if (name !== undefined) this.#simulation.disk(name).wipe();
    return name !== undefined;
  }

  /** A backup is taken of a store. */
  storeCopied(): boolean {
    const names = [...this.#cluster.processes.keys()];
    const disk = this.#simulation.disk(names[this.#random.below(names.length)]!);
    const partitions = disk.partitions().filter((each) => disk.file(each)?.checkpoint !== undefined);
    const partition = partitions[this.#random.below(Math.max(1, partitions.length))];
    if (partition === undefined) return false;
    this.#copies.push({ partition, file: disk.copy(partition) });
    if (this.#copies.length > COPIES_MAX) this.#copies.splice(this.#random.below(COPIES_MAX), 1);
    return true;
  }

  storeStale(): boolean {
    const copy = this.#copies[this.#random.below(Math.max(1, this.#copies.length))];
    const name = copy && this.#machineBroughtDown();
    if (name === undefined) return false;
    this.#simulation.disk(name).restore(copy!.partition, copy!.file);
    return true;
  }

  /** Another partition's store lies where this one's should; it claims no more of the log than there is (else R3). */
  storeForeign(): boolean {
    const copy = this.#copies[this.#random.below(Math.max(1, this.#copies.length))];
    if (copy === undefined || this.#scenario.partitions === 1) return false;
    const partition = (copy.partition + 1) % this.#scenario.partitions;
    const end = this.#simulation.log.partition(CHANGELOG, partition).ends().lastStableOffset;
    if (copy.file.checkpoint!.changelogPosition > end) return false;
    // With nobody there to go on, its end may be the log's.
    if (this.#random.chance(0.5)) this.killAll();
    const name = this.#machineBroughtDown();
    if (name !== undefined) this.#simulation.disk(name).restore(partition, copy.file);
    return name !== undefined;
  }

  storeDamaged(): boolean {
    const found = this.#someStoreDown();
    const kinds = ['format', 'checksum', 'unreadable'] as const;
    found?.disk.damage(found.partition, kinds[this.#random.below(kinds.length)]!);
    return found !== undefined;
  }

  storeRots(): boolean {
    const found = this.#someStoreDown();
    const count = found === undefined ? 0 : (found.disk.file(found.partition)?.entries.size ?? 0);
    if (found === undefined || count === 0) return false;
    const how = this.#random.chance(0.5) ? 'entryLost' : 'imageChanged';
    found.disk.rotSilently(found.partition, how, this.#random.below(count));
    return true;
  }

  /** F12: for a while nothing can be written there, nor a new store made. */
  diskFull(): boolean {
    const process = this.#someone();
    const disk = process && this.#simulation.disk(process.name);
    if (disk === undefined || disk.full) return false;
    disk.full = true;
    this.#later(25_000, () => {
      disk.full = false;
    });
    return true;
  }

  /** F25: for a while what holds the stores fails at every other call; often just as they are closed. */
  deviceFails(): boolean {
    const process = this.#someone();
    const disk = process && this.#simulation.disk(process.name);
    if (disk === undefined || disk.failing) return false;
    disk.failing = true;
    if (this.#random.chance(0.5)) void this.#cluster.leave(process!);
    this.#later(15_000, () => {
      disk.failing = false;
    });
    return true;
  }

  /** The new leader's clock is up to ten seconds off; the old one may still answer for a while. */
  leaderChange(): boolean {
    const { hidesNothing } = this.#scenario;
    const deposedForMs = this.#random.chance(0.3) && !hidesNothing ? this.#random.below(5_000) : 0;
    const mostMs = hidesNothing ? AGREEING_MS : DISAGREEING_MS;
    const skewMs = this.#random.chance(0.5) ? this.#random.below(2 * mostMs + 1) - mostMs : 0;
    if (Math.abs(skewMs) > 1_000) this.#simulation.faults.count('brokerClocksDiffer');
    this.#somePartition().changeLeader({ skewMs, deposedForMs });
    return true;
  }

  /** F26: an unclean election of a changelog takes what is newest, acknowledged or not. */
  changelogLost(): boolean {
    if (!this.#scenario.losesChangelog) return false;
    const partition = this.#random.below(this.#scenario.partitions);
    const { batches } = this.#simulation.log.partition(CHANGELOG, partition);
    const losesFrom = batches.at(-1 - this.#random.below(LOST_BATCHES_MAX))?.baseOffset;
    if (losesFrom === undefined) return false;
    return this.#loseChangelog(partition, losesFrom);
  }

  /** The same of a commit that has just taken place, and whose owner has no answer. */
  changelogLostUnknown(): boolean {
    if (!this.#scenario.losesChangelog) return false;
    const { faults, log, time } = this.#simulation;
    const lostBefore = faults.fired().get(ANSWER_LOST) ?? 0;
    const untilMs = time.nowMs + 5_000;
    faults.inject({ at: 'EndTxn', fault: 'answerLost' });
    let ended = Infinity;
    const look = (): void => {
      if ((faults.fired().get(ANSWER_LOST) ?? 0) > lostBefore) ended = Math.min(ended, log.endedTransactions.length);
      const blocks = log.endedTransactions
        .slice(ended)
        .flatMap(({ offsets, writes }) => (offsets.length > 0 ? writes : []))
        .find(({ topic }) => topic === CHANGELOG);
      const first = blocks?.batches[0];
      if (first !== undefined) this.#loseChangelog(blocks!.partition, first.baseOffset);
      else if (time.nowMs < untilMs) time.after(0.05, look);
    };
    look();
    return true;
  }

  /** The same of the next claim, most likely one that its owner has not read back. */
  claimLost(): boolean {
    if (!this.#scenario.losesChangelog || !this.kill()) return false;
    const { log, time } = this.#simulation;
    const since = log.endedTransactions.length;
    const untilMs = time.nowMs + 30_000;
    const look = (): void => {
      const claim = log.endedTransactions
        .slice(since)
        .find(({ marker, offsets, writes }) => marker === 'commit' && offsets.length === 0 && writes[0]?.batches[0]);
      if (claim === undefined && time.nowMs < untilMs) time.after(0.05, look);
      else if (claim !== undefined)
        time.after(this.#random.next() * 3, () => {
          this.#hide(claim.writes[0]!);
        });
    };
    look();
    return true;
  }

  /** Nobody hears of it before it is gone. */
  #hide({ partition, batches }: { readonly partition: number; readonly batches: readonly LogBatch[] }): void {
    const hosts = this.#cluster.up.map(({ host }) => host).filter(({ cut }) => cut === 'none');
    for (const host of hosts) host.cutOff('fromBroker');
    this.#simulation.time.after(20, () => {
      this.#loseChangelog(partition, batches[0]!.baseOffset);
      for (const host of hosts) host.cutOff('none');
    });
  }

  #loseChangelog(partition: number, losesFrom: number): boolean {
    const log = this.#simulation.log.partition(CHANGELOG, partition);
    if (losesFrom < log.ends().logStartOffset || losesFrom >= log.logEnd) return false;
    log.changeLeader({ losesFrom });
    this.lostChangelogs.add(partition);
    return true;
  }

  /** What happens once, in worlds that are for it. */
  #arrange(): void {
    const { staleLeaders, uncleanElections, stormMs } = this.#scenario;
    const { time } = this.#simulation;
    if (uncleanElections)
      time.after(this.#random.below(stormMs), () => {
        this.#uncleanElection();
      });
    if (!staleLeaders) return;
    const deposedAtMs = stormMs - 1 - this.#random.below(STALE_BEFORE_MS);
    // In the log that the old leader shows for ever, a transaction may be open for ever, too.
    if (this.#random.chance(0.5)) time.after(deposedAtMs - OPEN_BEFORE_MS, () => this.upstreamBegins());
    time.after(deposedAtMs, () => {
      this.#staleLeader();
    });
  }

  /** Readers that were attached to the old leader lose it, some at once. */
  #uncleanElection(): void {
    const { log, faults } = this.#simulation;
    const partition = this.#random.below(this.#scenario.partitions);
    const input = log.partition(INPUT, partition);
    const { highWatermark } = input.ends();
    if (highWatermark === 0) return;
    if (this.#random.chance(0.5)) faults.inject({ at: 'Subscription', fault: 'fails' });
    input.changeLeader({ losesFrom: Math.max(0, highWatermark - 1 - this.#random.below(LOST_MAX)) });
    this.#devices.lost(partition, input.logEnd);
    this.bereft.add(partition);
    faults.count('uncleanElection');
  }

  /** The input's leaders are cut off from their cluster, and not from their readers. */
  #staleLeader(): void {
    for (let partition = 0; partition < this.#scenario.partitions; partition += 1)
      this.#simulation.log.partition(INPUT, partition).changeLeader({ deposedForMs: Infinity });
    this.#simulation.faults.count('staleLeader');
  }

  /** But for those that a task reads from which waits for something there: it has to find out by itself. */
  #endStaleLeaders(): void {
    const waiting = this.#cluster.up.flatMap(({ instance }) =>
      instance.status().filter(({ state, liveEntries }) => state === 'running' && liveEntries > 0),
    );
    const { partitions } = this.#scenario;
    const { log } = this.#simulation;
    for (let partition = 0; partition < partitions; partition += 1) {
      if (!waiting.some((task) => task.partition === partition)) log.partition(INPUT, partition).endDeposed();
      for (const topic of [CHANGELOG, OUTPUT]) log.partition(topic, partition).endDeposed();
    }
  }

  followersStall(): boolean {
    if (this.#scenario.hidesNothing) return false;
    this.#somePartition().stallReplication(500 + this.#random.below(25_000));
    return true;
  }

  /** Each produce request of a transaction takes long: what was cut before may take longer than its transaction may. */
  brokersSlow(): boolean {
    const { faults } = this.#simulation;
    const leastMs = 200 + this.#random.below(4_000);
    faults.slowProduces([leastMs, 2 * leastMs]);
    this.#later(60_000, () => {
      faults.slowProduces(undefined);
    });
    return true;
  }

  cutOff(): boolean {
    const process = this.#someone();
    if (process === undefined || process.host.cut !== 'none') return false;
    const cuts: readonly Cut[] = ['toBroker', 'fromBroker', 'both'];
    process.host.cutOff(cuts[this.#random.below(3)]!);
    this.#later(15_000, () => {
      process.host.cutOff('none');
    });
    return true;
  }

  outage(): boolean {
    const { network } = this.#simulation;
    if (network.outage) return false;
    network.setOutage(true);
    this.#later(20_000, () => {
      if (network.outage) network.setOutage(false);
    });
    return true;
  }

  clockStep(): boolean {
    const process = this.#ofLocalClocks();
    process?.host.machine.step(this.#random.chance(0.5) ? HOUR_MS : -HOUR_MS);
    return process !== undefined;
  }

  clockFreeze(): boolean {
    const process = this.#ofLocalClocks();
    process?.host.machine.freeze();
    return process !== undefined;
  }

  clockDrift(): boolean {
    const process = this.#ofLocalClocks();
    process?.host.machine.setRate(this.#random.chance(0.5) ? 1.2 : 0.8);
    return process !== undefined;
  }

  upstreamBegins(): boolean {
    // What ends it must not be lost: it would hold the input back for ever.
    if (this.#scenario.uncleanElections) return false;
    this.#devices.beginTransaction();
    return true;
  }

  upstreamEnds(): boolean {
    if (this.#devices.openTransactions === 0) return false;
    this.#devices.endTransaction();
    return true;
  }

  /** Now and then nothing goes wrong for a while. */
  lull(): boolean {
    const { faults } = this.#simulation;
    faults.setRates(calm);
    this.#later(8_000, () => {
      if (this.#simulation.time.nowMs < this.#scenario.stormMs) faults.setRates(this.#scenario.rates);
    });
    return true;
  }

  #launch(name: string): void {
    const skewed = this.#scenario.timestampType === 'LogAppendTime' && this.#random.chance(0.2);
    this.#cluster.launch(name, skewed ? this.#random.below(120_000) - 60_000 : 0);
  }

  #later(withinMs: number, mend: () => void): void {
    this.#simulation.time.after(this.#random.below(withinMs), mend);
  }

  #someone(): SimulatedProcess | undefined {
    const { up } = this.#cluster;
    return up[this.#random.below(Math.max(1, up.length))];
  }

  /** On CreateTime the present is an input of the rules (C6), so that clocks have to be right. */
  #ofLocalClocks(): SimulatedProcess | undefined {
    return this.#scenario.timestampType === 'LogAppendTime' ? this.#someone() : undefined;
  }

  #someMachineDown(): string | undefined {
    const { down } = this.#cluster;
    return down[this.#random.below(Math.max(1, down.length))];
  }

  /** One that is down already, or whose process is killed for it. */
  #machineBroughtDown(): string | undefined {
    const down = this.#someMachineDown();
    if (down !== undefined) return down;
    const process = this.#someone();
    process?.host.kill();
    return process?.name;
  }

  #someStoreDown(): { readonly disk: SimulatedDisk; readonly partition: number } | undefined {
    const name = this.#machineBroughtDown();
    if (name === undefined) return undefined;
    const disk = this.#simulation.disk(name);
    const partitions = disk.partitions();
    const partition = partitions[this.#random.below(Math.max(1, partitions.length))];
    return partition === undefined ? undefined : { disk, partition };
  }

  #somePartition(): ReturnType<Simulation['log']['partition']> {
    const topics = [INPUT, CHANGELOG, CHANGELOG, OUTPUT];
    const partition = this.#random.below(this.#scenario.partitions);
    return this.#simulation.log.partition(topics[this.#random.below(topics.length)]!, partition);
  }
}
