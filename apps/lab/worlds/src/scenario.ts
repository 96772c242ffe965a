// Draws one seed's world: sizes, rules and rates, small enough that a world costs milliseconds, and varied enough
// that some seed reaches every bound of the product.
import type { DurationMs, Random } from '@flatline/base';
import { TASK_BOUNDS, type TaskBounds } from '@flatline/runtime';
import { calm, type FaultRates, rough } from '@flatline/cluster';
import { kindOf } from '@flatline/kind-modules';
import { drawHeldTime, heldByDefault, type InputOfWorld, oneOf, type WorldSubject } from '@flatline/lab-kinds';

/** A world's proof of silence, and its held time. */
interface Proof {
  /** C3: `fetch` if the input's owner may not write it. */
  readonly proof: 'record' | 'fetch';
  /**
   * True if every assumption of C3 holds: the clocks of leaders agree, followers keep up, no deposed leader answers. Nothing
   * hides an append then, and proof by fetch must be right. Elsewhere it may be wrong, if its counter says so.
   */
  readonly hidesNothing: boolean;
  /** C8; undefined: no time is held. */
  readonly heldTime: { readonly unheardMs: DurationMs; readonly maxHoldMs: DurationMs } | undefined;
}

/** An input from before the application. */
interface Adoption {
  /** Records per partition of the other timestamp type (C6), and then of the input's own, before the first process starts. */
  readonly formerRecords: number;
  readonly earlierRecords: number;
  /** `instant`: that of the first process's start. */
  readonly startFrom: 'earliest' | 'latest' | 'instant';
  /** The first processes meet a quiet input, and die before any record comes. */
  readonly diesIdle: boolean;
}

/** How inputs are called that are read with the first one. */
const FURTHER = ['in-2', 'in-3'];

/** Drawn from a random of its own. What a configuration refuses of several is not tried with them. */
export function drawInputs(random: Random, scenario: Scenario): readonly InputOfWorld[] {
  const { subject, proof, startFrom, formerRecords, earlierRecords, uncleanElections } = scenario;
  const isPlain = startFrom === 'earliest' && formerRecords + earlierRecords === 0;
  if (!random.chance(0.4) || !kindOf(subject).obeys.severalInputs || proof !== 'record' || !isPlain) return [];
  // Losses of an input are tried with one.
  if (uncleanElections) return [];
  return FURTHER.slice(0, 1 + random.below(2)).map((topic) => drawInput(random, topic, scenario.timestampType));
}

export function drawInput(random: Random, topic: string, timestampType: Scenario['timestampType']): InputOfWorld {
  const touches = random.chance(0.3);
  const unknownKey = oneOf(random, ['open', 'hold', 'hold', 'deadLetter'] as const);
  const isHeld = unknownKey === 'hold' && !touches;
  return {
    topic,
    timestampType,
    touches,
    unknownKey: unknownKey === 'hold' && touches ? 'open' : unknownKey,
    holdMs: isHeld ? oneOf(random, [500, 5_000, 60_000]) : 0,
  };
}

/** Drawn from a random of its own, and seldom: a probe moves the clock, so that a world with them is another one. */
export function drawProbes(
  random: Random,
  { proof, timestampType, closeDelayMs }: Pick<Scenario, 'proof' | 'timestampType' | 'closeDelayMs'>,
): DurationMs | undefined {
  // A probe may take as long as a close waits: with no time between two of them no look finds the work done.
  const intervalMs = Math.max(5 * closeDelayMs, oneOf(random, [200, 1_000, 5_000]));
  const mayBe = proof === 'record' && timestampType === 'LogAppendTime';
  return random.chance(0.1) && mayBe ? intervalMs : undefined;
}

type Room = Pick<TaskBounds, 'entriesMax' | 'keyBytesMax' | 'flushIntervalMs'> & Pick<Scenario, 'maxStateBytes'>;

