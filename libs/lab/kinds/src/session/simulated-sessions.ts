// Worlds of sessions: devices that beat, send other events, end, repeat themselves, and make the product fail on purpose (I6).
import type { Clock, DurationMs, Random } from '@flatline/base';
import type { LogRecord, ProducedRecord, Simulation } from '@flatline/cluster';
import { hashKeyId } from '@flatline/kind-modules/attributes';
import type { PipelineKind } from '@flatline/kinds';
import type { StateReducer } from '@flatline/kinds/reducing';
import { sessionKind, type SessionOptions, type SessionRules } from '@flatline/kinds/session';
import { inputRecord, jsonEvent, outputRecord } from '@flatline/oracle';
import { type EventDecoder, SOURCE_HEADER } from '@flatline/ports/formats';
import { EventFormats } from '@flatline/records/events';
import { gated } from '@flatline/records/gate';
import { statsEncoder } from '@flatline/records/stats';
import { openSummaryEncoder } from '@flatline/records/summaries';
import { attributesToEvict, commandOf, evictionBy } from '../worlds/acts.ts';
import { type AttributesOfWorld, drawAttributes } from '../worlds/attributes.ts';
import { asElsewhere, type DrawnReducers, drawReducers, reducedFields, rulesOf } from '../worlds/drawn-reducers.ts';
import { oneOf } from '../worlds/one-of.ts';
import { commonRules, inputsOf, type KindScenario } from '../worlds/common-rules.ts';
import { type Judged, ON_PURPOSE, type SimulatedKind, type Word } from '../worlds/simulated-kind.ts';
import { OUTPUT, STATS } from '../worlds/topics.ts';
import { whateverLived } from '../worlds/whatever-lived.ts';

/** Rules common to all worlds of sessions; timeouts are the scenario's. */
export const RULES = {
  minTimeoutMs: 500,
  maxTimeoutMs: 20_000,
  dedupeEventIds: 4,
  maxSources: 1,
  maxAttributes: 3,
  maxAttributeBytes: 64,
} as const;

/** Settings of worlds whose producers stamp (C7). */
export type SessionGrace = Pick<SessionRules, 'graceMs' | 'late' | 'revisionWindowMs'>;

/** States that are told of live sessions (S11), in worlds without a grace, which excludes them; and the events that one takes (S13). */
type SessionTelling = Pick<SessionRules, 'sayOpened' | 'updateIntervalMs' | 'maxEvents'>;

const NOTHING_TOLD: SessionTelling = { sayOpened: false, updateIntervalMs: undefined, maxEvents: undefined };

/** Statistics (S12), in worlds whose logs tell all clocks. Windows are short, so that many end. */
type SessionStats = NonNullable<SessionRules['stats']>;

const NO_GRACE: SessionGrace = { graceMs: 0, late: 'deadLetter' };

/** How long a closed session waits, before and after the settings change (S9). */
type Windows = readonly [first: DurationMs, changed: DurationMs];

/** An event's type says how it fails: the decoder throws, or hands on a value that cannot be applied (I6). */
const FAILS_DECODING = 'FAILS_DECODING';
const FAILS_APPLYING = 'FAILS_APPLYING';

/** As no event has an attribute. */
const HASH = /^[0-9a-f]{32}$/;

/** Edges of numbers: of 32 bits, of a doubling zigzag, of the safe integers, of a Date. */
const TIMES = [0, 2 ** 31, 2 ** 32, 2 ** 52 - 1, 2 ** 52, 8.64e15, 8.64e15 + 1, 2 ** 53 - 1];
const SEQUENCES = [0, 1, 2, 64, 65, 2 ** 32, 2 ** 53 - 65, 2 ** 53 - 2, 2 ** 53 - 1];

const ERASE = { name: 'flatline-command', value: Buffer.from('ERASE') };

/** Names of attributes. */
const NAMES = ['name0', 'name1', 'name2', 'name3', 'name4'];

