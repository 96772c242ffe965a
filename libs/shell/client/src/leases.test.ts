import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { RecordTooLarge } from '@flatline/kafka';
import { LeaseNotGot } from './lease-not-got.ts';
import { HeldLeases, type LeasesParts } from './leases.ts';
import { SETTINGS, World } from './leases-world.fixture.ts';

function leasesOver(write: LeasesParts['write']): HeldLeases {
  const { clock } = new Simulation({ seed: 1 }).start('a').ports;
  return new HeldLeases({ ...SETTINGS, clock, write, newRequestId: () => 'r' });
}

describe('leases whose requests cannot be sent', () => {
  test('[X5] whoever waits is told why, and so is who asks later', async () => {
    const leases = leasesOver(() => Promise.reject(new Error('not authorized')));
    const waiting = [leases.acquire('a', {}), leases.acquire('b', {})];
    for (const each of waiting) await expect(each).rejects.toThrow('leases cannot be kept: not authorized');
    await expect(leases.acquire('c', {})).rejects.toThrow('not authorized');
  });

  test('[L8] a request that is too large ends no lease but its own', async () => {
    const written: PromiseWithResolvers<number | undefined>[] = [];
    const leases = leasesOver(() => {
      const one = Promise.withResolvers<number | undefined>();
      written.push(one);
      return one.promise;
    });
    const [first, second] = [leases.acquire('a', {}), leases.acquire('b', {})];
    written[0]!.resolve(1_000);
    written[1]!.reject(new RecordTooLarge('9 bytes too many'));
    await expect(second).rejects.toThrow('the lease b was not got: 9 bytes too many');
    leases.fail(new Error('over'));
    await expect(first).rejects.toThrow('leases cannot be kept: over');
  });
});

