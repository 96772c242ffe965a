import { describe, expect, test } from '@jest/globals';
import { VirtualTime } from '@flatline/cluster';
import { LeaseNotGot } from './lease-not-got.ts';
import type { Lease, LeaseWish } from './lease.ts';
import { type Leadership, leadWhileHeld, type LeaderOptions, LeaseLost } from './leadership.ts';

/** Leases that are granted and taken as the test says. */
class Leases {
  readonly time = new VirtualTime();
  readonly closing = new AbortController();
  readonly released: number[] = [];
  readonly asked: LeaseWish[] = [];
  /** Answers to those who ask, in turn; then none comes. */
  readonly answers: (Error | undefined)[] = [];
  #lose: (reason: string) => void = () => undefined;

  lead(lead: (leadership: Leadership) => unknown, options: LeaderOptions = {}): Promise<void> {
    const { time } = this;
    const clock = {
      wallMs: () => 0,
      monotonicMs: () => time.nowMicros / 1000,
      after: (delayMs: number, callback: () => void) => time.after(delayMs, callback),
    };
    return leadWhileHeld('job', lead, options, {
      clock,
      ending: this.closing.signal,
      acquire: (_, wish) => this.#acquire(wish),
    });
  }

  lose(reason: string): void {
    this.#lose(reason);
  }

  #acquire(wish: LeaseWish): Promise<Lease> {
    this.asked.push(wish);
    if (this.answers.length === 0)
      return new Promise((_, reject) => {
        wish.signal!.addEventListener('abort', () => {
          reject(wish.signal!.reason as Error);
        });
      });
    const answer = this.answers.shift();
    if (answer !== undefined) return Promise.reject(answer);
    const token = this.asked.length;
    const { promise: over, resolve } = Promise.withResolvers<string>();
    this.#lose = resolve;
    const release = (): void => {
      this.released.push(token);
      resolve('ENDED');
    };
    return Promise.resolve({ token, isHeld: true, over, release });
  }
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

describe('who leads', () => {
  test('[L8] leads until the lease is lost, and again once it is got again; the signal ends it', async () => {
    const leases = new Leases();
    leases.answers.push(undefined, undefined);
    const ending = new AbortController();
    const led: unknown[] = [];
    const leading = leases.lead(
      async ({ token, signal, lease }) => {
        led.push([token, lease.token, signal.aborted]);
        await until(signal);
        led.push(signal.reason);
      },
      { signal: ending.signal, timeoutMs: 5_000 },
    );
    await leases.time.runFor(1);
    leases.lose('TIMEOUT');
    await leases.time.runFor(1);
    expect(led).toEqual([[1, 1, false], new LeaseLost('job', 'TIMEOUT'), [2, 2, false]]);
    expect(led[1]).toMatchObject({ leaseId: 'job', reason: 'TIMEOUT' });
    ending.abort('the process stops');
    await leading;
    expect([led.at(-1), leases.released]).toEqual(['the process stops', [1, 2]]);
    expect(leases.asked[0]).toEqual({ timeoutMs: 5_000, signal: expect.any(AbortSignal) });
  });

  test('[L4] asks again where it is refused, and tells of it; not where asking mends nothing', async () => {
    const leases = new Leases();
    const held = new LeaseNotGot('job', 'HELD', 'HELD');
    leases.answers.push(held, new LeaseNotGot('job', 'TOO_SHORT', 'its timeout is not longer'));
    const told: LeaseNotGot[] = [];
    const leading = leases.lead(() => undefined, { onNotGot: (error) => told.push(error) });
    leading.catch(() => undefined);
    await leases.time.runFor(999);
    expect([leases.asked.length, told]).toEqual([1, [held]]);
    await leases.time.runFor(1);
    await expect(leading).rejects.toThrow('the lease job was not got: its timeout is not longer');
  });

  test('gives the lease back when it returns, and asks again a second later', async () => {
    const leases = new Leases();
    leases.answers.push(undefined, undefined);
    let runs = 0;
    const leading = leases.lead(() => (runs += 1));
    await leases.time.runFor(999);
    expect([runs, leases.released]).toEqual([1, [1]]);
    await leases.time.runFor(1_001);
    expect([runs, leases.released]).toEqual([2, [1, 2]]);
    leases.closing.abort();
    await leading;
  });

  test('what it throws while it leads ends all, and gives the lease back; what it throws when it is over does not', async () => {
    const leases = new Leases();
    leases.answers.push(undefined, undefined);
    let runs = 0;
    const leading = leases.lead(async ({ signal }) => {
      runs += 1;
      if (runs === 2) throw new Error('the disk is full');
      await until(signal);
      signal.throwIfAborted();
    });
    leading.catch(() => undefined);
    await leases.time.runFor(1);
    leases.lose('REPLACED');
    await leases.time.runFor(1);
    await expect(leading).rejects.toThrow('the disk is full');
    expect([runs, leases.released]).toEqual([2, [1, 2]]);
  });

  test('does not lead with a signal that is aborted already, and gives the lease back', async () => {
    const leases = new Leases();
    leases.answers.push(undefined);
    const ending = new AbortController();
    let runs = 0;
    const leading = leases.lead(() => (runs += 1), { signal: ending.signal });
    // Granted, and not gone on with yet.
    ending.abort();
    await leading;
    expect([runs, leases.released]).toEqual([0, [1]]);
  });

  test('waits for no lease once the leases are closed', async () => {
    const leases = new Leases();
    const leading = leases.lead(() => undefined);
    leases.closing.abort();
    await leading;
    expect(leases.asked).toHaveLength(1);
    await leases.lead(() => undefined);
    expect(leases.asked).toHaveLength(1);
  });
});
