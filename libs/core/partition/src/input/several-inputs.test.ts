// Sessions from several inputs against what S8 says of them, however the fetches of the inputs are interleaved.
import { describe, expect, test } from '@jest/globals';
import { bareJson, type Random, seededRandom } from '@flatline/base';
import { type BuiltIns, builtInReducer, defineReducer, StateReducer } from '@flatline/kinds/reducing';
import { inOneOrder, inputRecord, jsonEvent, type PipelineRules } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { resetEvent, type SessionEvent, type SessionSummary } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration, type TaskOptions } from '../index.ts';
import { rulesOf } from '../kinds/reducer-rules.fixture.ts';
import { type Said, STATS_TOPIC, statsVoice, written } from '../kinds/session/statistics.fixture.ts';
import {
  applyBlock,
  begin,
  closedIn,
  hold,
  ListCursor,
  options,
  rawOf,
  type TestRecord,
  text,
} from '../task.fixture.ts';
import { type NaiveInput, naively, sorted } from './several-inputs.fixture.ts';

const WALL = 9e12;
const TIMEOUT_MS = 1_000;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

function decode(bytes: Uint8Array, start: number, length: number, event: SessionEvent): { kind: 'event' } {
  resetEvent(event);
  const value = text(bytes.subarray(start, start + length));
  const [name, says] = value.split('=');
  if (says !== undefined) event.attributes = new Map([[name!, says]]);
  else if (value.startsWith('#')) event.eventId = value;
  return { kind: 'event' };
}

const decoder = {
  decode,
  fields: (bytes: Uint8Array, start: number, length: number) =>
    bareJson(jsonOf(text(bytes.subarray(start, start + length)))) as Readonly<Record<string, unknown>>,
  prepare: () => Promise.resolve(),
};

const PARTS: BuiltIns = {
  f: { first: '/attributes/a' },
  l: { last: '/attributes/a' },
  d: { set: { field: '/attributes/b', max: 2 } },
};

/** Sees where each event lies, and refuses some, early data among them. */
const places = defineReducer<{ readonly at: readonly number[] }>({
  state: { type: 'record', name: 'Places', fields: [{ name: 'at', type: { type: 'array', items: 'long' } }] },
  maxStateBytes: 60,
  initial: () => ({ at: [] }),
  add({ at }, { attributes, offset }) {
    if (attributes['a'] === '2') throw new RangeError('not two');
    return { at: [...at, offset] };
  },
  merge: (a) => a,
});

const REDUCERS = [
  new StateReducer({ reducer: builtInReducer(PARTS), builtIn: PARTS }),
  new StateReducer({ reducer: places }),
];

function taskOptions({ inputs, byBroker, rules: own }: Run, hashSeed: number): TaskOptions {
  const { input } = options();
  const rulesOfInput = (number: number): typeof input => ({ ...input, timestampType: typeOf(byBroker[number]!) });
  return options({
    hashSeed,
    tickMs: 1,
    rules: { ...options().rules, dedupeEventIds: 1_000, ...own },
    input: rulesOfInput(0),
    furtherInputs: inputs.slice(1).map((_, further) => rulesOfInput(1 + further)),
    inputs: inputs.map((each) => ({ ...each, decoder })),
    stats: statsVoice,
  });
}

const typeOf = (byBroker: boolean): 'LogAppendTime' | 'CreateTime' => (byBroker ? 'LogAppendTime' : 'CreateTime');

const shown = (s: SessionSummary): string => {
  const texts = [...s.attributes].map(([name, value]) => `${name}=${value}`).sort();
  const offsets = `${s.firstOffset}..${s.lastOffset}`;
  const times = `${s.startedAt}..${s.endedAt}`;
  const name = named(s.incarnation, s.revision);
  if (s.reduced !== undefined) texts.push(JSON.stringify(s.reduced && JSON.parse(s.reduced.json)));
  return [text(s.key), name, s.reason || s.state, s.eventCount, offsets, times, s.closedAt, ...texts].join(' ');
};

const named = (incarnation: string, revision: unknown): string =>
  Number(revision) > 0 ? `${incarnation}/${String(revision)}` : incarnation;

/** Every word of a key in its order, keys after one another. */
const byKey = (words: readonly string[]): readonly string[] =>
  words
    .map((word, at) => ({ word, at, key: word.split(' ')[0]! }))
    .sort((a, b) => a.key.localeCompare(b.key) || a.at - b.at)
    .map(({ word }) => word);

