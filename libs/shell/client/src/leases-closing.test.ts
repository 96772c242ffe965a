import { describe, expect, test } from '@jest/globals';
import { type Leadership, LeaseLost } from './leadership.ts';
import type { Lease } from './lease.ts';
import { World } from './leases-world.fixture.ts';

describe('a process that stood still', () => {
  test.each(['acquired', 'resumed'])('[L8] prolongs no lease, %s, that it believes in no more', async (how) => {
    const world = new World();
    const { time } = world.simulation;
    const wanted = how === 'acquired' ? world.leases.acquire('a', {}) : world.leases.resume('a', 7, {});
    if (how === 'acquired') await world.grant(7, 'r0');
    else {
      await time.runFor(100);
      const [, question] = world.asked[1]!.headers!;
      const requestId = new TextDecoder().decode(question!.value);
      const deadlineAt = time.nowMs + 3_000;
      await world.answer('REJECTED', { reason: 'WRONG_TOKEN', requestId, token: 0, timeoutMs: 3_000, deadlineAt });
    }
    const lease = await time.complete(wanted);
    expect(lease.isHeld).toBe(true);
    const sent = world.asked.length;
    world.host.pause();
    await time.runFor(20_000);
    world.host.resume();
    await time.runFor(100);
    expect([lease.isHeld, world.said.slice(sent)]).toEqual([false, []]);
  });
});

describe('leases that are closed', () => {
  test('[L8] who leads keeps the lease until it has returned; others are given back at once', async () => {
    const world = new World();
    const { time } = world.simulation;
    const cleaning = Promise.withResolvers<undefined>();
    const done: string[] = [];
    const leading = world.leases.lead(
      'a',
      async ({ signal, lease }) => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        done.push(`told, held: ${lease.isHeld}`);
        await cleaning.promise;
        done.push(`returns, held: ${lease.isHeld}`);
      },
      {},
    );
    await world.grant(7, 'r0');
    const other = world.leases.acquire('a', {});
    await world.grant(9, 'r1');
    await time.complete(other);
    const closing = world.leases.close(10_000, () => {
      done.push(`closed behind ${world.said.filter((each) => each.startsWith('end')).join()}`);
      return Promise.resolve();
    });
    await time.runFor(5_000);
    expect([done, world.said.filter((each) => each.startsWith('end'))]).toEqual([['told, held: true'], ['end 9']]);
    cleaning.resolve(undefined);
    await time.complete(closing);
    await leading;
    expect(done).toEqual(['told, held: true', 'returns, held: true', 'closed behind end 9,end 7']);
  });

  test('[L4][L8] who waits for a lease of this process leaves before that is given back, and is not granted it', async () => {
    const world = new World();
    const holding = world.leases.acquire('a', {});
    await world.grant(7, 'r0');
    await world.simulation.time.complete(holding);
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    await world.answer('QUEUED', { requestId: 'r1' });
    await world.leases.close(1_000, () => Promise.resolve());
    expect(world.said.filter((each) => each.startsWith('end'))).toEqual(['end r1', 'end 7']);
  });

  test.each(['acquire', 'lead'] as const)(
    '[L4][L8] so does who waits for one that this process has been granted by %s, and does not hold yet',
    async (by) => {
      const world = new World();
      const granted = by === 'lead' ? world.leases.lead('a', () => undefined, {}) : world.leases.acquire('a', {});
      const waiting = world.leases.acquire('a', {});
      for (const each of [granted, waiting]) each.catch(() => undefined);
      world.holdsBack = true;
      await world.grant(7, 'r0');
      await world.answer('QUEUED', { requestId: 'r1' });
      await world.leases.close(1_000, () => Promise.resolve());
      expect(world.said.filter((each) => each.startsWith('end'))).toEqual(['end r1', 'end 7']);
    },
  );

  test('[L4][L8] and who waits for one that is led leaves before its leader is told, who may give it back at once', async () => {
    const world = new World();
    const lead = ({ signal, lease }: Leadership): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          lease.release();
          resolve();
        });
      });
    const leading = world.leases.lead('a', lead, {});
    await world.grant(7, 'r0');
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    await world.answer('QUEUED', { requestId: 'r1' });
    await world.leases.close(1_000, () => Promise.resolve());
    await leading;
    expect(world.said.filter((each) => each.startsWith('end'))).toEqual(['end r1', 'end 7']);
  });

  test('[L8] nothing new is asked for while who leads still cleans up', async () => {
    const world = new World();
    const cleaning = Promise.withResolvers<undefined>();
    const leading = world.leases.lead('a', () => cleaning.promise, {});
    await world.grant(7, 'r0');
    const closing = world.leases.close(10_000, () => Promise.resolve());
    await expect(world.leases.acquire('b', {})).rejects.toThrow(
      'the lease b is not asked for: the leases are being closed',
    );
    await expect(world.leases.resume('b', 3, {})).rejects.toThrow('the leases are being closed');
    cleaning.resolve(undefined);
    await world.simulation.time.complete(closing);
    await leading;
    expect(world.said.filter((each) => each.startsWith('start'))).toEqual(['start r0']);
  });

  test('[L8] a lead that does not return in time is named, and its lease not given back: it expires', async () => {
    const world = new World();
    const { time } = world.simulation;
    let isEnded = false;
    let lease: Lease | undefined;
    void world.leases.lead(
      'a',
      async (leadership) => {
        ({ lease } = leadership);
        await new Promise(() => undefined);
      },
      {},
    );
    await world.grant(7, 'r0');
    const closing = world.leases.close(10_000, () => {
      isEnded = true;
      return Promise.resolve();
    });
    closing.catch(() => undefined);
    await time.runFor(10_000);
    await expect(closing).rejects.toThrow(
      'what leads a has not returned within 10000 ms: its lease is not given back, and expires',
    );
    await time.runFor(10_000);
    const renewals = world.said.length;
    await time.runFor(10_000);
    expect([isEnded, lease!.isHeld, world.said.includes('end 7'), world.said.length]).toEqual([
      true,
      false,
      false,
      renewals,
    ]);
  });

  test('[L8] where answers fail for good, what leads is told, and its lease is not given back', async () => {
    const world = new World();
    const { time } = world.simulation;
    const reasons: unknown[] = [];
    const leading = world.leases.lead(
      'a',
      async ({ signal }) => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        reasons.push(signal.reason);
      },
      {},
    );
    leading.catch(() => undefined);
    await world.grant(7, 'r0');
    const other = world.leases.acquire('a', {});
    await world.grant(9, 'r1');
    await time.complete(other);
    world.leases.fail(new Error('the topic is gone'));
    await expect(leading).rejects.toThrow('leases cannot be kept: the topic is gone');
    expect(reasons).toEqual([new LeaseLost('a', 'ENDED')]);
    // The other one, too, may act until it has looked.
    expect(world.said.filter((each) => each.startsWith('end'))).toEqual([]);
  });

  test('[L8] where what ends them takes too long, that is said', async () => {
    const world = new World();
    const closing = world.leases.close(10_000, () => new Promise(() => undefined));
    closing.catch(() => undefined);
    await world.simulation.time.runFor(10_000);
    await expect(closing).rejects.toThrow('leases were not given back within 10000 ms: they expire');
  });
});
