// Subscriptions on a real broker: what there is, then what follows, at any instance; lists over all partitions.
import { afterEach, describe, expect, test } from '@jest/globals';
import { directory, type DirectoryChange } from '@flatline/client';
import { killAll } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, fetchJson, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

const TIMEOUT_MS = 60_000;
const USERS = 30;
const LOOK_MS = 50;
const users = Array.from({ length: USERS }, (_, i) => `user ${i}/ü`);

let scenario: Scenario;
const stop = new AbortController();
afterEach(async () => {
  stop.abort();
  await killAll();
  await scenario.dispose();
});

interface List {
  readonly entries: readonly { readonly key: string; readonly attributes: Readonly<Record<string, string>> }[];
  readonly unanswered: readonly object[];
  readonly after?: string;
}

async function send(...records: readonly (readonly [string, string | null])[]): Promise<void> {
  await scenario.producing((producer) =>
    producer.send(
      records.map(([key, value]) => ({ ...recordOf(key, ''), value: value === null ? null : Buffer.from(value) })),
    ),
  );
}

/** Collects what comes until `isLast`. */
async function until(
  changes: AsyncIterable<DirectoryChange>,
  isLast: (change: DirectoryChange) => boolean,
): Promise<readonly DirectoryChange[]> {
  const all: DirectoryChange[] = [];
  for await (const change of changes) {
    all.push(change);
    if (isLast(change)) break;
  }
  return all;
}

function stateOf(change: DirectoryChange): string {
  if (change.kind !== 'output') return change.kind;
  const { value } = change.output as { readonly value?: { readonly state?: string } | null };
  return value?.state ?? 'tombstone';
}

describe('push', () => {
  test('[Q3][S11] a key, a prefix and a whole pipeline are heard at either instance, from what there is on; lists go over all partitions', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, pipeline: { emit: ['opened', 'closed'] } as object });
    const addresses = [];
    for (const running of [scenario.start('a'), scenario.start('b')]) addresses.push(await addressOf(running));
    for (const address of addresses) await ready(address);
    const byUrl = addresses.map((url) => directory({ urls: [url], pipeline: 'visits' }));
    await send(...users.map((key, i) => [key, `{"type":"VIEW","attributes":{"odd":"${i % 2}"}}`] as const));

    for (const address of addresses) {
      const listed: string[] = [];
      let after: string | undefined = '0.0';
      while (after !== undefined || listed.length < USERS) {
        const path: string = `/api/v1/entries/visits?prefix=user%20&limit=7&after=${after ?? '0.0'}`;
        if (after === undefined) listed.length = 0;
        const list: List = await fetchJson<List>(address, path);
        expect(list.entries.length).toBeLessThanOrEqual(7);
        listed.push(...list.entries.map(({ key }) => key));
        ({ after } = list);
        if (after === undefined && listed.length < USERS) await sleep(LOOK_MS);
      }
      expect(listed.toSorted()).toEqual(users.toSorted());
      const odd = await fetchJson<List>(address, '/api/v1/entries/visits?attribute=odd=1&limit=1000');
      expect(odd).toMatchObject({
        unanswered: [],
        entries: Array.from({ length: USERS / 2 }, () => ({ state: 'live' })),
      });
    }
    const { entries } = await byUrl[0]!.list({ prefix: users[3]! });
    expect(entries.map(({ key, state }) => [key, state])).toEqual([[users[3], 'live']]);

    for (const [at, client] of byUrl.entries()) {
      const known = users[at]!;
      const isClosed = (change: DirectoryChange): boolean => stateOf(change) === 'tombstone';
      const { signal } = stop;
      const ofKey = until(client.watch(known, { signal }), isClosed);
      const ofNew = until(client.watch(`new ${at}`, { signal }), isClosed);
      const ofPrefix = until(client.watchAll({ prefix: `new ${at}`, signal }), isClosed);
      let begun: () => void = () => undefined;
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      const ofAll = until(client.watchAll({ signal }), (change) => {
        if (change.kind === 'snapshot') begun();
        return change.kind === 'output' && change.output.key === `new ${at}` && isClosed(change);
      });
      await hasBegun;
      // The others have begun before, or begin with what there is by then: either way nothing is missed.
      await sleep(200);
      await send([known, null], [`new ${at}`, '']);
      await send([`new ${at}`, null]);
      const seen = await ofKey;
      expect(seen.map(stateOf)).toEqual(['subscribed', 'snapshot', 'CLOSED', 'tombstone']);
      expect(seen[0]).toEqual({ kind: 'subscribed', emits: ['opened', 'closed'] });
      expect(seen[1]).toMatchObject({ entries: [{ key: known, state: 'live', eventCount: 1 }], isComplete: true });
      expect((await ofNew).map(stateOf)).toEqual(['subscribed', 'snapshot', 'OPENED', 'CLOSED', 'tombstone']);
      expect((await ofPrefix).map(stateOf)).toEqual(['subscribed', 'snapshot', 'OPENED', 'CLOSED', 'tombstone']);
      const all = await ofAll;
      const snapshot = all.find((change) => change.kind === 'snapshot')!;
      expect(snapshot.entries.map(({ key }) => key).toSorted()).toEqual(users.slice(at).toSorted());
      expect(all.flatMap((change) => (change.kind === 'output' ? [change.output.key] : [])).toSorted()).toEqual(
        [known, known, ...Array.from({ length: 3 }, () => `new ${at}`)].toSorted(),
      );
    }
  });

  test('[Q3][I4] what cannot be served is refused, and says why', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
    const address = await addressOf(scenario.start());
    await ready(address);
    const refused = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
      const response = await fetch(`${address}/api/v1/events/${path}`, { headers });
      expect(response.status).toBe(400);
      return ((await response.json()) as { readonly error: string }).error;
    };
    expect(await refused('visits?key=a&prefix=b')).toContain('key or prefix, not both');
    expect(await refused('clicks')).toContain('no pipeline clicks');
    expect(await refused('visits?key=a', { 'last-event-id': 'junk' })).toContain('Last-Event-ID');
    const first = directory({ urls: [address], pipeline: 'visits' }).watch('a');
    const [said] = await until(first, () => true);
    expect(said).toMatchObject({ emits: ['closed'], detail: expect.stringContaining('lacks "opened"') as unknown });
    // A key may have no bytes at all, and is heard like any other.
    const empty = directory({ urls: [address], pipeline: 'visits' }).watch('');
    const [, ofEmpty] = await until(empty, ({ kind }) => kind === 'snapshot');
    expect(ofEmpty).toMatchObject({ kind: 'snapshot', entries: [{ state: 'none' }] });
    const gone = { 'last-event-id': '00000000.4.all.0-0-0-0' };
    const foreign = await fetch(`${address}/api/v1/events/visits`, { headers: gone });
    const text = foreign.body!.pipeThrough(new TextDecoderStream());
    let all = '';
    for await (const part of text) if ((all += part).includes('event: snapshot')) break;
    expect([...all.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(['subscribed', 'gap', 'snapshot']);
  });
});
