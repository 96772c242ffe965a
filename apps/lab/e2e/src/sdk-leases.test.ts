// The SDK's use of leases beyond acquiring them, on a real broker: resuming, leaving the queue.
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  connect,
  type Flatline,
  type Leadership,
  type Lease,
  LeaseLost,
  LeaseNotGot,
  type Leases,
  type LeaseStanding,
} from '@flatline/client';
import { fileURLToPath } from 'node:url';
import { killAll, launch, type Running } from './child.fixture.ts';
import { PARTITIONS, recordsIn, textOf } from './kinds.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

let scenario: Scenario;
const clients: Flatline[] = [];
afterEach(async () => {
  await Promise.allSettled(clients.splice(0).map((each) => each.close()));
  await killAll();
  await scenario.dispose();
});

async function create(pipeline: object): Promise<void> {
  scenario = await Scenario.create({
    timeoutMs: 2_000,
    partitions: PARTITIONS,
    pipeline: { kind: 'lease', ...pipeline },
  });
}

/** A client as on a separate server. */
async function server(): Promise<Leases> {
  const client = connect({ brokers: scenario.kafka.brokers });
  clients.push(client);
  return client.leases({ topic: scenario.input, answers: scenario.output });
}

/** Types of the answers about a lease, without refused requests. */
async function said(key: string): Promise<unknown[]> {
  const output = (await recordsIn(scenario, scenario.output)).flat();
  const events = output.flatMap(({ key: of, value }) =>
    textOf(of) === key && value !== null ? [JSON.parse(textOf(value)) as Record<string, unknown>] : [],
  );
  return events.filter(({ token }) => token !== 0).map(({ type }) => type);
}

