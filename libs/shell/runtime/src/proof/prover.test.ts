// How often a partition is asked to prove its silence, by a model of its log: heartbeats, a writer of clock records, a reader.
import { describe, expect, test } from '@jest/globals';
import { type AskedRecord, Prover } from './prover.ts';

const RULES = { timestampType: 'LogAppendTime', proofIntervalMs: 100, unheardMs: 0, tickMs: 10 } as const;
const SPAN_MS = 20_000;
/** From the log to its reader, and from a writer to its log and back. */
const READ_MS = 2;

interface Model {
  /** Apart from each other; undefined: none come. */
  readonly heartbeatsMs?: number;
  readonly produceMs: number;
  /** True if the writer hears of its record before it is read. */
  readonly answersFirst?: boolean;
}

interface Seen {
  readonly asksPerSecond: number;
  readonly underWayMost: number;
  /** From a close's deadline until the clock had passed it, in order of size. */
  readonly latenessMs: readonly number[];
}

/** One session is due each ms; asks and closes happen within the ms in which they may. */
function run({ heartbeatsMs, produceMs, answersFirst = true }: Model): Seen {
  const prover = new Prover(RULES, 0);
  let [clock, closed, asks, end, read, underWayMost] = [0, 0, 0, 0, 0, 0];
  const log: { readonly offset: number; readonly stamp: number; readonly seenAt: number }[] = [];
  const writing: { readonly asked: AskedRecord; appendAt: number; offset: number }[] = [];
  const latenessMs: number[] = [];
  const append = (now: number): number => {
    log.push({ offset: end, stamp: now, seenAt: now + READ_MS });
    return end++;
  };
  const answer = (now: number): void => {
    for (const each of writing.filter(({ offset, appendAt }) => offset >= 0 && appendAt + produceMs / 2 <= now)) {
      writing.splice(writing.indexOf(each), 1);
      prover.written(each.asked, each.offset, now, 0);
    }
  };
  for (let now = 1; now <= SPAN_MS; now += 1) {
    if (heartbeatsMs !== undefined && now % heartbeatsMs === 0) append(now);
    // One request at a time, as to one leader.
    const first = writing[0];
    if (first?.offset === -1 && first.appendAt <= now) first.offset = append(now);
    if (answersFirst) answer(now);
    const come = log.splice(0, log.findIndex(({ seenAt }) => seenAt > now) >>> 0);
    if (come.length > 0) {
      prover.heard({ from: read, to: come.at(-1)!.offset + 1, receivedAtMs: now, isRecent: true });
      read = come.at(-1)!.offset + 1;
      for (const stamp = come.at(-1)!.stamp; clock < stamp; clock += 1, closed += 1) latenessMs.push(now - clock);
    }
    if (!answersFirst) answer(now);
    if (prover.advise({ clock, earliestDue: clock + 1, live: true, closed }, now).kind !== 'ask') continue;
    asks += 1;
    const after = Math.max(now, writing.at(-1)?.appendAt ?? 0) + produceMs / 2;
    writing.push({ asked: prover.asked(now), appendAt: after, offset: -1 });
    underWayMost = Math.max(underWayMost, writing.length);
  }
  return { asksPerSecond: (asks * 1_000) / SPAN_MS, underWayMost, latenessMs: latenessMs.sort((a, b) => a - b) };
}

describe('[C2] clock records of a partition in which something is always due', () => {
  test.each([
    { heartbeatsMs: 5, produceMs: 6 },
    { heartbeatsMs: 15, produceMs: 10 },
    { heartbeatsMs: 20, produceMs: 20 },
    { heartbeatsMs: 25, produceMs: 40 },
  ])('[C2] under steady traffic none are needed (%o)', (model) => {
    const { asksPerSecond, underWayMost } = run(model);
    expect(underWayMost).toBeLessThanOrEqual(1);
    expect(asksPerSecond).toBeLessThanOrEqual(1);
  });

  test.each([
    { heartbeatsMs: 26, produceMs: 6 },
    { heartbeatsMs: 30, produceMs: 80 },
    { heartbeatsMs: 40, produceMs: 150 },
    { heartbeatsMs: 26, produceMs: 300 },
  ])('[C2] PR1: one is under way at a time, however long it takes and whatever is read meanwhile (%o)', (model) => {
    const { asksPerSecond, underWayMost } = run(model);
    expect(underWayMost).toBe(1);
    expect(asksPerSecond).toBeLessThanOrEqual(10);
  });

  test.each([
    { produceMs: 6, answersFirst: true },
    { produceMs: 6, answersFirst: false },
    { produceMs: 6, heartbeatsMs: 400 },
    { produceMs: 6, heartbeatsMs: 60 },
  ])('[C2] without, closes wait for a quarter of the interval (%o)', (model) => {
    const { asksPerSecond, latenessMs } = run(model);
    expect(asksPerSecond).toBeLessThanOrEqual(40);
    expect(latenessMs[Math.floor(latenessMs.length * 0.99)]).toBeLessThanOrEqual(40);
  });

  test('[C2] without, and with slow brokers, for twice the round trip', () => {
    const { asksPerSecond, underWayMost } = run({ produceMs: 60 });
    expect(underWayMost).toBe(1);
    expect(asksPerSecond).toBeGreaterThan(7);
    expect(asksPerSecond).toBeLessThanOrEqual(9);
  });
});

