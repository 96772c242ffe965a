// A holder that knows a token, in virtual time: what it sends and hears is in the test's hands.
import { describe, expect, test } from '@jest/globals';
import type { Millis } from '@flatline/base';
import { VirtualTime } from '@flatline/cluster';
import type { HeardLease } from './heard-lease.ts';
import { ResumedHolder } from './resumed-holder.ts';

interface Sent {
  readonly said: string;
  readonly acknowledge: (appendedAt: Millis | undefined) => void;
}

class Bench {
  readonly time = new VirtualTime();
  readonly sent: Sent[] = [];
  readonly over: [string, HeardLease?][] = [];
  heldCount = 0;
  /** For how long the process has not run: its timers are late by it. */
  sleptMs = 0;
  readonly holder: ResumedHolder;

  constructor(clockSkewMs = 100) {
    const { time } = this;
    this.holder = new ResumedHolder({
      clock: {
        wallMs: () => 0,
        monotonicMs: () => this.sleptMs + time.nowMicros / 1000,
        after: (delayMs, callback) => time.after(delayMs, callback),
      },
      token: 7,
      name: 'own',
      clockSkewMs,
      answerWithinMs: 30_000,
      send: (value, headers) =>
        new Promise((resolve) => {
          const [token, id] = [...headers.values()];
          this.sent.push({ said: `${value === null ? 'end ' : ''}${token} ${id ?? ''}`.trim(), acknowledge: resolve });
        }),
      onHeld: () => {
        this.heldCount += 1;
      },
      onOver: (reason, refusal) => {
        this.over.push(refusal === undefined ? [reason] : [reason, refusal]);
      },
    });
  }

  get said(): string[] {
    return this.sent.map(({ said }) => said);
  }

  hear(answer: Partial<HeardLease> & { readonly type: string }): void {
    const silent = { token: undefined, requestId: undefined, timeoutMs: undefined, deadlineAt: undefined };
    this.holder.hear({ ...silent, endsAt: undefined, ...answer });
  }

  /** The question of this number is answered: the lease ends then. */
  answered(number: number, deadlineAt: Millis, name = 'own', token = 7): void {
    this.hear({
      type: 'REJECTED',
      reason: 'WRONG_TOKEN',
      token: 0,
      requestId: `resumes/${token}/${name}/${number}`,
      deadlineAt,
    });
  }

  /** Acknowledges the latest renewal and its question, appended at `at`. */
  async acknowledge(at: Millis | undefined): Promise<void> {
    for (const { acknowledge } of this.sent.slice(-2)) acknowledge(at);
    await this.time.runFor(0);
  }
}