describe('leases and what is answered', () => {
  test('[L8] a registry that is away ends no lease, and what was said meanwhile is heard afterwards', async () => {
    const world = new World();
    const { time } = world.simulation;
    const first = world.leases.acquire('a', {});
    await world.grant(7, 'r0');
    const lease = await time.complete(first);
    world.registryIsAway = true;
    await world.answer('EXPIRED', { token: 6, reason: 'TIMEOUT' });
    await time.runFor(20_000);
    expect([lease.isHeld, world.said.includes('end 7')]).toEqual([true, false]);
    await world.answer('EXPIRED', { token: 7, reason: 'REPLACED' });
    world.registryIsAway = false;
    expect(await time.complete(lease.over)).toBe('REPLACED');
  });

  test('[L8] an answer whose schema the registry does not know yet is waited for', async () => {
    const world = new World();
    const { time } = world.simulation;
    const waiting = world.leases.acquire('a', {});
    world.schemaIsUnknown = true;
    await world.grant(7, 'r0', 30_000);
    await time.runFor(5_000);
    expect(world.said).toEqual(['start r0']);
    world.schemaIsUnknown = false;
    const lease = await time.complete(waiting);
    expect(lease.isHeld).toBe(true);
  });

  test('[L8] what the registry has not learned of in ten minutes is passed over, and waiting says so', async () => {
    const world = new World();
    const { time } = world.simulation;
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    world.schemaIsUnknown = true;
    await world.answer('QUEUED', { requestId: 'other' });
    await time.runFor(31_000);
    await expect(waiting).rejects.toThrow(/answers cannot be read: no schema 7 \(answers-0-0\)\. Its partition waits/);
    await time.runFor(600_000);
    // One more by the same schema is not waited for again.
    await world.answer('QUEUED', { requestId: 'another' });
    await time.runFor(1_000);
    world.schemaIsUnknown = false;
    const next = world.leases.acquire('a', {});
    await world.grant(9, 'r1');
    const askedAtMs = time.nowMs;
    expect((await time.complete(next)).token).toBe(9);
    expect(time.nowMs - askedAtMs).toBeLessThan(1_000);
  });

  test('[L8] what can never be read does not make the next unknown schema passed over at once', async () => {
    const world = new World();
    const { time, log } = world.simulation;
    const waiting = world.leases.acquire('a', {});
    log.produce('answers', 0, { key: 'a', value: 'garbage' });
    await time.runFor(200);
    world.schemaIsUnknown = true;
    await world.grant(9, 'r0', 30_000);
    world.schemaIsUnknown = false;
    await time.runFor(5_000);
    expect((await time.complete(waiting)).token).toBe(9);
  });

  test('[L8] a request without an answer rejects, and names the dead letters', async () => {
    const world = new World();
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    await world.simulation.time.runFor(31_000);
    await expect(waiting).rejects.toThrow(LeaseNotGot);
    await expect(waiting).rejects.toThrow(
      /the lease a was not got: its request is in asks, .* on answers within 30000 ms\. .*<pipeline>\.dead-letters/,
    );
    await expect(waiting).rejects.toMatchObject({ leaseId: 'a', reason: 'NO_ANSWER' });
    expect(world.said).toEqual(['start r0', 'end r0']);
    await world.grant(7, 'r0');
    expect(world.said).toEqual(['start r0', 'end r0', 'end 7']);
  });

  test('[L4][L6] a refusal says what the pipeline says: the reason, who holds it, until when, and when to ask again', async () => {
    const world = new World();
    const held = world.leases.acquire('a', {});
    const delayed = world.leases.acquire('a', {});
    for (const each of [held, delayed]) each.catch(() => undefined);
    const holder = { host: 'n1' };
    await world.answer('REJECTED', { requestId: 'r0', reason: 'HELD', holder, deadlineAt: 9_000 });
    await world.answer('REJECTED', { requestId: 'r1', reason: 'LOCK_DELAY', retryAt: 7_000 });
    await expect(held).rejects.toMatchObject({
      reason: 'HELD',
      deadlineAt: 9_000,
      retryAt: undefined,
      holder: new Map([['host', 'n1']]),
    });
    await expect(delayed).rejects.toMatchObject({ reason: 'LOCK_DELAY', holder: undefined, retryAt: 7_000 });
  });

  test('[L8] where answers cannot be read, the error says why', async () => {
    const world = new World();
    world.registryIsAway = true;
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    await world.answer('QUEUED', { requestId: 'r0' });
    await world.simulation.time.runFor(31_000);
    await expect(waiting).rejects.toThrow('where answers cannot be read: the registry is away');
  });

  test('[L8] who asks again after a lease that ran out is not behind that one', async () => {
    const world = new World();
    const { time } = world.simulation;
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    await world.answer('GRANTED', {
      token: 7,
      requestId: 'r0',
      timeoutMs: 3_000,
      grantedAt: 0,
      deadlineAt: 50,
      renewals: 0,
    });
    expect(world.said).toEqual(['start r0', 'beat 7', 'end 7', 'start r1']);
    await world.grant(9, 'r1');
    expect((await time.complete(waiting)).token).toBe(9);
  });

  test('[L8] a lease that runs out each time before it is held is not asked for without end', async () => {
    const world = new World();
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    for (let at = 0; at < 5; at += 1)
      await world.answer('GRANTED', {
        token: at + 1,
        requestId: `r${at}`,
        timeoutMs: 3_000,
        grantedAt: 0,
        deadlineAt: 50,
        renewals: 0,
      });
    await expect(waiting).rejects.toThrow(/TOO_LATE, it ran out again and again .* ask for a longer timeoutMs/);
    expect(world.said.filter((each) => each.startsWith('start'))).toHaveLength(5);
  });
});