test('[C2] PR1: a record that is neither read nor refused is given up in the end', () => {
  const prover = new Prover(RULES, 0);
  const silence = { clock: 1_000, earliestDue: 1_001, live: true, closed: 0 };
  expect(prover.advise(silence, 10).kind).toBe('ask');
  const lost = prover.asked(10);
  prover.heard({ from: 0, to: 1, receivedAtMs: 20, isRecent: true });
  expect(prover.advise(silence, 1_000)).toEqual({ kind: 'wait', delayMs: 4_010 });
  expect(prover.advise(silence, 5_010).kind).toBe('ask');
  const next = prover.asked(5_010);
  // A late outcome of the first says nothing of the second.
  prover.written(lost, 0, 5_020, 0);
  expect(prover.advise(silence, 5_500).kind).toBe('wait');
  prover.failed(next);
  expect(prover.advise(silence, 5_500).kind).toBe('ask');
});

test('[C2] PR3: none while runs of a backlog move the clock, whatever is due', () => {
  const prover = new Prover(RULES, 0);
  let asks = 0;
  for (let now = 5; now <= 10_000; now += 5) {
    prover.heard({ from: now, to: now + 1, receivedAtMs: now, isRecent: false });
    const silence = { clock: now, earliestDue: now + 1_800_000, live: true, closed: 0 };
    if (prover.advise(silence, now).kind !== 'ask') continue;
    asks += 1;
    prover.failed(prover.asked(now));
  }
  expect(asks).toBe(0);
  // Once they end nothing tells how old the clock is, and one is asked for.
  const silence = { clock: 10_000, earliestDue: 1_800_000, live: true, closed: 0 };
  expect(prover.advise(silence, 10_010)).toEqual({ kind: 'wait', delayMs: 15 });
  expect(prover.advise(silence, 10_025).kind).toBe('ask');
});

test.each(['written', 'read'])('[C2] what the process itself was late by holds up no close (first %s)', (first) => {
  const prover = new Prover(RULES, 0);
  const silence = { clock: 1_000, earliestDue: 1_001, live: true, closed: 0 };
  const readAt = (now: number): void => {
    prover.heard({ from: 0, to: 1, receivedAtMs: now, isRecent: true });
  };
  expect(prover.advise(silence, 10).kind).toBe('ask');
  const asked = prover.asked(10);
  if (first === 'read') readAt(520);
  prover.written(asked, 0, 520, 500);
  if (first === 'written') readAt(520);
  const next = { clock: 1_500, earliestDue: 1_501, live: true, closed: 1 };
  expect(prover.advise(next, 521)).toEqual({ kind: 'wait', delayMs: 10 });
  expect(prover.advise(next, 531).kind).toBe('ask');
});

test('[C8] the record that shows that the log is listened to waits for a deadline close behind it, which it would hold up', () => {
  const prover = new Prover({ ...RULES, unheardMs: 4_000 }, 0);
  prover.heard({ from: 0, to: 1, receivedAtMs: 0, isRecent: true });
  const waitFor = (dueInMs: number): number => {
    const silence = { clock: 1_000, earliestDue: 1_000 + dueInMs, live: true, closed: 0 };
    const advice = prover.advise(silence, 0);
    return advice.kind === 'wait' ? advice.delayMs : 0;
  };
  expect(waitFor(60_000)).toBe(1_000);
  expect(waitFor(900)).toBe(910);
  expect(waitFor(1_000)).toBe(1_010);
  expect(waitFor(1_090)).toBe(1_100);
  expect(waitFor(1_091)).toBe(1_000);
  // A third of `unheardMs` is the most that may pass, whatever is due.
  const short = new Prover({ ...RULES, unheardMs: 600 }, 0);
  short.heard({ from: 0, to: 1, receivedAtMs: 0, isRecent: true });
  expect(short.advise({ clock: 1_000, earliestDue: 1_190, live: true, closed: 0 }, 0)).toEqual({
    kind: 'wait',
    delayMs: 200,
  });
  expect(short.advise({ clock: 1_000, earliestDue: 1_191, live: true, closed: 0 }, 0)).toEqual({
    kind: 'wait',
    delayMs: 150,
  });
});
