import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Fleet, type FleetAction } from './fleet.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { type FleetFormat, Ledger, type LedgerEntry } from './ledger.ts';
import { checkFleet, FleetCheck, type ObservedOutput, type ObservedSummary } from './fleet-check.ts';

const TIMEOUT_MS = 1000;
const plan: FleetPlan = {
  sessions: 40,
  ratePerSecond: 100,
  heartbeatMs: 100,
  beatsMean: 6,
  duplicates: 0.2,
  reorder: 0.2,
  lose: 0.1,
  ends: ['silence', 'silence', 'null', 'event'],
  seed: 7,
};

interface Run {
  readonly ledger: readonly LedgerEntry[];
  readonly outputs: readonly ObservedOutput[];
}

/** The acknowledgements of an ideal broker and the output of an ideal processor: each session folded by itself, naively. */
function idealRun(fleetPlan: FleetPlan, format: FleetFormat): Run {
  const fleet = new Fleet(fleetPlan);
  const book = new Ledger(format);
  const ledger: LedgerEntry[] = [];
  const sessions = new Map<string, FleetAction[]>();
  for (let action = fleet.next(); action !== undefined; action = fleet.next()) {
    sessions.set(action.sessionId, [...(sessions.get(action.sessionId) ?? []), action]);
    if (action.kind === 'lost') {
      book.lost(action);
      continue;
    }
    book.sending(action);
    const entry = book.acknowledged(action, { sentAt: Number(action.atMs), acknowledgedAt: action.atMs + 2 });
    if (entry !== undefined) ledger.push(entry);
  }
  expect(book.openSessions).toBe(0);
  return { ledger, outputs: [...sessions.values()].flatMap((actions) => closeOf(actions, format)) };
}

function closeOf(actions: readonly FleetAction[], format: FleetFormat): ObservedOutput[] {
  const sessionId = actions[0]!.sessionId;
  const incarnation = `0-${actions[0]!.session}`;
  const beats = actions.filter((action) => action.kind === 'beat');
  const repeats = beats.filter(({ repeated }) => repeated).length;
  const end = actions.find((action) => action.kind === 'end');
  const named = format !== 'bare';
  const summary: ObservedSummary = {
    kind: 'summary',
    sessionId,
    incarnation,
    revision: 0,
    reason: end === undefined ? 'TIMEOUT' : 'ENDED',
    eventCount: beats.length - (named ? repeats : 0) + (end === undefined ? 0 : 1),
    duplicateCount: named ? repeats : 0,
    outOfOrderCount: named ? beats.filter(({ heldBack, repeated }) => heldBack && !repeated).length : 0,
    missingCount: named ? actions.filter(({ kind }) => kind === 'lost').length : 0,
  };
  return [summary, { kind: 'tombstone', sessionId, incarnation }];
}

const ideal = idealRun(plan, 'json');
const isSummary = (output: ObservedOutput): output is ObservedSummary => output.kind === 'summary';
const first = ideal.outputs.find(isSummary)!;

function changed(index: number, change: (output: ObservedOutput) => ObservedOutput[]): ObservedOutput[] {
  return ideal.outputs.flatMap((output, i) => (i === index ? change(output) : [output]));
}