/** Parts of reducers that see what a gate lets in (E1). */
const OF_ATTRIBUTES = Object.fromEntries(NAMES.map((name) => [name, { last: `/attributes/${name}` }]));
const EVICTED_NAMES = NAMES.slice(0, 2);

/** A source that events also name, another, and none. */
const SOURCE_HEADERS = ['s0', 's9', ''].map((source) => ({ name: SOURCE_HEADER, value: Buffer.from(source) }));

const writer = await openSummaryEncoder('json', OUTPUT, undefined);
/** As the product's: valid until the next call, so that what is kept too long is seen. */
const encoder: SessionOptions['encoder'] = { encode: (summary) => writer.view(summary) };

interface BesideReducers {
  readonly isAlone: boolean;
  /** Sessions may be revised. */
  readonly hasWindows: boolean;
  readonly gates: ReturnType<typeof drawAttributes>;
}

/** Reducers before and after the settings change; undefined: there is none. */
function reducersBeside(simulation: Simulation, { isAlone, hasWindows, gates }: BesideReducers): DrawnReducers {
  const isGated = gates.some((gate) => gate !== undefined);
  // Beside what else a reducer was tried with before it was with that, so that those worlds are what they were.
  const isBeside = isGated || !isAlone;
  const mayReduce =
    (!hasWindows || simulation.random('revised').chance(0.7)) &&
    gates.every(isKnown) &&
    (!isBeside || simulation.random('beside').chance(0.6));
  if (!mayReduce) return [undefined, undefined];
  return drawReducers(simulation.random('reducers'), isGated ? OF_ATTRIBUTES : {});
}

export class SimulatedSessions implements SimulatedKind {
  readonly judged: Judged;
  readonly atCalm = undefined;
  readonly actors = undefined;
  readonly #simulation: Simulation;
  readonly #scenario: SessionScenario & Required<Pick<SessionScenario, 'grace'>>;
  /** Apart, so that a seed's world is otherwise the one it was before there were sources. */
  readonly #sources: Random;
  /** Acts that erase a key (E1), in some worlds: of a source of their own, too. */
  readonly #erasures: Random | undefined;
  /** Other acts of an operator (Q4), in some worlds. */
  readonly #acts: Random | undefined;
  /** Keys of which nothing else comes any more. */
  readonly #gone = new Set<string>();
  /** An event beyond `maxEvents` is not looked into, so it would not fail. */
  readonly #failures: readonly [string, string];
  /** Draws the fields that reducers read; undefined: there is none, before or after the settings change. */
  readonly #reducible: Random | undefined;