describe('a lease that is resumed', () => {
  test('[L8] RH1: is held once its renewal is acknowledged and the question behind it answered', async () => {
    const bench = new Bench();
    expect(bench.said).toEqual(['7 renews/7/own/1', '0 resumes/7/own/1']);
    await bench.time.runFor(50);
    await bench.acknowledge(1_000);
    expect([bench.holder.isHeld, bench.heldCount]).toEqual([false, 0]);
    bench.answered(1, 4_000);
    expect([bench.holder.isHeld, bench.heldCount, bench.holder.token]).toEqual([true, 1, 7]);
    // 3 000 ms from when the renewal was sent, less the skew, of which 50 have passed.
    await bench.time.runFor(2_849);
    expect(bench.holder.isHeld).toBe(true);
    await bench.time.runFor(1);
    expect([bench.holder.isHeld, bench.over]).toEqual([false, [['TIMEOUT']]]);
  });

  test('[L8] RH4: once it is over by itself the log ends it: whoever has resumed it by then goes on', async () => {
    const bench = new Bench();
    await bench.acknowledge(1_000);
    bench.answered(1, 4_000);
    await bench.time.runFor(2_900);
    bench.holder.release();
    expect([bench.over, bench.said.filter((each) => each.startsWith('end'))]).toEqual([[['TIMEOUT']], []]);
  });

  test('[L8] RH1: is held, too, where the answer is heard before the acknowledgement', async () => {
    const bench = new Bench();
    bench.answered(1, 4_000);
    expect(bench.holder.isHeld).toBe(false);
    await bench.acknowledge(1_000);
    expect(bench.holder.isHeld).toBe(true);
  });

  test('[L8] RH1: renewals without answers keep it no longer than the last answer said', async () => {
    const bench = new Bench();
    await bench.acknowledge(1_000);
    bench.answered(1, 4_000);
    for (let i = 1; i <= 2; i += 1) {
      await bench.time.runFor(1_000);
      await bench.acknowledge(1_000 + i * 1_000);
    }
    expect(bench.said.filter((each) => each.startsWith('7 '))).toHaveLength(3);
    await bench.time.runFor(900);
    expect([bench.holder.isHeld, bench.over]).toEqual([false, [['TIMEOUT']]]);
  });

  test('[L8] RH1: answers keep it', async () => {
    const bench = new Bench();
    await bench.acknowledge(1_000);
    bench.answered(1, 4_000);
    for (let i = 1; i <= 9; i += 1) {
      await bench.time.runFor(1_000);
      await bench.acknowledge(1_000 + i * 1_000);
      bench.answered(i + 1, 4_000 + i * 1_000);
      expect(bench.holder.isHeld).toBe(true);
    }
    expect(bench.over).toEqual([]);
  });

  test('[L8] RH1: an acknowledgement without an append time counts for nothing', async () => {
    const bench = new Bench();
    await bench.acknowledge(undefined);
    bench.answered(1, 4_000);
    expect(bench.holder.isHeld).toBe(false);
  });

  test('[L8] RH4: what a process that was frozen gives back is not its own any more', async () => {
    const bench = new Bench();
    await bench.acknowledge(1_000);
    bench.answered(1, 4_000);
    bench.sleptMs = 60_000;
    expect(bench.holder.isHeld).toBe(false);
    bench.holder.release();
    expect(bench.said.filter((each) => each.startsWith('end'))).toEqual([]);
  });

  test('[L3] an old token is refused, with who holds the lease now; nothing is given back', () => {
    const bench = new Bench();
    const holder = new Map([['host', 'b']]);
    bench.hear({
      type: 'REJECTED',
      token: 7,
      requestId: 'renews/7/own/1',
      reason: 'WRONG_TOKEN',
      holder,
      deadlineAt: 9,
    });
    expect(bench.over).toMatchObject([['WRONG_TOKEN', { holder, deadlineAt: 9 }]]);
    expect(bench.said).toHaveLength(2);
  });

  test('[L3] a question that finds no lease is the end of it', () => {
    const bench = new Bench();
    bench.hear({ type: 'REJECTED', token: 0, requestId: 'resumes/7/own/1', reason: 'NOT_HELD' });
    expect(bench.over).toMatchObject([['NOT_HELD', {}]]);
  });

  test.each(['EXPIRED', 'RELEASED'])('[L3] ends with its %s', async (type) => {
    const bench = new Bench();
    await bench.acknowledge(1_000);
    bench.answered(1, 4_000);
    bench.hear({ type, token: 7 });
    expect([bench.holder.isHeld, bench.over[0]?.[0]]).toEqual([false, type]);
    expect(bench.said).toHaveLength(2);
  });

  test('[L8] RH2: the last one to resume goes on, and nothing is given back', async () => {
    const [former, latter] = [new Bench(), new Bench()];
    // In the log: the former's first question, the latter's, the former's second.
    for (const bench of [former, latter]) await bench.acknowledge(1_000);
    former.answered(1, 4_000);
    latter.answered(1, 4_000, 'former');
    former.answered(1, 4_000, 'latter');
    latter.answered(1, 4_000);
    latter.answered(2, 4_000, 'former');
    expect([former.holder.isHeld, former.over, former.said.length]).toEqual([false, [['RESUMED']], 2]);
    expect([latter.holder.isHeld, latter.over]).toEqual([true, []]);
    latter.answered(1, 4_000, 'other', 6);
    expect(latter.holder.isHeld).toBe(true);
  });

  test('[L8] without an answer it is over in time, and not given back', async () => {
    const bench = new Bench();
    await bench.acknowledge(1_000);
    await bench.time.runFor(29_999);
    expect(bench.over).toEqual([]);
    await bench.time.runFor(1);
    expect(bench.over).toEqual([['NO_ANSWER']]);
    expect(bench.said.filter((each) => each.startsWith('end'))).toEqual([]);
  });

  test('RH3: while no broker takes it, one renewal waits, and nothing is over', async () => {
    const bench = new Bench();
    await bench.time.runFor(300_000);
    expect([bench.said.length, bench.over]).toEqual([2, []]);
  });

  test('[L8] a lease that is as short as the clocks may differ is not held', async () => {
    const bench = new Bench(3_000);
    await bench.acknowledge(1_000);
    bench.answered(1, 4_000);
    expect([bench.holder.isHeld, bench.over]).toEqual([false, [['TOO_SHORT']]]);
  });

  test('RH4: it is given back once it was held, and only then', async () => {
    const [held, asking] = [new Bench(), new Bench()];
    await held.acknowledge(1_000);
    held.answered(1, 4_000);
    held.holder.release();
    asking.holder.release();
    expect([held.said.at(-1), asking.said.length]).toEqual(['end 7', 2]);
    expect([held.over, asking.over]).toEqual([[['ENDED']], [['ENDED']]]);
  });
});
