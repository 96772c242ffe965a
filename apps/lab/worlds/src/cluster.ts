// The topics of one pipeline on a simulated cluster, and the processes that run the real runtime on it.
//
// Owns: the processes.
// Does not own: faults (Nemesis), input (Devices), expected output (judging).
import type { Millis, Random } from '@flatline/base';
import { assign } from '@flatline/kafka';
import { ON_PURPOSE, type SimulatedKind } from '@flatline/lab-kinds';
import { PipelineInstance, type PipelinePorts, type PipelineSettings, type StartFrom } from '@flatline/runtime';
import {
  DEVICE_FAILED,
  type GroupMember,
  type HostPorts,
  type SimulatedGroup,
  type SimulatedHost,
  type Simulation,
} from '@flatline/cluster';
import { Beginnings } from './judging/beginnings.ts';
import {
  CHANGELOG,
  CHANGELOG_FACTOR,
  DEAD_LETTERS,
  EARLY_MS,
  GROUP,
  INPUT,
  LETTER_BYTES_MAX,
  MAX_KEY_BYTES,
  OUTPUT,
  STATS,
  TARGET,
} from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';
import { settingsText } from './settings-text.ts';

/** Parameters of a process. */
export interface ProcessSettings {
  readonly scenario: Scenario;
  readonly kind: SimulatedKind;
}

export interface SimulatedProcess {
  readonly name: string;
  readonly host: SimulatedHost;
  readonly instance: PipelineInstance;
  /** Set while it leaves; settled when it has left. */
  leaving: Promise<void> | undefined;
}

/** Logged by a process when a write fails for good. */
const STORE_FAILED = 'the local store failed';
/** FL2, TS1: logged by a process that leaves a local store as it is. */
const GIVES_STORE_UP: readonly string[] = [
  'more waits for the local store',
  STORE_FAILED,
  'local store cannot be written',
  'local store cannot be brought up to date',
  'local store not opened',
  'local store not wiped',
  'local store not closed cleanly',
];
/** The same for a store that cannot be written, for the moment or for good. */
const NOT_WRITTEN: readonly string[] = [...GIVES_STORE_UP.slice(1), 'local store not written'];
/** C3: reported by a processor whose assumption was wrong. */
export const CLOCK_OVERTAKEN = 'clockOvertaken';
/** Events counted by a text in a process's log. */
const SAID: readonly (readonly [text: string, what: string])[] = [
  ['more waits for the local store', 'storeGivenUp'],
  ['local store not written; trying again', 'flushRetried'],
  ['no space left', 'noSpaceLeft'],
  ['"restoredFrom":"standby"', 'standbyTookOver'],
  ['are loaded while the group meets', 'warmStart'],
  ['waits at a stamp', 'partitionWaits'],
  ['outcome is looked up', 'commitOutcomeUnknown'],
  ['a commit ran out of time', 'commitRanOut'],
  ['commits less at a time', 'commitUndone'],
  ['another owner has committed', 'zombieLetGo'],
  ['to another member', 'zombieLetGo'],
  ['stamped before the clock came late', CLOCK_OVERTAKEN],
  ['the partition is full', 'stateFull'],
  ['are read over', 'formerTypeReadOver'],
  ['"next":"restore"', 'restoredForRecord'],
  ['"next":"refuse"', 'refusedRecord'],
  ['records could not be processed', 'recordFailed'],
];
/** C3 */
const CLOCK_SKEW_MS = 500;
/** Lines of the processes' logs kept for a failing world. */
const LINES_MAX = 2_000;

export class Cluster {
  readonly simulation: Simulation;
  readonly scenario: Scenario;
  readonly kind: SimulatedKind;
  readonly group: SimulatedGroup;
  readonly processes = new Map<string, SimulatedProcess>();
  /** Errors that ended a process; there must be none. */
  readonly failures: string[] = [];
  readonly lines: string[] = [];
  /** Processes that left a local store as it was, by name. */
  readonly gaveStoreUp = new Set<string>();
  /** C3: evidence by which clocks were overtaken, as processors report it. */
  readonly overtaken: { readonly partition: number; readonly evidence: Millis }[] = [];
  readonly #startAt: number;
  readonly #changed: ProcessSettings | undefined;
  readonly #choice: Random;
  /** R3: by the input alone; set from the first start on. */
  beginnings: Beginnings | undefined;
  /** Partition → the origin that it reported. */
  readonly #origins = new Map<string, string>();
  /** Commits that ran out of time, each with the time. */
  readonly #ranOut = new Set<string>();