describe('leases of the SDK', () => {
  test('[L3][L8] are resumed by their token, by one at a time; an old token and one of no lease are refused, with why', async () => {
    await create({ onConflict: 'queue', bucketMs: 700 });
    const processor = scenario.start();
    const [a, b, c] = await Promise.all([server(), server(), server()]);
    const first = await a.acquire('job', { attributes: { host: 'a' } });
    const second = await b.resume('job', first.token);
    expect([second.isHeld, second.token]).toEqual([true, first.token]);
    expect(await first.over).toBe('RESUMED');
    // Its answers keep it for longer than its timeout.
    await sleep(5_000);
    expect([second.isHeld, first.isHeld]).toEqual([true, false]);
    // Two at the same moment: one of them goes on.
    const both = await Promise.all([a.resume('job', first.token), c.resume('job', first.token)]);
    expect(await second.over).toBe('RESUMED');
    const former = await Promise.race(both.map((each) => each.over.then(() => each)));
    const latter = both.find((each) => each !== former)!;
    expect([await former.over, latter.isHeld]).toEqual(['RESUMED', true]);
    await sleep(3_000);
    expect(latter.isHeld).toBe(true);
    latter.release();
    const next = await b.acquire('job', { attributes: { host: 'b' } });
    expect(next.token).toBeGreaterThan(first.token);
    // Until it has heard of it, its own release remains the reason.
    for await (const seen of c.watch('job')) if (seen.state === 'held' && seen.holder.get('host') === 'b') break;
    const old = c.resume('job', first.token);
    await expect(old).rejects.toThrow(LeaseNotGot);
    await expect(old).rejects.toMatchObject({
      reason: 'WRONG_TOKEN',
      holder: new Map([['host', 'b']]),
      deadlineAt: expect.any(Number),
    });
    await expect(c.resume('job', next.token + 1)).rejects.toMatchObject({ reason: 'WRONG_TOKEN' });
    await expect(c.resume('free', 5)).rejects.toMatchObject({ reason: 'NOT_HELD', holder: undefined });
    await expect(c.resume('job', 0)).rejects.toThrow(TypeError);
    expect(next.isHeld).toBe(true);
    expect((await said('job')).filter((type) => type === 'EXPIRED')).toEqual([]);
    next.release();
    while ((await said('job')).at(-1) !== 'RELEASED') await sleep(50);
    expect(await scenario.stop(processor)).toBe(0);
    await expectSound(scenario);
  });

  test('[L4][L8] a holder that stops is resumed elsewhere without a gap; who waits and leaves is not granted', async () => {
    await create({ onConflict: 'queue' });
    const processor = scenario.start();
    const [a, b] = await Promise.all([server(), server()]);
    const { token } = await a.acquire('job');
    const waiting = b.acquire('job', { waitMs: 60_000, signal: AbortSignal.timeout(6_000) });
    waiting.catch(() => undefined);
    // Neither renews nor releases, as after a kill.
    const kept = await b.resume('job', token);
    await sleep(4_000);
    expect(kept.isHeld).toBe(true);
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
    kept.release();
    const sinceQueued = async (): Promise<unknown[]> => {
      const all = await said('job');
      return all.slice(all.indexOf('QUEUED'));
    };
    while ((await sinceQueued()).length < 3) await sleep(50);
    expect(await sinceQueued()).toEqual(['QUEUED', 'REJECTED', 'RELEASED']);
    expect(await scenario.stop(processor)).toBe(0);
    await expectSound(scenario);
  });

  test('[L1][L8] are watched, from who holds them now; one leads at a time, until it is told to stop', async () => {
    await create({ onConflict: 'queue' });
    const processor = scenario.start();
    const [a, b, onlooker] = await Promise.all([server(), server(), server()]);
    const leading: string[] = [];
    const tokens: number[] = [];
    const reasons: unknown[] = [];
    let leaders = 0;
    const lead =
      (name: string) =>
      async ({ token, signal }: Leadership): Promise<void> => {
        leaders += 1;
        expect(leaders).toBe(1);
        leading.push(name);
        tokens.push(token);
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        reasons.push(signal.reason);
        leaders -= 1;
      };
    const [stopA, stopB] = [new AbortController(), new AbortController()];
    const first = a.runWhileLeader('job', lead('a'), { signal: stopA.signal, attributes: { host: 'a' } });
    while (leading.length < 1) await sleep(20);
    const second = b.runWhileLeader('job', lead('b'), { signal: stopB.signal, attributes: { host: 'b' } });
    const looking = new AbortController();
    const seen: LeaseStanding[] = [];
    const watching = (async () => {
      for await (const standing of onlooker.watch('job', { signal: looking.signal })) seen.push(standing);
    })();
    while (seen.length < 1) await sleep(20);
    expect(seen[0]).toMatchObject({ state: 'held', holder: new Map([['host', 'a']]), token: undefined });
    stopA.abort('enough');
    await first;
    while (leading.length < 2) await sleep(20);
    const isSeen = (): boolean => seen.some((each) => each.state === 'held' && each.token === tokens[1]);
    while (!isSeen()) await sleep(20);
    // Another client goes on with the token: b has lost its lease, and waits for the next.
    const taken = await onlooker.resume('job', tokens[1]!);
    while (reasons.length < 2) await sleep(20);
    taken.release();
    while (leading.length < 3) await sleep(20);
    stopB.abort('enough');
    await second;
    expect([leading, leaders, tokens]).toEqual([['a', 'b', 'b'], 0, tokens.toSorted((one, other) => one - other)]);
    expect(reasons).toEqual(['enough', expect.any(LeaseLost), 'enough']);
    expect(reasons[1]).toMatchObject({ reason: 'RESUMED' });
    while (seen.at(-1)?.state !== 'free') await sleep(20);
    expect(seen.at(-1)).toEqual({ state: 'free', reason: 'RELEASED' });
    looking.abort();
    await watching;
    const free = onlooker.watch('free', { signal: AbortSignal.timeout(20_000) });
    expect((await free.next()).value).toEqual({ state: 'free', reason: 'NOT_HELD' });
    expect(await scenario.stop(processor)).toBe(0);
  });
});