  constructor(simulation: Simulation, scenario: KindScenario, drawn: SessionGrace, isChanged: boolean) {
    const { furtherInputs = [] } = scenario;
    const isAlone = furtherInputs.length === 0;
    // Apart, so that half the worlds of several inputs are what they were.
    const mayBeByTime = isAlone || simulation.random('by time of several').chance(0.5);
    const byTime = scenario.timestampType === 'CreateTime' && mayBeByTime ? drawn : NO_GRACE;
    const windows = drawWindows(simulation.random('revisions'));
    const isDataAdded = furtherInputs.some(({ touches }) => !touches);
    const grace = withWindow(byTime, byTime.graceMs > 0 || isDataAdded ? windows[isChanged ? 1 : 0] : 0);
    const tellings = drawTellings(simulation.random('telling'));
    const areUpdated = isAlone || simulation.random('updates of several').chance(0.5);
    const [first, changed] = areUpdated ? tellings : [withoutUpdates(tellings[0]), withoutUpdates(tellings[1])];
    const caps = drawCaps(simulation.random('capped by time'));
    const byTimeOnly = { ...NOTHING_TOLD, maxEvents: caps[isChanged ? 1 : 0] };
    const telling = grace.graceMs > 0 ? byTimeOnly : isChanged ? changed : first;
    const [firstStats, changedStats] = drawStats(simulation.random('statistics'), scenario);
    const stats = isChanged ? changedStats : firstStats;
    const { timeoutMs } = scenario;
    // A grace excludes a maximum duration, and buckets.
    const maxDurationMs = grace.graceMs > 0 ? undefined : scenario.maxDurationMs;
    const buckets = drawBuckets(simulation.random('buckets'));
    const bucketMs = grace.graceMs > 0 ? undefined : buckets[isChanged ? 1 : 0];
    const gates = drawAttributes(simulation.random('attributes'), NAMES);
    const mayWait = scenario.timestampType === 'CreateTime' || isDataAdded;
    const hasWindows = mayWait && windows.some((windowMs) => windowMs > 0);
    const reducers = reducersBeside(simulation, { isAlone, hasWindows, gates });
    const reducer = reducers[isChanged ? 1 : 0];
    const isReduced = reducers.some((each) => each !== undefined);
    this.#reducible = isReduced ? simulation.random('what is reduced') : undefined;
    this.#simulation = simulation;
    const attributes = gates[isChanged ? 1 : 0];
    this.#scenario = {
      ...scenario,
      maxDurationMs,
      bucketMs,
      grace,
      telling,
      furtherInputs,
      stats,
      attributes,
      reducer,
    };
    this.#sources = simulation.random('sources');
    const erasures = simulation.random('erasures');
    this.#erasures = erasures.chance(0.2) ? erasures : undefined;
    const acts = simulation.random('acts');
    this.#acts = acts.chance(0.3) ? acts : undefined;
    const isCapped = [first.maxEvents, changed.maxEvents, ...caps].some((maxEvents) => maxEvents !== undefined);
    // Nor is one that comes too late and is dropped.
    const isPassedOver = isCapped || (scenario.timestampType === 'CreateTime' && drawn.late === 'drop');
    this.#failures = isPassedOver ? [FAILS_DECODING, FAILS_DECODING] : [FAILS_DECODING, FAILS_APPLYING];
    const unreduced = {
      kind: 'session',
      ...RULES,
      ...grace,
      ...telling,
      ...(stats && { stats }),
      ...(bucketMs !== undefined && { bucketMs }),
      ...commonRules(scenario, attributes),
      timeoutMs,
      maxDurationMs,
    } as const;
    this.judged = {
      rules: { ...unreduced, ...(reducer && { reducer: rulesOf(reducer) }) },
      whateverLived: whateverLived(unreduced, reducer !== undefined),
      targets: [],
      tellsRoom: true,
      input: (record) => inputRecord(record, jsonEvent),
    };
  }

  open(clock: Clock): PipelineKind {
    return openSessions(this.#scenario, clock);
  }

  record(key: string, random: Random, draw: number): ProducedRecord {
    if (this.#erasures !== undefined && (this.#gone.has(key) || this.#erasures.chance(0.02))) {
      if (this.#erasures.chance(0.3)) this.#gone.add(key);
      return { key, value: null, headers: [ERASE] };
    }
    if (this.#acts?.chance(0.1) === true)
      return this.#acts.chance(0.2) ? commandOf(key, 'END') : evictionBy(this.#acts, EVICTED_NAMES);
    if (draw < 60) return { key, value: '' };
    if (draw >= 85) return { key, value: null };
    const value = this.#event(random);
    return this.#sources.chance(0.1)
      ? { key, value, headers: [SOURCE_HEADERS[this.#sources.below(SOURCE_HEADERS.length)]!] }
      : { key, value };
  }

  #event(random: Random): string {
    // Without a sequence or id: a duplicate would not be applied, so it could not fail.
    if (random.chance(0.004)) return JSON.stringify({ type: this.#failures[random.below(2)] });
    const event: Record<string, unknown> = { type: ['HEARTBEAT', 'STARTED', 'CLICK', 'ENDED'][random.below(4)] };
    if (random.chance(0.4)) event['eventId'] = `e${random.below(6)}`;
    if (random.chance(0.3)) event['occurredAt'] = this.#simulation.trueMs() - random.below(5_000);
    if (random.chance(0.02)) event['occurredAt'] = TIMES[random.below(TIMES.length)];
    if (random.chance(0.2)) event['sequence'] = random.below(80);
    if (random.chance(0.04)) event['sequence'] = SEQUENCES[random.below(SEQUENCES.length)];
    // One more than are kept.
    if (this.#sources.chance(0.4)) event['source'] = `s${this.#sources.below(RULES.maxSources + 1)}`;
    if (random.chance(0.2)) event['timeoutMs'] = 1 + random.below(30_000);
    if (random.chance(0.3))
      event['attributes'] = { [NAMES[random.below(NAMES.length)]!]: 'x'.repeat(random.below(30)) };
    if (this.#acts?.chance(0.9) === true) event['attributes'] = attributesToEvict(this.#acts, EVICTED_NAMES);
    return JSON.stringify({ ...event, ...(this.#reducible && reducedFields(this.#reducible)) });
  }

  failsAt(value: string): boolean {
    return value.includes(FAILS_DECODING) || value.includes(FAILS_APPLYING);
  }

  #how(summary: Readonly<Record<string, unknown>>): string {
    if ('byOperator' in summary) return '/byOperator';
    if ('heldMs' in summary) return '/held';
    if ('absorbed' in summary) return '/absorbed';
    if (String(summary['incarnation']).split('-').length > 2) return '/further';
    if (this.#scenario.grace.graceMs > 0) return '/grace';
    if ('reduced' in summary) return '/reduced';
    return Object.values(summary['attributes'] ?? {}).some((value) => HASH.test(String(value))) ? '/hashed' : '';
  }

  word(record: LogRecord): Word | undefined {
    const { summary } = outputRecord(record);
    if (summary === undefined) return undefined;
    const { state, incarnation, reason, lastOffset, lastSeenAt, capped } = summary;
    const isLive = state !== 'CLOSED';
    const revision = Number(summary['revision']);
    const what = isLive ? String(state) : `${String(reason)}${revision > 0 ? '/revised' : this.#how(summary)}`;
    const closed = revision > 0 ? `${String(incarnation)} revision ${revision}` : String(incarnation);
    return {
      id: isLive ? `${String(incarnation)} ${String(state)} ${String(lastSeenAt)}` : closed,
      what: capped === true ? `${what}/capped` : what,
      at: Number(summary['closedAt']),
      // A live session repeats its first offset, as does one that is revised.
      sums: isLive || revision > 0 ? undefined : [Number(summary['firstOffset']), Number(lastOffset)],
    };
  }
}

type SessionScenario = Pick<KindScenario, 'timeoutMs' | 'maxDurationMs' | 'tombstones' | 'furtherInputs'> & {
  readonly bucketMs?: DurationMs | undefined;
  readonly grace?: SessionGrace;
  readonly telling?: SessionTelling;
  readonly stats?: SessionStats | undefined;
  readonly attributes?: AttributesOfWorld | undefined;
  readonly reducer?: StateReducer | undefined;
};

export function openSessions(scenario: SessionScenario, clock: Clock): PipelineKind {
  const { timeoutMs, maxDurationMs, bucketMs, tombstones, stats, reducer } = scenario;
  const { grace = NO_GRACE, telling = NOTHING_TOLD } = scenario;
  const rules = {
    ...RULES,
    ...grace,
    ...telling,
    ...(stats && { stats }),
    timeoutMs,
    maxDurationMs,
    bucketMs,
    ...(reducer && { reducer: asElsewhere(reducer) }),
  };
  const decoder = gated(scenario.attributes?.attributes, jsonDecoder(clock));
  const inputs = inputsOf(scenario).map((input) => ({ ...input, decoder }));
  return sessionKind({
    rules,
    decoder,
    ...(inputs.length > 0 && { inputs }),
    encoder,
    stats: { encoder: statsEncoder(undefined), topic: STATS },
    tombstones,
    outputTopic: OUTPUT,
  });
}

/** True if the judge has the key of what is hashed: else it cannot tell how long a state is that has such hashes. */
function isKnown(gate: AttributesOfWorld | undefined): boolean {
  const { hash = [], hashKey } = gate?.attributes ?? {};
  return hash.length === 0 || (hashKey !== undefined && gate!.judged.hashes.has(hashKeyId(hashKey)));
}

/** Most worlds have none. */
function drawWindows(random: Random): Windows {
  const drawn = (): DurationMs => oneOf(random, [0, 300, 1_500, 6_000]);
  return random.chance(0.5) ? [drawn(), drawn()] : [0, 0];
}

/** With a grace, what comes late revises wherever a session waits. */
function withWindow(grace: SessionGrace, revisionWindowMs: DurationMs): SessionGrace {
  if (revisionWindowMs === 0) return grace;
  return { ...grace, revisionWindowMs, late: grace.graceMs > 0 ? 'revise' : grace.late };
}

function withoutUpdates(telling: SessionTelling): SessionTelling {
  return { ...telling, updateIntervalMs: undefined };
}

/** Before and after the settings change. */
function drawTellings(random: Random): readonly [SessionTelling, SessionTelling] {
  const drawn = (): SessionTelling => ({
    sayOpened: random.chance(0.3),
    updateIntervalMs: oneOf(random, [undefined, undefined, undefined, 400, 1_500, 5_000]),
    maxEvents: oneOf(random, [undefined, undefined, undefined, undefined, 1, 3, 6]),
  });
  // Most worlds say closes alone, and take all.
  return random.chance(0.35) ? [drawn(), drawn()] : [NOTHING_TOLD, NOTHING_TOLD];
}

/** Events that a session takes, with a grace: before and after the settings change. Most worlds have none. */
function drawCaps(random: Random): readonly [number | undefined, number | undefined] {
  const drawn = (): number | undefined => oneOf(random, [undefined, 1, 3, 6]);
  return random.chance(0.2) ? [drawn(), drawn()] : [undefined, undefined];
}

/** Lengths of buckets, before and after the settings change (S2). Most worlds have none. */
function drawBuckets(random: Random): readonly [DurationMs | undefined, DurationMs | undefined] {
  const drawn = (): DurationMs | undefined => oneOf(random, [undefined, 700, 3_000]);
  return random.chance(0.12) ? [drawn(), drawn()] : [undefined, undefined];
}

/** Before and after the settings change. */
function drawStats(
  random: Random,
  { proof }: KindScenario,
): readonly [SessionStats | undefined, SessionStats | undefined] {
  const drawn = (): SessionStats | undefined => {
    const windows = oneOf(random, [[500], [1_000, 5_000], [2_000, 20_000, 60_000], [300, 900]]);
    const named = ['name0', 'name1'].slice(0, random.below(3));
    const dimensions = named.map((attribute) => ({ name: attribute, attribute, max: 1 + random.below(4) }));
    return random.chance(0.85) ? { windows, dimensions } : undefined;
  };
  if (!random.chance(0.35) || proof !== 'record') return [undefined, undefined];
  const first = drawn();
  return random.chance(0.6) ? [first, first] : [first, drawn()];
}

function jsonDecoder(clock: Clock): EventDecoder {
  const formats = new EventFormats({ format: 'json', registry: undefined, clock });
  return {
    prepare: (schemaId) => formats.prepare(schemaId),
    decode: (bytes, start, length, target) => {
      const outcome = formats.decode(bytes, start, length, target);
      if (target.type === FAILS_DECODING) throw new TypeError(ON_PURPOSE);
      if (target.type === FAILS_APPLYING) target.attributes = new Unwalkable();
      return outcome;
    },
    fields: (bytes, start, length) => formats.fields(bytes, start, length),
  };
}

/** Attributes that throw while an event is being applied. */
class Unwalkable extends Map<string, string> {
  override [Symbol.iterator](): MapIterator<[string, string]> {
    throw new TypeError(ON_PURPOSE);
  }
}