describe('waiting for a lease that is not wanted any more', () => {
  test('[L4][L8] rejects with the reason of the signal, and what is granted all the same is given back', async () => {
    const world = new World();
    const leaving = new AbortController();
    const waiting = world.leases.acquire('a', { signal: leaving.signal });
    waiting.catch(() => undefined);
    await world.answer('QUEUED', { requestId: 'r0' });
    leaving.abort(new Error('the worker stops'));
    await expect(waiting).rejects.toThrow('the worker stops');
    expect(world.said).toEqual(['start r0', 'end r0']);
    const [, withdrawal] = world.asked;
    expect([withdrawal!.value, withdrawal!.headers!.map(({ name }) => name)]).toEqual([null, ['flatline-request-id']]);
    // Granted before the withdrawal came, or by a processor that does not know of it.
    await world.grant(7, 'r0');
    expect(world.said).toEqual(['start r0', 'end r0', 'end 7']);
  });

  test('[L4][L8] who waits leaves the queue when the leases close', async () => {
    const world = new World();
    const waiting = world.leases.acquire('a', {});
    waiting.catch(() => undefined);
    await world.answer('QUEUED', { requestId: 'r0' });
    await world.leases.close(1_000, () => Promise.resolve());
    await expect(waiting).rejects.toMatchObject({ reason: 'ENDED' });
    expect(world.said).toEqual(['start r0', 'end r0']);
  });

  test('[L8] one that is granted, and not yet held, is given back at once', async () => {
    const world = new World();
    const leaving = new AbortController();
    const waiting = world.leases.acquire('a', { signal: leaving.signal });
    waiting.catch(() => undefined);
    const at = world.simulation.time.nowMs;
    const event = { type: 'GRANTED', leaseId: 'a', partition: 0, at, attributes: {}, token: 7, requestId: 'r0' };
    const timing = { timeoutMs: 3_000, grantedAt: at, deadlineAt: at + 3_000, renewals: 0 };
    world.holdsBack = true;
    world.simulation.log.produce('answers', 0, { key: 'a', value: JSON.stringify({ ...event, ...timing }) });
    await world.simulation.time.runFor(200);
    expect(world.said).toEqual(['start r0', 'beat 7']);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(world.said).toEqual(['start r0', 'beat 7', 'end 7']);
  });

  test('nothing is sent where the signal has been aborted before', async () => {
    const world = new World();
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(world.leases.acquire('a', { signal })).rejects.toThrow('too late');
    await expect(world.leases.resume('a', 7, { signal })).rejects.toThrow('too late');
    expect(world.said).toEqual([]);
  });

  test('[L8] a lease that is held is not let go by the signal', async () => {
    const world = new World();
    const { time } = world.simulation;
    const leaving = new AbortController();
    const waiting = world.leases.acquire('a', { signal: leaving.signal });
    await world.grant(7, 'r0');
    const lease = await time.complete(waiting);
    leaving.abort();
    await time.runFor(1_500);
    expect([lease.isHeld, world.said.includes('end 7')]).toEqual([true, false]);
  });
});

describe('a lease that is resumed', () => {
  test('[L3][L8] is held by its token, until another resumes it', async () => {
    const world = new World();
    const { time } = world.simulation;
    const waiting = world.leases.resume('a', 7, {});
    const question = (name: string): object => ({ token: 0, requestId: `resumes/7/${name}/1`, reason: 'WRONG_TOKEN' });
    await world.answer('REJECTED', { ...question('r0'), deadlineAt: time.nowMs + 3_000 });
    const lease = await time.complete(waiting);
    expect([lease.isHeld, lease.token, world.said.slice(0, 2)]).toEqual([true, 7, ['beat 7', 'beat 0']]);
    await world.answer('REJECTED', { ...question('other'), deadlineAt: time.nowMs + 3_000 });
    expect([await time.complete(lease.over), lease.isHeld]).toEqual(['RESUMED', false]);
    expect(world.said.includes('end 7')).toBe(false);
  });

  test('[L3] one whose token is old says who holds it now', async () => {
    const world = new World();
    const waiting = world.leases.resume('a', 7, {});
    waiting.catch(() => undefined);
    const refusal = { token: 7, requestId: 'renews/7/r0/1', reason: 'WRONG_TOKEN' };
    await world.answer('REJECTED', { ...refusal, holder: { host: 'n2' }, deadlineAt: 9_000 });
    await expect(waiting).rejects.toThrow(LeaseNotGot);
    await expect(waiting).rejects.toThrow(
      'the lease a was not got: WRONG_TOKEN, it has ended, and another holds it by a later grant',
    );
    const holder = new Map([['host', 'n2']]);
    await expect(waiting).rejects.toMatchObject({ reason: 'WRONG_TOKEN', holder, deadlineAt: 9_000 });
  });

  test.each([
    ['EXPIRED', 'TIMEOUT'],
    ['EXPIRED', 'MAX_DURATION'],
    ['EXPIRED', 'REPLACED'],
    ['RELEASED', undefined],
  ])('[L3] one that ends while it is asked for says so: %s %s', async (type, reason) => {
    const world = new World();
    const waiting = world.leases.resume('a', 7, {});
    waiting.catch(() => undefined);
    await world.answer(type, { token: 7, reason });
    await expect(waiting).rejects.toThrow(`not got: ${reason ?? type}, it has ended: acquire it`);
  });

  test('[L8] whoever acquired it is over once another resumes its token, and gives nothing back', async () => {
    const world = new World();
    const { time } = world.simulation;
    const waiting = world.leases.acquire('a', {});
    await world.grant(7, 'r0');
    const lease = await time.complete(waiting);
    await world.answer('REJECTED', { token: 0, requestId: 'resumes/6/other/1', reason: 'WRONG_TOKEN' });
    await world.answer('REJECTED', { token: 0, requestId: 'resumes/7/other/2', reason: 'WRONG_TOKEN' });
    expect(lease.isHeld).toBe(true);
    await world.answer('REJECTED', { token: 0, requestId: 'resumes/7/other/1', reason: 'WRONG_TOKEN' });
    expect([await time.complete(lease.over), world.said.includes('end 7')]).toEqual(['RESUMED', false]);
  });
});