interface Run {
  readonly logs: readonly (readonly TestRecord[])[];
  readonly inputs: readonly NaiveInput[];
  /** True for each input whose records the broker stamps. */
  readonly byBroker: readonly boolean[];
  readonly random: Random;
  /** Other than the fixture's. */
  readonly rules?: OwnRules;
}

type OwnRules = Partial<ReturnType<typeof options>['rules']>;

/** A task that reads several logs by fetches of random length, commits now and then, and sometimes dies. */
class Model {
  readonly closed: string[] = [];
  /** With tombstones, in their order. */
  readonly words: string[] = [];
  readonly refused: string[] = [];
  /** Records of statistics, by key. */
  readonly stats = new Map<string, Said>();
  readonly #run: Run;
  readonly #blocks: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
  readonly #cursors: (ListCursor | undefined)[];
  #task: PartitionTask;
  #sequence = -1;
  #previous = '';

  constructor(run: Run) {
    this.#run = run;
    this.#cursors = run.logs.map(() => undefined);
    this.#task = this.#begun();
  }

  #begun(): PartitionTask {
    const { inputs, random } = this.#run;
    const task = new PartitionTask(taskOptions(this.#run, random.below(1e9)));
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    for (const { bytes, offset } of this.#blocks)
      expect(applyBlock(restoration, bytes, offset).kind).not.toBe('broken');
    const { last } = restoration;
    if (last !== undefined) expect(restoration.finish()).toBeUndefined();
    begin(task, last?.clock ?? 0, last?.inputs ?? inputs.map(() => START), last);
    // With their clocks: else what is set back would come in another order.
    if (last !== undefined) expect(task.inputs).toEqual(last.inputs);
    return task;
  }

  run(): this {
    const { random } = this.#run;
    while (!this.#isDone()) {
      if (random.chance(0.7)) this.#fetch(random.below(this.#cursors.length));
      this.#step();
      if (random.chance(0.4)) this.#task.expire(1 + random.below(9), WALL);
      if (random.chance(0.2)) hold(this.#task.inspect());
      if (random.chance(0.3)) this.#commit(random.chance(0.9));
      if (random.chance(0.03)) this.#restart();
    }
    while (this.#task.expire(50, WALL));
    this.#commit(true);
    return this;
  }

  /** All but the ends of all but one input, which wait. */
  #isDone(): boolean {
    const { logs } = this.#run;
    const left = this.#task.inputs.map(({ position }, input) => logs[input]!.length - position);
    return left.every((records) => records <= 1) && left.filter((records) => records === 1).length < logs.length;
  }

  #fetch(input: number): void {
    if (this.#cursors[input] !== undefined) return;
    const { logs, random } = this.#run;
    const from = this.#task.inputs[input]!.position;
    const records = logs[input]!.slice(from, from + 1 + random.below(9));
    if (records.length > 0) this.#cursors[input] = new ListCursor(records, 1 + random.below(8));
  }

  #step(): void {
    const outcome = this.#task.stepMerged(this.#cursors, 1 + this.#run.random.below(20), WALL);
    if (outcome.kind !== 'of') return;
    // Entries due before a window is over end before the record (S12).
    if (outcome.outcome.kind === 'due') {
      this.#task.expire(1 + this.#run.random.below(9), WALL);
      return;
    }
    expect(outcome.outcome.kind).toBe('exhausted');
    this.#cursors[outcome.input] = undefined;
  }

  #commit(succeeds: boolean): void {
    const sequence = this.#sequence + 1;
    const commitId = `r-${sequence}-${this.#run.random.below(1e6)}`;
    const ids = { logId: 'log', owner: 'me', commitId, sequence, previousCommitId: this.#previous };
    const cut = this.#task.cut({ ...ids, inputPartitions: 4 });
    if (!succeeds) {
      this.#restart();
      return;
    }
    this.#sequence = sequence;
    this.#previous = commitId;
    const offsets = cut.blocks.map(({ bytes }) => {
      this.#blocks.push({ offset: this.#blocks.length, bytes: bytes.slice() });
      return this.#blocks.length - 1;
    });
    const all = [...cut.outputs];
    this.#task.settle(cut, offsets);
    const outputs = all.filter(({ topic }) => topic !== STATS_TOPIC);
    const closed = closedIn({ outputs }).map(shown);
    this.closed.push(...closed);
    for (const { topic, key, value } of all) if (topic === STATS_TOPIC) this.#count(text(key!), text(value!));
    for (const { key, value, headers } of outputs)
      this.words.push(value === null ? `${text(key!)} final ${text(headers![0]!.value!)}` : closed.shift()!);
    this.refused.push(...cut.deadLetters.map(({ input, offset }) => `${input}/${offset}`));
  }

  #count(key: string, said: string): void {
    expect(this.stats.has(key)).toBe(false);
    this.stats.set(key, JSON.parse(said) as Said);
  }

  /** Forgets uncommitted records, and those in hand. */
  #restart(): void {
    this.#cursors.fill(undefined);
    this.#task = this.#begun();
  }
}

