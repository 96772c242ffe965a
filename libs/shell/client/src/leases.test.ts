import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import { type KeyedRecord, RecordTooLarge } from '@flatline/kafka';
import { LeaseEventFormats } from '@flatline/records';
import { LeaseNotGot } from './lease-not-got.ts';
import { HeldLeases, type LeasesParts } from './leases.ts';

const SETTINGS = { clockSkewMs: 100, answerWithinMs: 30_000, topic: 'asks', answers: 'answers' };

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

/** Leases over a log in memory: what is asked lies in `asked`, and the test answers. */
class World {
  readonly simulation = new Simulation({ seed: 1 });
  readonly asked: (KeyedRecord & { readonly said: string })[] = [];
  readonly leases: HeldLeases;
  registryIsAway = false;

  constructor(answerWithinMs = 30_000) {
    const { clock, reader } = this.simulation.start('a').ports;
    const { time, log } = this.simulation;
    log.createTopic('answers', { partitions: 1 });
    let ids = 0;
    const write = (record: KeyedRecord): Promise<number> => {
      const header = new TextDecoder().decode(record.headers![0]!.value);
      this.asked.push({
        ...record,
        said: `${record.value === null ? 'end' : record.value.length ? 'start' : 'beat'} ${header}`,
      });
      return Promise.resolve(time.nowMs);
    };
    this.leases = new HeldLeases({ ...SETTINGS, answerWithinMs, clock, write, newRequestId: () => `r${ids++}` });
    const formats = new LeaseEventFormats({ format: 'auto', registry: undefined, clock });
    const read = (value: Uint8Array): ReturnType<LeaseEventFormats['read']> =>
      this.registryIsAway ? Promise.reject(new Retriable('the registry is away')) : formats.read(value);
    this.leases.follow(reader, 'answers', new Map([[0, 0]]), { read }).catch((error: unknown) => {
      this.leases.fail(error);
    });
  }

  get said(): string[] {
    return this.asked.map(({ said }) => said);
  }

  async answer(type: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    const at = this.simulation.time.nowMs;
    const event = { type, leaseId: 'a', partition: 0, at, attributes: {}, ...fields };
    this.simulation.log.produce('answers', 0, { key: 'a', value: JSON.stringify(event) });
    await this.simulation.time.runFor(200);
  }

  grant(token: number, requestId: string, timeoutMs = 3_000): Promise<void> {
    const at = this.simulation.time.nowMs;
    return this.answer('GRANTED', {
      token,
      requestId,
      timeoutMs,
      grantedAt: at,
      deadlineAt: at + timeoutMs,
      renewals: 0,
    });
  }
}

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
    expect(world.said).toEqual(['start r0']);
    await world.grant(7, 'r0');
    expect(world.said).toEqual(['start r0', 'end 7']);
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
