// Events in no order, against sessions computed from all of them again after each (C7).
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import fc from 'fast-check';
import { DisorderLog, type Summary } from './disorder.fixture.ts';

const T = 1_000_000;
const TIMEOUT = 100;
/** Short ones: of a hundred some dozen sessions are joined, whatever the seed. */
const RUNS = 4 * Number(process.env['SEEDS'] ?? 25);

interface Event {
  readonly key: string;
  readonly at: number;
  readonly offset: number;
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The sessions of one key: all that came is kept, and sorted out again with each event. */
class NaiveKey {
  #events: Event[] = [];
  /** First offsets of sessions that were there after some event. */
  readonly #opened = new Set<number>();
  readonly said: unknown[] = [];
  readonly late: number[] = [];
  readonly #graceMs: number;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** Sorted by time, cut where a gap is as long as the timeout. */
  #sessions(): Event[][] {
    const sorted = [...this.#events].sort((a, b) => a.at - b.at || a.offset - b.offset);
    const sessions: Event[][] = [];
    for (const event of sorted) {
      const last = sessions.at(-1);
      if (last === undefined || event.at - last.at(-1)!.at >= TIMEOUT) sessions.push([event]);
      else last.push(event);
    }
    return sessions;
  }

  close(clock: number): void {
    for (const session of this.#sessions()) {
      const closedAt = session.at(-1)!.at + TIMEOUT + this.#graceMs;
      if (closedAt > clock) return;
      this.said.push(this.#summary(session, closedAt));
      this.#events = this.#events.filter((event) => !session.includes(event));
    }
  }

  add(event: Event, clock: number): void {
    const isAlone = this.#events.every(({ at }) => Math.abs(at - event.at) >= TIMEOUT);
    if (isAlone && event.at + TIMEOUT + this.#graceMs <= clock) this.late.push(event.offset);
    else this.#events.push(event);
    for (const session of this.#sessions()) this.#opened.add(firstOf(session));
  }

  #summary(session: readonly Event[], closedAt: number): unknown {
    const offsets = session.map(({ offset }) => offset);
    const first = firstOf(session);
    const absorbed = [...this.#opened].filter((each) => each !== first && offsets.includes(each)).sort((a, b) => a - b);
    const [startedAt, endedAt] = [session[0]!.at, session.at(-1)!.at];
    const inOrder = [...session].sort((a, b) => a.at - b.at || a.offset - b.offset);
    const countsByType: Record<string, number> = {};
    for (const { type } of session) countsByType[type] = (countsByType[type] ?? 0) + 1;
    const times = { startedAt, endedAt, lastSeenAt: endedAt, deadlineAt: endedAt + TIMEOUT, closedAt };
    const attributes = Object.assign({}, ...inOrder.map((each) => each.attributes)) as object;
    const where = { firstOffset: first, lastOffset: Math.max(...offsets) };
    const count = { eventCount: session.length, duplicateCount: 0, countsByType, truncated: false };
    return { ...times, ...where, ...count, attributes, absorbed: absorbed.map((offset) => `3-${offset}`) };
  }
}

function firstOf(session: readonly Event[]): number {
  return Math.min(...session.map(({ offset }) => offset));
}

/** The naive summary; names of the absorbed in the order of their offsets. */
function comparable(summary: Summary, like: object): unknown {
  const { absorbed = [] } = summary as { absorbed?: readonly string[] };
  const sorted = [...absorbed].sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)));
  const all = { ...summary, absorbed: sorted };
  return Object.fromEntries(Object.keys(like).map((name) => [name, (all as Record<string, unknown>)[name]]));
}

const step = fc.record({
  key: fc.constantFrom('a', 'a', 'b'),
  // Gaps of a timeout and more, and what comes late into them.
  forward: fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 100, max: 190 })),
  behind: fc.oneof(fc.constant(0), fc.integer({ min: 60, max: 190 }), fc.nat({ max: 700 })),
  attribute: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
  isBare: fc.boolean(),
  then: fc.constantFrom('go on', 'go on', 'go on', 'go on', 'commit', 'commit', 'restart', 'clock'),
});

