// Instances of two racks on a real broker: no partition has both of its copies in one of them, and the loss of a whole rack at once
// leaves each partition with a standby that goes on.
import { afterEach, describe, expect, test } from '@jest/globals';
import { directory } from '@flatline/client';
import { kill, killAll, type Running } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, fetchJson } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const RACKS: Readonly<Record<string, string>> = { a: 'east', b: 'east', c: 'west', d: 'west' };
const PARTITIONS = 8;
const USERS = 200;
const LOOK_MS = 100;
/** Longer than it takes the other rack to go on with everybody. */
const TIMEOUT_MS = 40_000;

interface Placed {
  readonly partition: number;
  readonly owner: { readonly name: string } | null;
  readonly standbys: readonly { readonly name: string }[];
}

interface Assigned {
  readonly role: string;
  readonly state: string;
  readonly lag: number | null;
}

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const users = Array.from({ length: USERS }, (_, i) => `user-${i}`);

async function placesBy(address: string): Promise<readonly Placed[]> {
  return (await fetchJson<{ readonly partitions: readonly Placed[] }>(address, '/api/v1/owners/visits')).partitions;
}

/** Once each partition has an owner that runs, and a standby that has read all. */
async function settled(addresses: readonly string[]): Promise<readonly Placed[]> {
  for (;;) {
    const all = await Promise.all(
      addresses.map((each) => fetchJson<{ readonly partitions: readonly Assigned[] }>(each, '/api/v1/partitions')),
    );
    const rows = all.flatMap(({ partitions }) => partitions);
    const running = rows.filter(({ role, state }) => role === 'owner' && state === 'running');
    const following = rows.filter(({ role, state, lag }) => role === 'standby' && state === 'following' && lag === 0);
    if (running.length === PARTITIONS && following.length === PARTITIONS) return placesBy(addresses[0]!);
    await sleep(LOOK_MS);
  }
}

const rackOf = ({ name }: { readonly name: string }): string => RACKS[name]!;

describe('[P4] with a rack of each instance', () => {
  test('[F1][R4] owner and standby of a partition are never in one, and with a whole rack killed every key is answered by the other', async () => {
    scenario = await Scenario.create({
      timeoutMs: TIMEOUT_MS,
      partitions: PARTITIONS,
      pipeline: { standbys: 1 },
    });
    const running = new Map(
      Object.entries(RACKS).map(([name, rack]): [string, Running] => [
        name,
        scenario.start(name, { FLATLINE_RACK: rack }),
      ]),
    );
    const addresses = await Promise.all([...running.values()].map(addressOf));
    await settled(addresses);
    await scenario.producing((producer) => producer.send(users.map((key) => recordOf(key, '{"type":"VIEW"}'))));
    await directory({ urls: addresses, pipeline: 'visits' }).getAll(users, { proof: 'now' });

    const places = await settled(addresses);
    for (const { owner, standbys } of places) {
      expect(standbys).toHaveLength(1);
      expect([rackOf(owner!), rackOf(standbys[0]!)].sort()).toEqual(['east', 'west']);
    }
    expect(new Set(places.map(({ owner }) => owner!.name))).toEqual(new Set(Object.keys(RACKS)));

    const takenOver = [running.get('c')!, running.get('d')!];
    await Promise.all(['a', 'b'].map((name) => kill(running.get(name)!.child)));
    const west = directory({ urls: addresses.slice(2), pipeline: 'visits' });
    const states = new Set<string>();
    for (let byOwner = 0; byOwner < USERS;) {
      const found = await west.getAll(users);
      for (const { state } of found) states.add(state);
      byOwner = found.filter(({ state, from }) => state === 'live' && from === 'owner').length;
      await sleep(LOOK_MS);
    }
    expect([...states]).not.toContain('none');
    const left = await placesBy(addresses[2]!);
    expect(new Set(left.map(({ owner }) => rackOf(owner!)))).toEqual(new Set(['west']));
    // One that is lost with its owner is none: there is no other rack.
    expect(left.flatMap(({ standbys }) => standbys)).toEqual([]);
    const runs = takenOver.flatMap((each) => each.printed().match(/task runs.*"restoredFrom":"[^"]+"/g) ?? []);
    expect(runs.some((line) => line.endsWith('"restoredFrom":"standby"'))).toBe(true);

    await scenario.outputs(({ tombstones }) => tombstones.length >= USERS);
    for (const each of takenOver) expect(await scenario.stop(each)).toBe(0);
    await expectVerified(scenario);
  }, 180_000);
});
