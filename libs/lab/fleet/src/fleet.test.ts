import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Fleet, type FleetAction } from './fleet.ts';
import { type FleetPlan, planProblems, scheduleOf } from './fleet-plan.ts';

const RERUN = 'rerun with fc.assert(property, { seed, path }) as printed';
const plain: FleetPlan = {
  sessions: 50,
  ratePerSecond: 100,
  heartbeatMs: 200,
  beatsMean: 5,
  duplicates: 0,
  reorder: 0,
  lose: 0,
  ends: ['silence'],
  seed: 1,
};
const probability = fc.double({ min: 0, max: 1, noNaN: true });
const anyPlan: fc.Arbitrary<FleetPlan> = fc.record({
  sessions: fc.integer({ min: 1, max: 60 }),
  ratePerSecond: fc.integer({ min: 10, max: 500 }),
  heartbeatMs: fc.integer({ min: 100, max: 2000 }),
  beatsMean: fc.integer({ min: 1, max: 12 }),
  duplicates: probability,
  reorder: probability,
  lose: probability,
  ends: fc.constantFrom<FleetPlan['ends']>(['silence'], ['null'], ['event'], ['silence', 'null', 'event']),
  seed: fc.nat(),
});

function run(plan: FleetPlan): FleetAction[] {
  const fleet = new Fleet(plan);
  const actions: FleetAction[] = [];
  for (let action = fleet.next(); action !== undefined; action = fleet.next()) actions.push(action);
  return actions;
}

function bySession(actions: readonly FleetAction[]): FleetAction[][] {
  return [...Map.groupBy(actions, ({ session }) => session).values()];
}

describe('a simulated fleet', () => {
  test(`FT1 the same seed gives the same actions, in order of time (${RERUN})`, () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const actions = run(plan);
        expect(run(plan)).toEqual(actions);
        expect(actions.map(({ atMs }) => atMs)).toEqual(actions.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
      }),
      { numRuns: 50 },
    );
  });

  test(`FT2 first and last heartbeat come, in their places; sequences lost and sent make a whole (${RERUN})`, () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const sessions = bySession(run(plan));
        expect(sessions.length).toBe(plan.sessions);
        for (const actions of sessions) {
          const beats = actions.filter((action) => action.kind === 'beat' && !action.repeated);
          const sequences = actions
            .filter((action) => action.kind !== 'beat' || !action.repeated)
            .map((a) => a.sequence);
          expect(sequences.toSorted((a, b) => a - b)).toEqual(sequences.map((_, index) => index));
          expect(beats[0]).toMatchObject({ sequence: 0, heldBack: false });
          const highest = Math.max(...beats.map((beat) => beat.sequence));
          const lost = actions.filter((action) => action.kind === 'lost');
          expect(lost.every(({ sequence }) => sequence > 0 && sequence < highest)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test(`FT3 the last action of a session is final, and no other (${RERUN})`, () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        for (const actions of bySession(run(plan)))
          expect(actions.map(({ final }) => final)).toEqual(actions.map((_, index) => index === actions.length - 1));
      }),
      { numRuns: 50 },
    );
  });

  test('held back means sent after a later one, never more than one turn late', () => {
    const actions = run({ ...plain, reorder: 0.5, sessions: 200 });
    const late = actions.filter((action) => action.kind === 'beat' && action.heldBack);
    expect(late.length).toBeGreaterThan(50);
    for (const beats of bySession(actions)) {
      let highest = -1;
      for (const action of beats) {
        if (action.kind !== 'beat') continue;
        expect(action.heldBack).toBe(action.sequence < highest);
        expect(action.atMs - action.occurredAtMs).toBe(action.heldBack ? plain.heartbeatMs : 0);
        highest = Math.max(highest, action.sequence);
      }
    }
  });

  test('beats at its rate, each session at its interval', () => {
    const actions = run({ ...plain, sessions: 1000 });
    const firstTenSeconds = actions.filter(({ atMs }) => atMs < 10_000);
    expect(firstTenSeconds.length).toBe(1000);
    for (const beats of bySession(actions))
      beats.slice(1).forEach(({ atMs }, index) => {
        expect(atMs - beats[index]!.atMs).toBe(plain.heartbeatMs);
      });
  });

  test('probabilities come out near what was asked', () => {
    const actions = run({ ...plain, sessions: 5000, beatsMean: 20, duplicates: 0.1, lose: 0.05, reorder: 0.02 });
    const share = (matches: (action: FleetAction) => boolean): number =>
      actions.filter(matches).length / actions.length;
    expect(share((a) => a.kind === 'beat' && a.repeated)).toBeCloseTo(0.085, 1);
    expect(share((a) => a.kind === 'lost')).toBeGreaterThan(0.03);
    expect(share((a) => a.kind === 'beat' && a.heldBack)).toBeGreaterThan(0.01);
  });

  test('without an end it goes on, with as many sessions alive as it has lanes', () => {
    const fleet = new Fleet({ ...plain, sessions: Infinity });
    for (let i = 0; i < 10_000; i += 1) expect(fleet.next()).toBeDefined();
    expect(fleet.started).toBeGreaterThan(1000);
    expect(fleet.alive).toBeLessThanOrEqual(fleet.schedule.lanes);
  });
});

describe('the schedule of a plan', () => {
  test('as many sessions at a time as the rate needs', () => {
    expect(scheduleOf(plain)).toEqual({ lanes: 20, spacingMs: 10 });
  });

  test('few sessions keep their interval and make less than the rate', () => {
    expect(scheduleOf({ ...plain, sessions: 4 })).toEqual({ lanes: 4, spacingMs: 50 });
  });

  test('a rate below one session, or beyond memory, is a problem that names the way out', () => {
    expect(planProblems(plain)).toEqual([]);
    expect(planProblems({ ...plain, ratePerSecond: 1 })).toEqual([
      expect.stringContaining('raise --rate to 5 or --heartbeat-ms to 1000'),
    ]);
    expect(planProblems({ ...plain, sessions: 1e7, ratePerSecond: 1e6, heartbeatMs: 60_000 })).toHaveLength(1);
  });
});
