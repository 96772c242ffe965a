import { describe, expect, test } from '@jest/globals';
import type { OutgoingEvent } from '@flatline/records/events';
import { Simulation } from '@flatline/cluster';
import { Fleet } from './fleet.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { FleetSender, type FleetTarget } from './fleet-sender.ts';
import type { FleetFormat, LedgerEntry } from './ledger.ts';

const plan: FleetPlan = {
  sessions: 30,
  ratePerSecond: 50,
  heartbeatMs: 200,
  beatsMean: 4,
  duplicates: 0.2,
  reorder: 0.1,
  lose: 0.1,
  ends: ['silence', 'null', 'event'],
  seed: 3,
};

interface Sent {
  readonly id: string;
  readonly what: 'beat' | 'end' | OutgoingEvent;
  readonly atMs: number;
}

/** Two partitions that acknowledge `delayMs` later, in order, with at most `roomMax` unacknowledged records. */
function world(fleetPlan: FleetPlan, format: FleetFormat, delayMs: number, roomMax = Infinity) {
  const simulation = new Simulation({ seed: 5 });
  const { ports } = simulation.start('fleet');
  const { clock } = ports;
  const origin = clock.monotonicMs();
  const sent: Sent[] = [];
  const entries: LedgerEntry[] = [];
  const idle: (() => void)[] = [];
  let unacknowledged = 0;
  let most = 0;
  const later = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.after(ms, resolve);
    });
  const take = (id: string, what: Sent['what']): Promise<void> | undefined => {
    sent.push({ id, what, atMs: Math.round(clock.monotonicMs() - origin) });
    unacknowledged += 1;
    most = Math.max(most, unacknowledged);
    clock.after(delayMs, () => {
      sender.acknowledged(target.partitionFor(id), 1);
      unacknowledged -= 1;
      if (unacknowledged === 0) for (const resolve of idle.splice(0)) resolve();
    });
    return unacknowledged >= roomMax ? later(delayMs) : undefined;
  };
  const target: FleetTarget = {
    partitionFor: (id) => id.length % 2,
    beat: (id) => take(id, 'beat'),
    event: (id, event) => take(id, event),
    end: (id) => take(id, 'end'),
    flush: () => (unacknowledged === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
  const onEntry = (entry: LedgerEntry): void => void entries.push(entry);
  const sender = new FleetSender({ fleet: new Fleet(fleetPlan), format, clock, target, onEntry });
  return { simulation, sender, sent, entries, most: () => most };
}

const never = new AbortController().signal;

describe('a fleet in real time', () => {
  test('FS1 everything is sent when it is due', async () => {
    const { simulation, sender, sent } = world(plan, 'bare', 3);
    await simulation.time.complete(sender.run(never));
    const fleet = new Fleet(plan);
    const due: [string, number][] = [];
    for (let action = fleet.next(); action !== undefined; action = fleet.next())
      if (action.kind !== 'lost') due.push([action.sessionId, action.atMs]);
    expect(sent.map(({ id, atMs }) => [id, atMs])).toEqual(due);
  });

  test('FS3 the ledger has every session once, with what was acknowledged of it', async () => {
    const { simulation, sender, sent, entries } = world(plan, 'json', 30);
    await simulation.time.complete(sender.run(never));
    expect(new Set(entries.map(({ sessionId }) => sessionId)).size).toBe(30);
    expect(entries.length).toBe(30);
    for (const entry of entries) {
      const records = sent.filter(({ id }) => id === entry.sessionId);
      const ends = entry.ended === 'silence' ? 0 : 1;
      expect(entry.acknowledged + entry.duplicates + ends).toBe(records.length);
      expect(entry.longestGapMs).toBeGreaterThanOrEqual(entry.acknowledged > 1 ? plan.heartbeatMs : 0);
    }
    expect(entries.reduce((sum, entry) => sum + entry.acknowledged + entry.duplicates, 0)).toBe(sender.heartbeats);
  });

  test('FS2 a target that is full is waited for, and what comes late is sent at once', async () => {
    const { simulation, sender, entries, most } = world({ ...plan, ratePerSecond: 1000 }, 'bare', 200, 10);
    await simulation.time.complete(sender.run(never));
    expect(most()).toBe(10);
    expect(sender.behindMs).toBeGreaterThan(100);
    expect(entries.length).toBe(30);
  });

  test('stopped, it books what was acknowledged of those still alive', async () => {
    const { simulation, sender, sent, entries } = world({ ...plan, sessions: Infinity }, 'bare', 5);
    const stop = new AbortController();
    const running = sender.run(stop.signal);
    await simulation.time.runFor(3000);
    stop.abort();
    await simulation.time.complete(running);
    expect(new Set(entries.map(({ sessionId }) => sessionId))).toEqual(new Set(sent.map(({ id }) => id)));
    expect(entries.filter(({ ended }) => ended === 'cutOff').length).toBeGreaterThan(0);
  });

  test('events carry sequence and event time; the first is STARTED, an explicit end is ENDED or null', async () => {
    const { simulation, sender, sent } = world(
      { ...plan, ends: ['event'], lose: 0, reorder: 0, duplicates: 0 },
      'json',
      1,
    );
    await simulation.time.complete(sender.run(never));
    for (const records of Map.groupBy(sent, ({ id }) => id).values()) {
      const events = records.map(({ what }) => what as OutgoingEvent);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index));
      expect(events[0]?.type).toBe('STARTED');
      expect(events.at(-1)?.type).toBe('ENDED');
      expect(events[1]!.occurredAt! - events[0]!.occurredAt!).toBe(plan.heartbeatMs);
    }
  });
});
