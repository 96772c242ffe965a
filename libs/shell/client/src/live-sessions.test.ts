import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { VirtualTime } from '@flatline/cluster';
import type { OutgoingEvent } from '@flatline/records/events';
import type { Said, SessionId } from './heartbeat-producer.ts';
import { LiveSessions, type Session, type SessionsLimits } from './live-sessions.ts';
import { NAMED_MAX } from './sender-sources.ts';

interface Sent {
  readonly atMs: number;
  readonly id: SessionId;
  readonly said: Said;
}

const utf8 = new TextEncoder();
/** Source of the first session object of a sender. */
const SOURCE: unknown = expect.stringMatching(/^[0-9a-z]{1,10}-1$/);

/** A log that takes what it is sent, and acknowledges it unless its broker is away. */
class Log {
  readonly time = new VirtualTime();
  readonly sent: Sent[] = [];
  readonly sessions: LiveSessions;
  isAway = false;
  room: Promise<void> | undefined;
  failure: Error | undefined;
  #waitingCount = 0;

  constructor(limits: SessionsLimits, seed = 1) {
    const { time } = this;
    const clock = {
      wallMs: () => 0,
      monotonicMs: () => time.nowMicros / 1000,
      after: (delayMs: number, callback: () => void) => time.after(delayMs, callback),
    };
    const waitingCount = (): number => this.#waitingCount;
    const producer = {
      get waitingCount() {
        return waitingCount();
      },
      send: (key: Uint8Array, said: Said) => this.#take(new TextDecoder().decode(key), said),
      flush: () => Promise.resolve(),
      close: () => (this.isAway ? new Promise<void>(() => undefined) : Promise.resolve()),
    };
    const random = seededRandom(seed);
    this.sessions = new LiveSessions({ ...limits, clock, producer, random: () => random.next() });
  }

  comeBack(): void {
    this.isAway = false;
    this.#waitingCount = 0;
  }

  saidOf(id: SessionId): Sent['said'][] {
    return this.sent.filter((each) => each.id === id).map(({ said }) => said);
  }

  #take(id: SessionId, said: Said): Promise<void> | undefined {
    if (this.failure !== undefined) throw this.failure;
    this.sent.push({ atMs: this.time.nowMs, id, said });
    this.#waitingCount += 1;
    this.time.after(1, () => {
      if (!this.isAway) this.comeBack();
    });
    return this.room;
  }
}