const CLOCK_HEADERS = [{ name: 'flatline-clock', value: null }];
const VALUES = ['', '', '', 'a=1', 'a=2', 'b=3', '#1', '#2', null];

/** How far behind its log's clock a producer's stamp lies, in steps. */
const BEHIND_STEPS = 2;
const FAR_BEHIND_STEPS = 40;

function drawnLog(random: Random, byBroker: boolean, end: number, behind = BEHIND_STEPS): TestRecord[] {
  let timestamp = 1_000_000;
  // Coarse, so that inputs have records at the same instant, and batches of several.
  const stamp = (): number => {
    if (random.chance(0.6)) timestamp += STEP_MS * random.below(random.chance(0.1) ? 30 : 4);
    // Clocks of brokers are set back, too.
    if (random.chance(0.1)) timestamp -= STEP_MS * random.below(6);
    return byBroker ? timestamp : timestamp - STEP_MS * random.below(behind);
  };
  const records = Array.from({ length: random.below(120) }, (_, offset) => {
    const value = VALUES[random.below(VALUES.length)]!;
    return { offset, timestamp: stamp(), key: `key-${random.below(6)}`, value, logAppendTime: byBroker };
  });
  const last = { offset: records.length, timestamp: end, key: null, value: '', logAppendTime: byBroker };
  return [...records, { ...last, headers: CLOCK_HEADERS }];
}

const SEEDS = Number(process.env['SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const END = 2_000_000;
const STEP_MS = 100;

function drawn(seed: number, { isStamped = false } = {}): Omit<Run, 'random'> {
  const random = seededRandom(seed);
  const isByBroker = random.chance(0.6) && !isStamped;
  const behind = isStamped ? FAR_BEHIND_STEPS : BEHIND_STEPS;
  const inputs = Array.from({ length: 2 + random.below(3) }, (_, input): NaiveInput => {
    const touches = input === 0 || random.chance(0.3);
    const unknownKey = (['open', 'hold', 'deadLetter'] as const)[random.below(3)]!;
    const opens = input === 0 || !isStamped || unknownKey !== 'deadLetter';
    return { touches, unknownKey: touches && opens ? 'open' : unknownKey, holdMs: 200 + random.below(4_000) };
  });
  const byBroker = inputs.map(() => isByBroker);
  return { logs: inputs.map((_, input) => drawnLog(random, byBroker[input]!, END + input, behind)), inputs, byBroker };
}

describe('sessions from several inputs', () => {
  test(`[S8][C5][R1][I1] ${SEEDS} seeds: what comes out is what the order of the logs says, whatever was fetched when`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
      const world = drawn(seed);
      try {
        // Behind the first of the clock records at the end nothing moves the clock.
        const expected = naively(
          sorted(world.logs).filter(({ place }) => place <= END),
          world.inputs,
          TIMEOUT_MS,
        );
        for (const reading of [1, 2]) {
          const model = new Model({ ...world, random: seededRandom(1_000 * reading + seed) }).run();
          expect(model.closed.sort()).toEqual(expected.closed);
          expect(model.refused).toEqual(expected.refused);
        }
      } catch (error) {
        (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
        throw error;
      }
    }
  });

  test(`[S8][S9][S10][S11][S12][S13][C5] ${SEEDS} seeds: what comes out is what the rules say, read a second time`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
      const world = drawn(seed);
      const rules = drawnRules(seededRandom(7_000_000 + seed));
      try {
        const expected = readAgain({ ...world, rules });
        const model = new Model({ ...world, rules, random: seededRandom(3_000_000 + seed) }).run();
        expect(byKey(model.words)).toEqual(byKey(expected.said));
        expect(model.stats).toEqual(expected.stats);
        expect(model.refused).toEqual(expected.refused);
      } catch (error) {
        (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
        throw error;
      }
    }
  });

  test(`[S8][C7][S9][S10][S12][C5] ${SEEDS} seeds: with a grace what comes out is what the rules say, read a second time`, () => {
    const seen = new Set<string>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
      const world = drawn(seed, { isStamped: true });
      const rules = drawnByTime(seededRandom(8_000_000 + seed));
      try {
        const expected = readAgain({ ...world, rules });
        const model = new Model({ ...world, rules, random: seededRandom(4_000_000 + seed) }).run();
        expect(byKey(model.words)).toEqual(byKey(expected.said));
        expect(model.stats).toEqual(expected.stats);
        expect(model.refused).toEqual(expected.refused);
        for (const what of expected.sights) seen.add(what);
      } catch (error) {
        (error as Error).message += `\nrerun: SEED=${seed} SEEDS=1 npm test -- partition`;
        throw error;
      }
    }
    if (SEEDS >= 12) expect([...seen].sort()).toEqual(['absorbed of another input', 'absorbed of its own', 'revised']);
  });
});