describe('a lease that is watched', () => {
  const question = (): object => ({ token: 0, requestId: 'watches/r0' });

  test('[L1] begins with who holds it, as the pipeline says when it is asked, and goes on with each change', async () => {
    const world = new World();
    const { time } = world.simulation;
    const watch = world.leases.watch('a', {});
    const first = watch.next();
    await world.answer('REJECTED', { ...question(), reason: 'WRONG_TOKEN', holder: { host: 'n1' }, deadlineAt: 9_000 });
    expect(world.said).toEqual(['beat 0']);
    expect((await time.complete(first)).value).toEqual({
      state: 'held',
      holder: new Map([['host', 'n1']]),
      token: undefined,
      deadlineAt: 9_000,
    });
    const second = watch.next();
    await world.answer('REJECTED', { requestId: 'other', reason: 'HELD', deadlineAt: 9_000 });
    await world.answer('EXPIRED', { token: 7, reason: 'TIMEOUT' });
    expect((await time.complete(second)).value).toEqual({ state: 'free', reason: 'TIMEOUT' });
    const third = watch.next();
    await world.answer('GRANTED', { token: 9, attributes: { host: 'n2' }, deadlineAt: 12_000, timeoutMs: 3_000 });
    expect((await time.complete(third)).value).toMatchObject({ state: 'held', token: 9, deadlineAt: 12_000 });
    await watch.return();
    expect((await watch.next()).done).toBe(true);
  });

  test('LW1: a slow reader gets the newest', async () => {
    const world = new World();
    const { time } = world.simulation;
    const watch = world.leases.watch('a', {});
    const first = watch.next();
    await world.answer('REJECTED', { ...question(), reason: 'NOT_HELD' });
    expect((await time.complete(first)).value).toEqual({ state: 'free', reason: 'NOT_HELD' });
    await world.answer('GRANTED', { token: 9, deadlineAt: 12_000, timeoutMs: 3_000 });
    await world.answer('RELEASED', { token: 9 });
    expect((await time.complete(watch.next())).value).toEqual({ state: 'free', reason: 'RELEASED' });
  });

  test('[L8] says that it does not know where nothing is answered', async () => {
    const world = new World();
    const { time } = world.simulation;
    const watch = world.leases.watch('a', {});
    const first = watch.next();
    await time.runFor(31_000);
    expect((await time.complete(first)).value).toEqual({ state: 'unknown' });
  });

  test('ends by its signal, by closing, and with what ends the leases', async () => {
    const world = new World();
    const { time } = world.simulation;
    const leaving = new AbortController();
    const left = world.leases.watch('a', { signal: leaving.signal }).next();
    const failing = world.leases.watch('a', {}).next();
    failing.catch(() => undefined);
    leaving.abort();
    expect((await time.complete(left)).done).toBe(true);
    world.leases.fail(new Error('not authorized'));
    await expect(failing).rejects.toThrow('leases cannot be kept: not authorized');
    const closing = new World();
    const closed = closing.leases.watch('a', {}).next();
    await closing.leases.close(1_000, () => Promise.resolve());
    expect((await closing.simulation.time.complete(closed)).done).toBe(true);
  });
});