describe('live sessions', () => {
  test('BT1: thousands beat by themselves in time, and spread', async () => {
    const log = new Log({ timeoutMs: 30_000 });
    const ids = Array.from({ length: 2_000 }, (_, index) => `device-${index}`);
    for (const id of ids) log.sessions.session(id).start();
    await log.time.runFor(120_000);
    const last = new Map<SessionId, number>();
    const perSecond = new Map<number, number>();
    for (const { id, atMs } of log.sent) {
      expect(atMs - (last.get(id) ?? 0)).toBeLessThanOrEqual(15_200);
      last.set(id, atMs);
      perSecond.set(Math.floor(atMs / 1000), (perSecond.get(Math.floor(atMs / 1000)) ?? 0) + 1);
    }
    for (const id of ids) expect(120_000 - last.get(id)!).toBeLessThanOrEqual(15_200);
    // 2 000 sessions each 8 to 10 s: some 220 a second.
    const counts = Array.from({ length: 100 }, (_, second) => perSecond.get(second + 10) ?? 0);
    expect(Math.max(...counts)).toBeLessThan(500);
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(log.sessions.liveCount).toBe(2_000);
  });

  test('BT1: a beat is left out where something was said just before', async () => {
    const log = new Log({ timeoutMs: 3_000 });
    const session = log.sessions.session('anna');
    session.start();
    for (let second = 0; second < 20; second += 1) {
      await log.time.runFor(400);
      session.event({ type: 'MOVE' });
    }
    expect(log.saidOf('anna').filter((said) => said === 'beat')).toEqual([]);
  });

  test.each([
    [{ typ: 'VIEW', attribute: { a: 'b' } }, 'event: there is no field typ; did you mean type? There are type, '],
    [{ attribute: { a: 'b' } }, 'event: there is no field attribute; did you mean attributes? There are type, '],
    [
      { number: 7 },
      'event: there is no field number. There are type, occurredAt, eventId, sequence, timeoutMs, attributes',
    ],
    [null, "event: the event is null: give an object, as { type: 'VIEW' }"],
    [undefined, 'event: the event is undefined: give an object'],
    ['VIEW', 'event: the event is "VIEW": give an object'],
    [['VIEW'], 'event: the event is an array of 1: give an object'],
    [new Map([['type', 'VIEW']]), 'event: the event is an object that is iterated over: give an object'],
  ])('[I4] the event %j is refused at the call, and takes no number', (given, words) => {
    const log = new Log({ timeoutMs: 3_000 });
    const session = log.sessions.session('anna');
    const event = (all: unknown): boolean => session.event(all as never);
    expect(() => event(given)).toThrow(TypeError);
    expect(() => event(given)).toThrow(words);
    event({ type: 'VIEW', attributes: undefined });
    expect(log.saidOf('anna')).toEqual([{ type: 'VIEW', attributes: undefined, sequence: 0, source: SOURCE }]);
  });

  test('[I4] so is what a start does not take; the session does not beat', () => {
    const log = new Log({ timeoutMs: 3_000 });
    const session = log.sessions.session('anna');
    const start = (all: unknown): boolean => session.start(all as never);
    expect(() => start({ atributes: {} })).toThrow('start: there is no field atributes; did you mean attributes?');
    expect(() => start({ type: 'VIEW' })).toThrow('start: there is no field type. There are occurredAt, ');
    expect(() => start(null)).toThrow('start: the event is null: give an object, as { attributes: { page: ');
    expect([log.sent, log.sessions.liveCount]).toEqual([[], 0]);
  });

  test('BT3: events are numbered, from the start on; an end ends it, and leaving says nothing', async () => {
    const log = new Log({ timeoutMs: 3_000 });
    const session = log.sessions.session('anna');
    session.start({ attributes: new Map([['page', '/']]) });
    session.event({ type: 'VIEW' });
    session.end();
    session.start();
    session.event({ type: 'VIEW' });
    session.leave();
    await log.time.runFor(10_000);
    expect(log.saidOf('anna')).toEqual([
      { type: 'STARTED', sequence: 0, attributes: new Map([['page', '/']]), source: SOURCE },
      { type: 'VIEW', sequence: 1, source: SOURCE },
      'end',
      { type: 'STARTED', sequence: 0, source: SOURCE },
      { type: 'VIEW', sequence: 1, source: SOURCE },
    ]);
    expect(log.sessions.liveCount).toBe(0);
  });

  test('[S5] SS1: each session object is a source of its own, in whatever process; a name has a limit', () => {
    const logs = [new Log({ timeoutMs: 3_000 }, 1), new Log({ timeoutMs: 3_000 }, 2)];
    const anna = logs.flatMap(({ sessions }) => [sessions.session('anna'), sessions.session('anna')]);
    expect(new Set(anna.map(({ source }) => source)).size).toBe(4);
    const [log] = logs;
    for (const source of ['', 'x'.repeat(41), '\u20ac'.repeat(14), 7, null])
      expect(() => log!.sessions.session('anna', { source: source as never })).toThrow(
        /session: source .*text of 1 to 40 bytes in UTF-8/,
      );
    const longest = log!.sessions.session('anna', { source: 'x'.repeat(40) });
    expect(Buffer.byteLength(longest.source)).toBeLessThanOrEqual(64);
  });

  test('[S5] SS1: objects of one session and one name count together; another session, sender or process does not', () => {
    const logs = [new Log({ timeoutMs: 3_000 }, 1), new Log({ timeoutMs: 3_000 }, 2)];
    const said = logs.map((log) => {
      const named = (id: SessionId, source: string): Session => log.sessions.session(id, { source });
      const first = named('anna', 'web-1');
      first.event({ type: 'VIEW' });
      const second = named('anna', 'web-1');
      for (const each of [second, first, second]) each.event({ type: 'VIEW' });
      expect(second.source).toBe(first.source);
      expect(first.source).toMatch(/^web-1\.[0-9a-z]{1,10}-1$/);
      named('anna', 'web-2').event({ type: 'VIEW' });
      named('bert', 'web-1').event({ type: 'VIEW' });
      named(utf8.encode('anna'), 'web-1').event({ type: 'VIEW' });
      return log.sent.map(({ said: event }) => event as OutgoingEvent);
    });
    for (const events of said) expect(events.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 0, 0, 4]);
    const names = said.flat().map(({ source, sequence }) => `${source} ${sequence}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('[S5] SS2: a name that was forgotten goes on as another source, so nothing of it is a duplicate', () => {
    const log = new Log({ timeoutMs: 3_000 });
    const say = (id: SessionId): void => void log.sessions.session(id, { source: 'web-1' }).event({ type: 'VIEW' });
    say('anna');
    for (let other = 0; other < NAMED_MAX - 1; other += 1) say(`other-${other}`);
    say('anna');
    for (let other = 0; other < NAMED_MAX; other += 1) say(`later-${other}`);
    say('anna');
    const [first, second, third] = log.saidOf('anna') as [OutgoingEvent, OutgoingEvent, OutgoingEvent];
    expect([first.sequence, second.sequence, third.sequence]).toEqual([0, 1, 0]);
    expect([second.source === first.source, third.source === first.source]).toEqual([true, false]);
  });

  test('[S5] BT3: a start that was dropped begins no numbers: what follows would be taken for duplicates', () => {
    const log = new Log({ timeoutMs: 3_000, bufferRecordsMax: 4 });
    const anna = log.sessions.session('anna');
    for (let at = 0; at < 4; at += 1) anna.event({ type: 'VIEW' });
    expect(anna.start()).toBe(false);
    log.comeBack();
    anna.event({ type: 'VIEW' });
    expect(anna.start()).toBe(true);
    anna.event({ type: 'VIEW' });
    expect(log.saidOf('anna').slice(4)).toEqual([
      { type: 'VIEW', sequence: 5, source: SOURCE },
      { type: 'STARTED', sequence: 0, source: SOURCE },
      { type: 'VIEW', sequence: 1, source: SOURCE },
    ]);
  });

  test("[S5] SS1: a device's own numbers and source pass through, and the session goes on counting its own", () => {
    const log = new Log({ timeoutMs: 3_000 });
    const anna = log.sessions.session('anna', { source: 'gateway' });
    const gateway: unknown = expect.stringMatching(/^gateway\./);
    anna.event({ type: 'VIEW' });
    anna.event({ type: 'VIEW', sequence: 71 });
    anna.event({ type: 'VIEW', sequence: 72, source: 'phone' });
    anna.event({ type: 'VIEW', source: 'watch' });
    anna.start({ sequence: 0, source: 'phone' });
    anna.event({ type: 'VIEW' });
    expect(log.saidOf('anna')).toEqual([
      { type: 'VIEW', sequence: 0, source: gateway },
      { type: 'VIEW', sequence: 71 },
      { type: 'VIEW', sequence: 72, source: 'phone' },
      { type: 'VIEW', source: 'watch' },
      { type: 'STARTED', sequence: 0, source: 'phone' },
      { type: 'VIEW', sequence: 1, source: gateway },
    ]);
  });

  test('BT3: a call whose record is refused has changed nothing: neither what beats, nor a number', async () => {
    const log = new Log({ timeoutMs: 3_000 });
    const [anna, bert] = [log.sessions.session('anna'), log.sessions.session('bert')];
    anna.start();
    log.failure = new Error('too large');
    expect(() => anna.event({ type: 'MOVE' })).toThrow('too large');
    expect(() => anna.start()).toThrow('too large');
    expect(() => bert.start()).toThrow('too large');
    log.failure = undefined;
    anna.event({ type: 'MOVE' });
    await log.time.runFor(10_000);
    expect(log.saidOf('anna').slice(0, 3)).toEqual([
      { type: 'STARTED', sequence: 0, source: SOURCE },
      { type: 'MOVE', sequence: 1, source: SOURCE },
      'beat',
    ]);
    expect(log.saidOf('bert')).toEqual([]);
  });

  test('BT2: through an outage beats are dropped first, then the rest; what was dropped is told, and has its number', async () => {
    const told: string[] = [];
    const log = new Log({
      timeoutMs: 3_000,
      bufferRecordsMax: 10,
      onDropped: (kind, id) => void told.push(`${kind} ${String(id)}`),
    });
    const session = log.sessions.session('anna');
    session.start();
    await log.time.runFor(10);
    log.isAway = true;
    await log.time.runFor(20_000);
    expect(log.sent).toHaveLength(6);
    expect(log.sessions.dropped).toMatchObject({ events: 0, ends: 0 });
    expect(log.sessions.dropped.beats).toBeGreaterThan(10);
    expect(Array.from({ length: 7 }, () => session.event({ type: 'MOVE' }))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(log.sessions.session('bert').end()).toBe(false);
    expect(log.sessions.dropped).toMatchObject({ events: 2, ends: 1 });
    expect(told.slice(-3)).toEqual(['events anna', 'events anna', 'ends bert']);
    log.comeBack();
    session.event({ type: 'MOVE' });
    expect(log.saidOf('anna').at(-1)).toEqual({ type: 'MOVE', sequence: 8, source: SOURCE });
    const before = log.sent.length;
    await log.time.runFor(5_000);
    expect(log.sent.length).toBeGreaterThan(before + 2);
  });

  test('BT2: where the bytes of the producer are full, everything is dropped until there is room', async () => {
    const log = new Log({ timeoutMs: 3_000 });
    let makeRoom = (): void => undefined;
    log.room = new Promise((resolve) => {
      makeRoom = resolve;
    });
    const session = log.sessions.session('anna');
    expect([session.beat(), session.beat(), session.end()]).toEqual([true, false, false]);
    log.room = undefined;
    makeRoom();
    await log.time.settle();
    expect(session.beat()).toBe(true);
  });

  test('what ends the producer is told once, and by every call', async () => {
    const told: Error[] = [];
    const log = new Log({ timeoutMs: 3_000, onFailure: (error) => void told.push(error) });
    const session = log.sessions.session('anna');
    session.start();
    log.failure = new Error('no right to write');
    await log.time.runFor(10_000);
    expect(told).toEqual([log.failure]);
    expect(() => session.event({ type: 'MOVE' })).toThrow('no right to write');
    expect(() => log.sessions.session('bert').start()).toThrow('no right to write');
  });

  test('closing ends the beating, and has a limit while the broker is away', async () => {
    const log = new Log({ timeoutMs: 3_000 });
    const session = log.sessions.session('anna');
    session.start();
    log.isAway = true;
    const closing = log.sessions.close(5_000);
    closing.catch(() => undefined);
    await log.time.runFor(20_000);
    await expect(closing).rejects.toThrow(/1 records.*5000 ms/);
    expect(log.saidOf('anna')).toHaveLength(1);
    expect(() => session.beat()).toThrow(/closed/);
  });
});

test('[I4] a session id of another type is refused at the call that gives it', () => {
  const { sessions } = new Log({ timeoutMs: 30_000 });
  expect(() => sessions.session(123 as unknown as string)).toThrow(
    new TypeError('session: the session id is 123: give text or bytes (Uint8Array)'),
  );
  for (const id of [new DataView(new ArrayBuffer(2)), new Uint16Array(2), new ArrayBuffer(2)])
    expect(() => sessions.session(id as unknown as Uint8Array)).toThrow('give text or bytes (Uint8Array)');
  expect(sessions.session(Buffer.from('anna')).id).toEqual(Buffer.from('anna'));
});