  /** `changed`: by chance a process is started with these instead. */
  constructor(simulation: Simulation, { scenario, kind }: ProcessSettings, changed?: ProcessSettings) {
    this.simulation = simulation;
    this.scenario = scenario;
    this.kind = kind;
    this.#changed = changed;
    this.#choice = simulation.random('settings of processes');
    const { partitions, timestampType, standbys } = scenario;
    const { log } = simulation;
    log.createTopic(INPUT, { partitions, timestampType });
    for (const further of scenario.furtherInputs)
      log.createTopic(further.topic, { partitions, timestampType: further.timestampType });
    this.#startAt = simulation.trueMs() + EARLY_MS;
    for (const topic of [OUTPUT, TARGET, STATS, CHANGELOG]) log.createTopic(topic, { partitions });
    log.createTopic(DEAD_LETTERS, { partitions, maxMessageBytes: LETTER_BYTES_MAX });
    log.transactions.timeoutMaxMs = scenario.transactionMaxMs;
    this.group = simulation.group(GROUP, { partitions, standbys, sessionTimeoutMs: 10_000, assign: assignAsTheLeader });
  }

  /** Starts a process on this machine, if none runs; it joins as time goes on. */
  launch(name: string, skewMs = 0): void {
    this.gaveStoreUp.delete(name);
    this.beginnings ??= new Beginnings(this.simulation, this.scenario.partitions, this.#startFrom());
    const { host, ports } = this.simulation.start(name, { skewMs });
    const settings = this.#changed !== undefined && this.#choice.chance(0.5) ? this.#changed : this;
    const instance = new PipelineInstance({
      settings: { ...pipelineSettings(name, settings), startFrom: this.#startFrom() },
      ports: this.#pipelinePorts(name, settings.kind, host, ports),
      bounds: this.scenario.bounds,
      onFatal: (error) => {
        this.failures.push(`${name}: ${error.stack ?? error.message}`);
      },
    });
    this.processes.set(name, { name, host, instance, leaving: undefined });
    void instance.start();
  }

  #startFrom(): StartFrom {
    const { startFrom } = this.scenario;
    return startFrom === 'instant' ? { timestamp: this.#startAt } : startFrom;
  }

  /** Machines whose process has ended, one way or another. */
  get down(): readonly string[] {
    return [...this.processes.values()].filter(({ host }) => !host.alive).map(({ name }) => name);
  }

  get up(): readonly SimulatedProcess[] {
    return [...this.processes.values()].filter(({ host }) => host.alive);
  }

  /** Leaves the group, drains, and ends, as on a supervisor's SIGTERM. */
  leave(process: SimulatedProcess): Promise<void> {
    process.leaving ??= process.instance.stop().then(() => {
      process.host.kill();
    });
    return process.leaving;
  }

  #pipelinePorts(name: string, kind: SimulatedKind, host: SimulatedHost, ports: HostPorts): PipelinePorts {
    // With the smallest slices a turn takes a while, so that a fault can meet a restore in the middle.
    const turnMs = this.scenario.bounds.loadSlice === 1 ? 2 : 0;
    const random = this.simulation.random(`entropy of ${name} at ${this.simulation.time.nowMicros}`);
    const note = (message: string, facts?: unknown): void => {
      this.#note(name, `${this.simulation.time.nowMs} ${name} ${message} ${JSON.stringify(facts, showErrors)}`);
    };
    return {
      ...ports,
      input: ports.reader,
      changelog: ports.reader,
      proofs: ports.proof,
      membership: ports.membership(GROUP),
      kind: kind.open(host),
      turns: (callback) => {
        host.after(turnMs, callback);
      },
      entropy: {
        id: () => `${random.below(2 ** 32).toString(16)}${random.below(2 ** 32).toString(16)}`,
        seed: () => random.below(2 ** 32),
      },
      log: { info: note, warn: note, error: note },
    };
  }

  /** With a crash or without, every owner begins at the same offset. */
  #noteOrigin(line: string): void {
    const runs = / task runs .*?"partition":(\d+)/.exec(line);
    if (runs !== null) this.beginnings?.runs(Number(runs[1]));
    const said = /the input is read from here on.*"partition":(\d+),"origin":(\d+)/.exec(line);
    if (said === null) return;
    const [, partition = '', origin = ''] = said;
    const before = this.#origins.get(partition) ?? origin;
    this.#origins.set(partition, before);
    if (before !== origin) this.failures.push(`[R3] partition ${partition} began at ${before}, then at ${origin}`);
  }