describe('the check of outputs against the ledger', () => {
  test.each<FleetFormat>(['bare', 'json', 'avro'])('[S4] an ideal run of %s passes', (format) => {
    const { ledger, outputs } = idealRun(plan, format);
    expect(checkFleet(ledger, outputs, TIMEOUT_MS)).toEqual({
      sessions: 40,
      closedOnce: 40,
      split: 0,
      open: 0,
      violations: 0,
      firstViolations: [],
    });
  });

  const mutants: readonly (readonly [string, readonly ObservedOutput[]])[] = [
    ['[S4] a dropped close', ideal.outputs.slice(2)],
    ['[O2] a dropped tombstone', changed(1, () => [])],
    ['[S4] a close that came twice', changed(0, (output) => [output, output])],
    [
      '[S4] a second close under another incarnation',
      [...ideal.outputs, { ...first, incarnation: '0-9999' }, { ...first, kind: 'tombstone', incarnation: '0-9999' }],
    ],
    ['[O2] a tombstone before its summary', [ideal.outputs[1]!, ideal.outputs[0]!, ...ideal.outputs.slice(2)]],
    ['[O2] a tombstone that came twice', changed(1, (output) => [output, output])],
    ['[S4] a close of a session that never was', [...ideal.outputs, { ...first, sessionId: 'ghost' }]],
    ['[S4] one event too few', changed(0, () => [{ ...first, eventCount: first.eventCount - 1 }])],
    [
      '[S5] a duplicate counted as an event',
      changed(0, () => [{ ...first, eventCount: first.eventCount + 1, duplicateCount: first.duplicateCount - 1 }]),
    ],
    ['[S6] one missing too many', changed(0, () => [{ ...first, missingCount: first.missingCount + 1 }])],
    ['[S6] one out of order too few', changed(0, () => [{ ...first, outOfOrderCount: first.outOfOrderCount - 1 }])],
    ['[S2] a wrong reason', changed(0, () => [{ ...first, reason: 'EVICTED' }])],
    ['[O3] a revision that was not asked for', changed(0, () => [{ ...first, revision: 1 }])],
  ];

  test.each(mutants)('catches %s', (name, outputs) => {
    const verdict = checkFleet(ideal.ledger, outputs, TIMEOUT_MS);
    expect(verdict.violations).toBeGreaterThan(0);
    expect(verdict.firstViolations.map(({ rule }) => rule).some((rule) => name.includes(rule) || rule === 'S4')).toBe(
      true,
    );
  });

  test('[S4] a session that the fleet itself let fall silent may be two, if the sums agree', () => {
    const [summary, ...rest] = ideal.outputs as [ObservedSummary, ...ObservedOutput[]];
    const parts = [
      { ...summary, eventCount: 1, duplicateCount: 0, reason: 'TIMEOUT' },
      { kind: 'tombstone' as const, sessionId: summary.sessionId, incarnation: summary.incarnation },
      { ...summary, eventCount: summary.eventCount - 1, incarnation: '0-77' },
      { kind: 'tombstone' as const, sessionId: summary.sessionId, incarnation: '0-77' },
    ];
    const heldUp = ideal.ledger.map((entry) =>
      entry.sessionId === summary.sessionId ? { ...entry, longestGapMs: TIMEOUT_MS } : entry,
    );
    const outputs = [...parts, ...rest.slice(1)];
    expect(checkFleet(heldUp, outputs, TIMEOUT_MS)).toMatchObject({ violations: 0, split: 1, closedOnce: 39 });
    expect(checkFleet(ideal.ledger, outputs, TIMEOUT_MS).violations).toBe(1);
    expect(checkFleet(heldUp, outputs.slice(2), TIMEOUT_MS).violations).toBeGreaterThan(0);
  });

  test('LC1 ledger and outputs may interleave (rerun with fc.assert(property, { seed, path }) as printed)', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.boolean()), (coins) => {
        const check = new FleetCheck(TIMEOUT_MS);
        const ledger = [...ideal.ledger];
        const outputs = [...ideal.outputs];
        for (const coin of coins) {
          if (ledger.length === 0 && outputs.length === 0) break;
          const entry = coin ? ledger.shift() : undefined;
          if (entry !== undefined) check.expect(entry);
          const output = coin ? undefined : outputs.shift();
          if (output !== undefined) check.observe(output);
        }
        expect(check.closed).toBe(40);
        expect(check.verdict()).toMatchObject({ closedOnce: 40, violations: 0 });
      }),
      { numRuns: 20 },
    );
  });

  test('asked too early, says what is still open and stays usable', () => {
    const check = new FleetCheck(TIMEOUT_MS);
    for (const entry of ideal.ledger) check.expect(entry);
    expect(check.verdict()).toMatchObject({ open: 40, closedOnce: 0, violations: 40 });
    for (const output of ideal.outputs) check.observe(output);
    expect(check.verdict()).toMatchObject({ open: 0, closedOnce: 40, violations: 0 });
  });
});

describe('a ledger', () => {
  const beat = (sequence: number, final: boolean): FleetAction & { kind: 'beat' } => ({
    kind: 'beat',
    atMs: 0,
    session: 0,
    sessionId: 'a',
    sequence,
    occurredAtMs: 0,
    repeated: false,
    heldBack: false,
    final,
  });

  test('holds nothing that was not acknowledged', () => {
    const book = new Ledger('bare');
    book.sending(beat(0, false));
    book.sending(beat(1, true));
    expect(book.acknowledged(beat(0, false), { sentAt: 10, acknowledgedAt: 12 })).toBeUndefined();
    expect(book.cutOff()).toEqual([
      expect.objectContaining({ sessionId: 'a', acknowledged: 1, ended: 'cutOff', firstSentAt: 10, lastSentAt: 10 }),
    ]);
    expect(book.openSessions).toBe(0);
  });

  test('a session without an acknowledgement leaves no entry', () => {
    const book = new Ledger('bare');
    book.sending(beat(0, true));
    expect(book.cutOff()).toEqual([]);
  });

  test('the longest gap is measured from sending to the next acknowledgement', () => {
    const book = new Ledger('bare');
    for (const sequence of [0, 1, 2]) book.sending(beat(sequence, sequence === 2));
    book.acknowledged(beat(0, false), { sentAt: 100, acknowledgedAt: 105 });
    book.acknowledged(beat(1, false), { sentAt: 200, acknowledgedAt: 1500 });
    const entry = book.acknowledged(beat(2, true), { sentAt: 300, acknowledgedAt: 1501 });
    expect(entry).toMatchObject({ longestGapMs: 1400, firstSentAt: 100, lastSentAt: 300, ended: 'silence' });
  });
});