describe('a client that closes', () => {
  test('[L8] lets who leads send what it has left, and no loop over outputs keep it from returning', async () => {
    await create({ onConflict: 'queue' });
    const processor = scenario.start();
    const client = connect({ brokers: scenario.kafka.brokers });
    clients.push(client);
    const beats = await client.heartbeats({ topic: scenario.input });
    const events = await client.summaries({ topic: scenario.output, from: 'end' });
    const leases = await client.leases({ topic: scenario.input, answers: scenario.output });
    const leading = Promise.withResolvers<undefined>();
    const done = leases.runWhileLeader('job', async () => {
      leading.resolve(undefined);
      for await (const record of events) expect(record).toBeDefined();
      await beats.beat('left over');
      await beats.flush();
    });
    await leading.promise;
    await client.close();
    await done;
    const sent = (await recordsIn(scenario, scenario.input)).flat().map(({ key }) => textOf(key));
    expect(sent).toContain('left over');
    while ((await said('job')).at(-1) !== 'RELEASED') await sleep(20);
    expect(await scenario.stop(processor)).toBe(0);
  });
});

describe('a holder that is frozen for longer than its timeout, while its lease is resumed elsewhere', () => {
  function holder(...token: readonly string[]): Running {
    const program = fileURLToPath(new URL('lease-holder.fixture.ts', import.meta.url));
    const { kafka, input, output } = scenario;
    return launch(process.execPath, [
      '--conditions=@flatline/source',
      program,
      kafka.brokers.join(','),
      input,
      output,
      ...token,
    ]);
  }

  /** Moments at which this process believed in the lease, until told otherwise. */
  function watchBelief(lease: Lease): { readonly moments: readonly number[]; readonly stop: () => void } {
    const moments: number[] = [];
    const timer = setInterval(() => {
      const at = Date.now();
      if (lease.isHeld) moments.push(at);
    }, 5);
    return {
      moments,
      stop: () => {
        clearInterval(timer);
      },
    };
  }

  test.each(['acquired', 'resumed'])(
    '[L3][L8] one that has %s it believes no more when it goes on, and ends nothing: who waits comes after the other',
    async (how) => {
      await create({ onConflict: 'queue' });
      const processor = scenario.start();
      const [b, c] = await Promise.all([server(), server()]);
      const first = how === 'resumed' ? await b.acquire('job') : undefined;
      const frozen = first === undefined ? holder() : holder(String(first.token));
      const token = Number((await frozen.line(/^holds/)).split(' ')[1]);
      if (first !== undefined) expect(await first.over).toBe('RESUMED');
      // On a busy machine a grant may run out before it is received: that one is released, and requested again.
      const earlier = (await said('job')).length;
      const waiting = c.acquire('job', { waitMs: 60_000 });
      while (!(await said('job')).includes('QUEUED')) await sleep(20);
      frozen.child.kill('SIGSTOP');
      const kept = await b.resume('job', token);
      const belief = watchBelief(kept);
      await sleep(4_000);
      frozen.child.kill('SIGCONT');
      await frozen.line(/^released/);
      await sleep(3_000);
      belief.stop();
      const believed = [...frozen.printed().matchAll(/^believes (\d+)$/gm)].map(([, at]) => Number(at));
      expect(believed.length).toBeGreaterThan(0);
      expect(Math.max(...believed)).toBeLessThan(belief.moments[0]!);
      expect(kept.isHeld).toBe(true);
      const since = (await said('job')).slice(earlier);
      expect(since.filter((type) => type === 'RELEASED' || type === 'EXPIRED')).toEqual([]);
      kept.release();
      const next = await waiting;
      expect(next.token).toBeGreaterThan(token);
      next.release();
      expect(await scenario.stop(processor)).toBe(0);
    },
  );
});