describe('sessions by event time, against a second computation', () => {
  test('[C7][C5][R1] each is what all events that came in time make it, whatever the order, the commits and the restarts', () => {
    let joins = 0;
    let lates = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 60 }), fc.constantFrom(1, 50, 400), (steps, graceMs) => {
        const log = new DisorderLog({ rules: { timeoutMs: TIMEOUT, graceMs }, groupMax: 3 });
        const naive = { a: new NaiveKey(graceMs), b: new NaiveKey(graceMs) };
        let clock = 0;
        let now = T;
        for (const { key, forward, behind, attribute, isBare, then } of steps) {
          now += forward;
          const at = Math.max(1, now - behind);
          clock = Math.max(clock, at);
          const attributes = attribute === undefined ? {} : { [attribute]: `${at} of ${now}` };
          const type = isBare ? 'HEARTBEAT' : 'VIEW';
          const offset = log.add(at, key, isBare ? '' : { type, attributes });
          naive[key as 'a'].close(clock);
          naive[key as 'a'].add({ key, at, offset, type, attributes: isBare ? {} : attributes }, clock);
          if (then === 'clock') log.add((clock = Math.max(clock, now + 200)), null);
          if (then !== 'go on') log.commit();
          if (then === 'restart') log.restart();
        }
        log.add(T + 1_000_000, null);
        log.commit();
        for (const [key, { said, late }] of Object.entries(naive)) {
          naive[key as 'a'].close(T + 1_000_000);
          expect(log.said(key).map((summary) => comparable(summary, said[0] ?? {}))).toEqual(said);
          joins += said.filter((each) => (each as { readonly absorbed: readonly string[] }).absorbed.length > 0).length;
          lates += late.length;
        }
        const refused = [...naive.a.late, ...naive.b.late].sort((a, b) => a - b);
        expect(log.refused).toEqual(refused.map((offset) => ({ offset, reason: 'late' })));
      }),
      { numRuns: RUNS },
    );
    expect(joins).toBeGreaterThan(10);
    expect(lates).toBeGreaterThan(10);
  });
});

const SEED_COUNT = Number(process.env['SEEDS'] ?? 30);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
/** Fresh seeds that were red once: a source that is not remembered needed room. */
const FOUND = [45_600_400];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

/** Whatever an event may say, at any time there is a use for. */
function storm(log: DisorderLog, random: Random): void {
  let now = T;
  for (let i = 0; i < 140; i += 1) {
    now += random.chance(0.2) ? random.below(250) : random.below(60);
    const at = now - (random.chance(0.5) ? random.below(pick(random, [60, 200, 700])) : 0);
    const event = {
      type: pick(random, ['HEARTBEAT', 'VIEW', 'CLICK', 'STARTED']),
      ...(random.chance(0.2) && { timeoutMs: 1 + random.below(400) }),
      ...(random.chance(0.3) && { occurredAt: at + random.below(200) - 100 }),
      ...(random.chance(0.3) && { eventId: `e${random.below(6)}` }),
      ...(random.chance(0.4) && { sequence: random.below(90) }),
      ...(random.chance(0.5) && { source: `s${random.below(4)}` }),
      ...(random.chance(0.5) && { attributes: { [`n${random.below(5)}`]: 'x'.repeat(random.below(12)) } }),
    };
    const value = random.chance(0.3) ? '' : random.chance(0.12) ? pick(random, [null, { type: 'ENDED' }]) : event;
    log.add(at, `k${random.below(2)}`, value);
    if (random.chance(0.3)) log.commit();
    if (random.chance(0.05)) {
      log.commit();
      log.restart();
    }
  }
  log.add(now + 1_000_000, null);
  log.commit();
}

describe('sessions by event time, against the second reading of the rules', () => {
  test.each([...FOUND, ...Array.from({ length: SEED_COUNT }, (_, i) => FIRST_SEED + i)])(
    '[C7][S5][S6][S7][S10][S13][I7][R1] seed %i: each summary and each dead letter (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const rules = {
        timeoutMs: TIMEOUT,
        graceMs: pick(random, [1, 80, 500, 2_000]),
        late: pick(random, ['deadLetter', 'drop'] as const),
        maxSources: pick(random, [0, 1, 3]),
        dedupeEventIds: pick(random, [0, 2, 4]),
        maxAttributes: 4,
        maxAttributeBytes: 30,
        // Drawn from a source of its own: the other seeds are what they were.
        maxEvents: pick(seededRandom(13_000_000 + seed), [undefined, undefined, 1, 3, 8]),
      };
      const log = new DisorderLog({ rules, maxStateBytes: pick(random, [Infinity, Infinity, 600]) });
      storm(log, random);
      const { all, refused } = log.folded();
      const plain = ([key, summaries]: readonly [string, readonly Summary[]]): [string, unknown] => [
        key,
        summaries.map((summary) => ({ ...summary, emittedAt: undefined, key: undefined })),
      ];
      expect(Object.fromEntries(Object.entries(log.all()).map(plain))).toEqual(
        Object.fromEntries(Object.entries(all).map(plain)),
      );
      expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    },
  );
});