  #note(name: string, line: string): void {
    this.lines.push(line);
    if (this.lines.length > LINES_MAX) this.lines.splice(0, LINES_MAX / 2);
    if (GIVES_STORE_UP.some((text) => line.includes(text))) this.gaveStoreUp.add(name);
    // Simulated disks take every write unless they are full or fail on purpose: any other failed write is a fault. A
    // full disk is waited for (F12).
    const awaitsRoom = this.simulation.disk(name).full && !line.includes(STORE_FAILED);
    const isExplained = awaitsRoom || line.includes(DEVICE_FAILED);
    if (NOT_WRITTEN.some((text) => line.includes(text)) && !isExplained) this.failures.push(line);
    const ranOut = /a commit ran out of time.*"commitId":"([^"]+)".*"timeoutMs":(\d+)/.exec(line);
    if (ranOut !== null) this.#noteRanOut(`${ranOut[1]!} of ${ranOut[2]!} ms`);
    // A partition stopped for its operator is fine; one that stopped by a defect is a fault of ours.
    const isDefect = / task failed| standby failed|not let go cleanly/.test(line) && !line.includes(ON_PURPOSE);
    if (isDefect) this.failures.push(line);
    const dropped = /local store dropped.*"reason":"([a-z-]+)"/.exec(line);
    if (dropped !== null) this.simulation.faults.count(`storeDropped/${dropped[1]!}`);
    const overtaken = /stamped before the clock came late.*"partition":(\d+).*"evidence":(\d+)/.exec(line);
    if (overtaken !== null) this.overtaken.push({ partition: Number(overtaken[1]), evidence: Number(overtaken[2]) });
    this.#noteOrigin(line);
    for (const [text, what] of SAID) if (line.includes(text)) this.simulation.faults.count(what);
  }

  /** CM5: otherwise a commit could be retried for ever. */
  #noteRanOut(what: string): void {
    if (this.#ranOut.has(what))
      this.failures.push(`[X5] a commit was tried again for a time it had run out of: ${what}`);
    this.#ranOut.add(what);
  }
}

/** The assigner that the members' leader uses in production. */
function assignAsTheLeader(
  members: readonly GroupMember[],
  partitions: number,
): ReadonlyMap<string, readonly number[]> {
  if (members.length === 0) return new Map();
  return new Map(assign(members, partitions).map((each) => [each.memberId, each.partitions]));
}

function pipelineSettings(owner: string, { scenario, kind }: ProcessSettings): Omit<PipelineSettings, 'startFrom'> {
  const input = {
    timestampType: scenario.timestampType,
    maxKeyBytes: MAX_KEY_BYTES,
    maxFutureMs: 3_600_000,
    maxLeadMs: 60_000,
    liveWithinMs: 300_000,
  };
  const furtherInputs = scenario.furtherInputs.map(({ topic, timestampType }) => ({
    topic,
    rules: { ...input, timestampType },
  }));
  return {
    name: 'visits',
    owner,
    group: GROUP,
    inputTopic: INPUT,
    inputPartitions: scenario.partitions,
    outputTopic: OUTPUT,
    changelogTopic: CHANGELOG,
    deadLetterTopic: DEAD_LETTERS,
    letterBytesMax: LETTER_BYTES_MAX,
    transactionalId: (partition) => `${GROUP}.${partition}`,
    input,
    ...(furtherInputs.length > 0 && { furtherInputs }),
    maxStateBytes: scenario.maxStateBytes,
    ...(scenario.settings === 'unsaid' ? { changelogFormat: 2 } : { rulesText: settingsText(kind.judged.rules) }),
    maxDuePerSecond: scenario.subject.maxDuePerSecond,
    tickMs: 10,
    commitIntervalMs: scenario.commitIntervalMs,
    closeDelayMs: scenario.closeDelayMs,
    electsCleanly: !scenario.losesChangelog,
    proofIntervalMs: scenario.proofIntervalMs,
    ...(scenario.probeIntervalMs !== undefined && { probeIntervalMs: scenario.probeIntervalMs }),
    handoverMs: scenario.handoverMs,
    drainMs: scenario.drainMs,
    changelogFactor: CHANGELOG_FACTOR,
    truncateLagMs: scenario.truncateLagMs,
    truncateLagBytes: scenario.truncateLagBytes,
    ...(scenario.proof === 'fetch' && { proofByFetch: { clockSkewMs: CLOCK_SKEW_MS } }),
    ...(scenario.heldTime && { heldTime: scenario.heldTime }),
  };
}

function showErrors(_name: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