describe('with a grace, of several inputs', () => {
  const T = 1_000_000;
  const both: readonly NaiveInput[] = [
    { touches: true, unknownKey: 'open', holdMs: 0 },
    { touches: true, unknownKey: 'open', holdMs: 0 },
  ];
  const withTable: readonly NaiveInput[] = [both[0]!, { touches: false, unknownKey: 'hold', holdMs: 50 }];

  /** Logs with records at these times after T, and one that is far on. */
  const log = (...said: readonly (readonly [at: number, value: string, key?: string])[]): TestRecord[] => [
    ...said.map(([at, value, key = 'k'], offset) => ({ offset, timestamp: T + at, key, value, logAppendTime: false })),
    { offset: said.length, timestamp: END, key: null, value: '', headers: CLOCK_HEADERS, logAppendTime: false },
  ];

  const closedOf = (inputs: readonly NaiveInput[], ...logs: readonly TestRecord[][]): readonly string[] => {
    const rules = { timeoutMs: 200, graceMs: 1_000 };
    return new Model({ logs, inputs, byBroker: [false, false], rules, random: seededRandom(1) }).run().closed;
  };

  test('[S8][C7] of sessions that become one the one of the input named first stays, with offsets of that input alone', () => {
    expect(closedOf(both, log([0, '']), log([0, 'x=1', 'other'], [300, ''], [150, '']))).toContain(
      `k 0-0 TIMEOUT 3 0..0 ${T}..${T + 300} ${T + 300 + 200 + 1_000}`,
    );
  });

  test('[S8][C7] data is of the session that lasts at its time, or the next one, or else of the last', () => {
    const table = log([900, 'c=3'], [250, 'b=2'], [100, 'a=1']);
    expect(closedOf(withTable, log([0, ''], [500, '']), table)).toEqual([
      `k 0-0 TIMEOUT 2 0..0 ${T}..${T} ${T + 200 + 1_000} a=1`,
      `k 0-1 TIMEOUT 3 1..1 ${T + 500}..${T + 500} ${T + 500 + 200 + 1_000} b=2 c=3`,
    ]);
  });

  test.each([
    [1_049, ' a=1'],
    [1_050, ''],
  ])('[S8][C7] early data is kept as much longer as the activity may be late: clock %i', (clock, texts) => {
    const stream = log([clock, '', 'other'], [900, '']);
    const count = texts === '' ? 1 : 2;
    expect(closedOf(withTable, stream, log([0, 'a=1']))).toContain(
      `k 0-1 TIMEOUT ${count} 1..1 ${T + 900}..${T + 900} ${T + 900 + 200 + 1_000}${texts}`,
    );
  });
});

/** Sessions by the time of their events, which excludes some of the others. */
function drawnByTime(random: Random): OwnRules {
  const { reducer, stats, maxEvents } = drawnRules(random);
  const isRevised = random.chance(0.6);
  return {
    timeoutMs: 300 + random.below(700),
    graceMs: STEP_MS * (1 + random.below(30)),
    late: isRevised ? 'revise' : random.chance(0.5) ? 'drop' : 'deadLetter',
    ...(isRevised && { revisionWindowMs: 1 + random.below(3_000) }),
    ...(reducer && { reducer }),
    ...(stats && { stats }),
    ...(maxEvents !== undefined && { maxEvents }),
  };
}