export interface Scenario extends Proof, Adoption {
  readonly subject: WorldSubject;
  /** Statements of settings by processors (K1): none, in an older format; constant; or changing at a restart by chance. */
  readonly settings: 'unsaid' | 'said' | 'change';
  readonly partitions: number;
  /** Names of the machines that run a process from the start. */
  readonly machines: readonly string[];
  readonly standbys: number;
  readonly keys: number;
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly furtherInputs: readonly InputOfWorld[];
  /** O2 */
  readonly tombstones: boolean;
  readonly timeoutMs: DurationMs;
  readonly maxDurationMs: DurationMs | undefined;
  readonly commitIntervalMs: DurationMs;
  readonly closeDelayMs: DurationMs;
  readonly proofIntervalMs: DurationMs;
  /** Q5; undefined: no probes are sent. */
  readonly probeIntervalMs: DurationMs | undefined;
  readonly truncateLagMs: DurationMs;
  readonly truncateLagBytes: number;
  readonly handoverMs: DurationMs;
  readonly drainMs: DurationMs;
  /** The brokers' `transaction.max.timeout.ms`: the first is the timeout that tasks ask for at first. */
  readonly transactionMaxMs: DurationMs;
  /** Length of the safety phase, in which faults happen. */
  readonly stormMs: DurationMs;
  readonly rates: FaultRates;
  readonly bounds: TaskBounds;
  /** I7 */
  readonly maxStateBytes: number | undefined;
  /** F26: the changelog may lose acknowledged blocks. */
  readonly losesChangelog: boolean;
  /** Leaders of the input that are deposed before the calm go on answering until they are left. */
  readonly staleLeaders: boolean;
  /** An election of the input is unclean: acknowledged records, perhaps already read, are lost (R3). */
  readonly uncleanElections: boolean;
  /** Maximum error of the clock of a leader of the input, either way. */
  readonly brokersSkewMs: DurationMs;
  /** Chance of an act of the nemesis per step of the storm, and of a record from the devices. */
  readonly ferocity: number;
  readonly traffic: number;
}

/** Maximum errors of leaders' clocks: where C3 may assume that they agree, and elsewhere. */
const AGREEING_MS = 200;
const DISAGREEING_MS = 10_000;
/** Half of it exceeds most gaps between a world's records. */
const HELD_TIMEOUT_MIN_MS = 5_000;

/** Drawn from a random of its own, so that other worlds stay what they are. */
export function drawAdoption(random: Random): Adoption {
  if (random.chance(0.7)) return { formerRecords: 0, earlierRecords: 0, startFrom: 'earliest', diesIdle: false };
  return {
    formerRecords: oneOf(random, [0, 1, 7]),
    earlierRecords: oneOf(random, [0, 5]),
    startFrom: oneOf(random, ['earliest', 'latest', 'instant'] as const),
    diesIdle: random.chance(0.3),
  };
}

/** Draws how much may live in a partition (I7), and how long its store may lag. From a random of its own, too. */
export function drawRoom(random: Random): Room {
  const { entriesMax, keyBytesMax } = TASK_BOUNDS;
  return {
    entriesMax: oneOf(random, [2, 4, entriesMax, entriesMax, entriesMax, entriesMax]),
    keyBytesMax: oneOf(random, [12, keyBytesMax, keyBytesMax, keyBytesMax, keyBytesMax, keyBytesMax]),
    flushIntervalMs: oneOf(random, [500, 5_000, 60_000]),
    maxStateBytes: oneOf(random, [500, 1_000, undefined, undefined, undefined, undefined]),
  };
}

export function drawScenario(
  random: Random,
  { maxStateBytes, ...room }: Room,
): Omit<Scenario, keyof Adoption | 'subject' | 'settings' | 'furtherInputs' | 'probeIntervalMs'> {
  const timeoutMs = drawTimeout(random);
  const world = {
    partitions: 1 + random.below(3),
    machines: oneOf(random, [['a', 'b'], ['a', 'b'], ['a', 'b', 'c'], ['a']]),
    standbys: random.below(2),
    keys: oneOf(random, [3, 10, 30]),
    timestampType: random.chance(0.15) ? ('CreateTime' as const) : ('LogAppendTime' as const),
    timeoutMs,
    maxDurationMs: drawMaxDuration(random, timeoutMs),
    commitIntervalMs: oneOf(random, [100, 500, 20, 2_000]),
    closeDelayMs: oneOf(random, [20, 20, 0, 200]),
    proofIntervalMs: oneOf(random, [100, 100, 1_000]),
    truncateLagMs: oneOf(random, [1_000, 10_000, 600_000, 600_000]),
    truncateLagBytes: oneOf(random, [500, 5_000, 1e12]),
    handoverMs: oneOf(random, [500, 10_000]),
    drainMs: oneOf(random, [100, 1_000, 5_000]),
    transactionMaxMs: oneOf(random, [10_000, 40_000, 900_000, 900_000]),
    stormMs: oneOf(random, [15_000, 30_000, 60_000, 90_000]),
    rates: drawRates(random),
    bounds: { ...drawBounds(random), ...room },
    maxStateBytes,
    losesChangelog: random.chance(0.1),
    // Sometimes the network alone disturbs a world.
    ferocity: oneOf(random, [0, 0.1, 0.2, 0.4]),
    traffic: oneOf(random, [0.3, 0.7, 0.95]),
  };
  const proof = drawProof(random, world);
  const rates = proof.hidesNothing ? { ...world.rates, stalled: 0 } : world.rates;
  const tombstones = random.chance(0.9);
  // Proof by fetch assumes that there are none (C3); on CreateTime a log that is not live is asked for nothing.
  const byRecord = proof.proof === 'record' && world.timestampType === 'LogAppendTime';
  const staleLeaders = random.chance(0.25) && byRecord;
  const uncleanElections = random.chance(0.2) && byRecord && !world.losesChangelog;
  const brokersSkewMs = proof.hidesNothing ? AGREEING_MS : DISAGREEING_MS;
  return { ...world, ...proof, rates, tombstones, staleLeaders, uncleanElections, brokersSkewMs };
}