function drawnRules(random: Random): OwnRules {
  const drawn = {
    sayOpened: random.chance(0.5),
    ...(random.chance(0.5) && { maxEvents: 1 + random.below(8) }),
    ...(random.chance(0.3) && { maxDurationMs: 1_500 + random.below(3_000) }),
    ...(random.chance(0.5) && { revisionWindowMs: 1 + random.below(3_000) }),
  };
  const reducer = REDUCERS[random.below(REDUCERS.length + 1)];
  const dimensions = ['a', 'b'].slice(random.below(3)).map((name) => ({ name, attribute: name, max: 1 }));
  const stats = { windows: [[500], [1_000, 5_000]][random.below(2)]!, dimensions };
  return {
    ...drawn,
    ...(reducer && { reducer }),
    ...(random.chance(0.6) && { stats }),
    ...(random.chance(0.4) && { updateIntervalMs: 1 + random.below(900) }),
  };
}

/** Folds the logs by the oracle. */
function readAgain({ logs, inputs, byBroker, rules: own }: Omit<Run, 'random'>): {
  readonly said: string[];
  readonly refused: readonly string[];
  readonly stats: ReadonlyMap<string, Said>;
  readonly sights: readonly string[];
} {
  const { rules, input, partition } = options();
  const { maxKeyBytes } = input;
  const { reducer, ...others } = own ?? {};
  const judged: PipelineRules = {
    kind: 'session',
    ...rules,
    dedupeEventIds: 1_000,
    ...others,
    ...(reducer && { reducer: rulesOf(reducer) }),
    timestampType: typeOf(byBroker[0]!),
    maxKeyBytes,
    inputs: inputs.map((each, input) => ({ ...each, timestampType: typeOf(byBroker[input]!), maxKeyBytes })),
    unheardMs: 0,
    maxHoldMs: 0,
  };
  const event = (value: Uint8Array): ReturnType<typeof jsonEvent> =>
    jsonEvent(new TextEncoder().encode(jsonOf(text(value))));
  const fieldsOf = ({ value }: TestRecord): object =>
    value === null || value === '' ? {} : { fields: JSON.parse(jsonOf(value)) as Record<string, unknown> };
  const read = logs.map((log) => log.map((record) => ({ ...inputRecord(rawOf(record), event), ...fieldsOf(record) })));
  const merged = inOneOrder(read, judged).filter(
    ({ timestamp, clockBefore = 0 }) => Math.max(timestamp, clockBefore) <= END,
  );
  const { said, refused, stats } = foldInput(merged, { partition, rules: judged });
  return {
    said: said.flatMap(({ summary, isFinal }) => [
      ...(summary['state'] === 'FINAL' ? [] : [shownAgain(summary)]),
      ...(isFinal ? [`${String(summary['sessionId'])} final ${summary.incarnation}`] : []),
    ]),
    sights: said.flatMap(({ summary }) => sightsIn(summary)),
    stats: new Map(stats.map(({ key, fields }) => [key, written(fields)])),
    refused: refused.map((place) => `${Math.floor(place / 2 ** 45)}/${place % 2 ** 45}`),
  };
}

function sightsIn({ absorbed, incarnation, revision }: Readonly<Record<string, unknown>>): string[] {
  const inputIn = (name: unknown): string | undefined => String(name).split('-')[2];
  const others = ((absorbed ?? []) as readonly string[]).map((name) =>
    inputIn(name) === inputIn(incarnation) ? 'absorbed of its own' : 'absorbed of another input',
  );
  return Number(revision) > 0 ? [...others, 'revised'] : others;
}

/** A value of these tests as the checker knows one. */
function jsonOf(value: string): string {
  const [name, says] = value.split('=');
  if (says !== undefined) return JSON.stringify({ attributes: { [name!]: says } });
  return JSON.stringify(value.startsWith('#') ? { eventId: value } : {});
}

function shownAgain(s: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(s['attributes'] as Readonly<Record<string, string>>).map(
    ([name, value]) => `${name}=${value}`,
  );
  const offsets = `${String(s['firstOffset'])}..${String(s['lastOffset'])}`;
  const times = `${String(s['startedAt'])}..${String(s['endedAt'])}`;
  const why = s['reason'] === '' ? s['state'] : s['reason'];
  const name = named(String(s['incarnation']), s['revision']);
  const reduced = s['reduced'] === undefined ? [] : [JSON.stringify(s['reduced'])];
  return [s['sessionId'], name, why, s['eventCount'], offsets, times, s['closedAt'], ...texts.sort(), ...reduced].join(
    ' ',
  );
}