export function drawTimeout(random: Random): DurationMs {
  return oneOf(random, [1_000, 2_000, 5_000, 5_000, 15_000]);
}

export function drawMaxDuration(random: Random, timeoutMs: DurationMs): DurationMs | undefined {
  return random.chance(0.3) ? timeoutMs * (1 + random.below(4)) : undefined;
}

/** The world for a kind, as far as that kind's configuration allows it. */
export function forSubject(drawn: Omit<Scenario, 'subject'>, subject: WorldSubject, random: Random): Scenario {
  return { ...drawn, subject, ...subject.fit(drawn, random) };
}

function drawProof(random: Random, { timestampType, timeoutMs }: Pick<Scenario, 'timestampType' | 'timeoutMs'>): Proof {
  const draw = random.below(100);
  const byRecord = { proof: 'record', hidesNothing: false, heldTime: undefined } as const;
  if (timestampType === 'CreateTime') return byRecord;
  if (draw < 12) return { ...byRecord, proof: 'fetch', hidesNothing: true };
  if (draw < 16) return { ...byRecord, proof: 'fetch' };
  // Long enough that no session lives through more gaps than are distinguished (HeldTime, HT2).
  if (draw < 28) return { ...byRecord, heldTime: drawHeldTime(random) };
  return draw < 64 && timeoutMs >= HELD_TIMEOUT_MIN_MS ? { ...byRecord, heldTime: heldByDefault(timeoutMs) } : byRecord;
}

/** So small that commits have several parts, logs are swept, stepping pauses and flushes come in slices. */
function drawBounds(random: Random): Omit<TaskBounds, keyof Room> {
  const drawn = {
    blockBytesMax: oneOf(random, [100, 400, 256 * 1024]),
    unsweptLogBytes: oneOf(random, [500, 5_000, 1024 * 1024]),
    pendingChangesMax: oneOf(random, [3, 20, 200_000]),
    outputBytesMax: oneOf(random, [500, 5_000, 3 * 1024 * 1024]),
    commitBytesTotal: oneOf(random, [300, 3_000, 256 * 1024 * 1024]),
    commitBytesFirst: oneOf(random, [100, 4 * 1024 * 1024]),
    commitBytesMin: oneOf(random, [1, 100]),
    deadLetterBytesMax: oneOf(random, [1, 5_000, 4 * 1024 * 1024]),
    flushBytesTotal: oneOf(random, [200, 2_000, 128 * 1024 * 1024]),
    flushBytesMin: 100,
    flushSlice: oneOf(random, [1, 3, 4_000]),
  };
  const { flushSlice } = drawn;
  const slices = { loadSlice: flushSlice, armSlice: flushSlice + 1, cutSliceBytes: 40 * flushSlice };
  const evictedPerSecond = 20 * flushSlice;
  return { ...drawn, ...slices, evictedPerSecond, owedBytesMax: flushSlice, pageBytesMax: TASK_BOUNDS.pageBytesMax };
}

function drawRates(random: Random): FaultRates {
  if (random.chance(0.15)) return calm;
  const crashes = { requestCrash: 0.001 * random.below(4), writeCrash: 0.02 * random.below(3), sentSurvives: 0.5 };
  const storeFails = oneOf(random, [0, 0, 0.01]);
  if (random.chance(0.6)) return { ...rough, ...crashes, storeFails };
  return { ...rough, ...crashes, storeFails, dropped: 0.02, answerDropped: 0.02, late: 0.01, slow: 0.1, stalled: 0.01 };
}
