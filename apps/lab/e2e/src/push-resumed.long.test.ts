// Subscribers through a kill: each goes on at the instance that is left, and all that it has heard is judged by the output topic.
import { afterEach, expect, test } from '@jest/globals';
import { directory, type DirectoryChange } from '@flatline/client';
import { kill, killAll } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { addressOf, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const TIMEOUT_MS = 2_000;
const USERS = 40;
const ROUNDS = 60;
const ROUND_MS = 150;
const users = Array.from({ length: USERS }, (_, i) => `${i % 4}/user ${i}`);

let scenario: Scenario;
const stop = new AbortController();
afterEach(async () => {
  stop.abort();
  await killAll();
  await scenario.dispose();
});

interface Heard {
  readonly name: string;
  /** undefined: all. */
  readonly key?: string;
  readonly prefix?: string;
  readonly changes: DirectoryChange[];
}

interface Said {
  readonly place: string;
  readonly key: string;
  readonly incarnation: string;
  readonly isOpening: boolean;
}

const utf8 = new TextDecoder();

/** Records of the output, in the order of each partition. */
async function outputsNow(): Promise<readonly Said[]> {
  const { kafka, output: topic, partitions } = scenario;
  const all = await readWhole(kafka, { topic, partitions });
  return all.flatMap((records, partition) =>
    records.map(({ offset, key, value, headers }) => {
      const said = value === null ? {} : (JSON.parse(utf8.decode(value)) as Readonly<Record<string, string>>);
      const named = headers.find(({ name }) => name === 'flatline-incarnation')?.value;
      const incarnation = said['incarnation'] ?? utf8.decode(named ?? new Uint8Array());
      return {
        place: `${partition}/${offset}`,
        key: utf8.decode(key ?? undefined),
        incarnation,
        isOpening: said['state'] === 'OPENED',
      };
    }),
  );
}

function concerns({ key, prefix = '' }: Heard, said: Said): boolean {
  return key === undefined ? said.key.startsWith(prefix) : said.key === key;
}

/** Lists faults in the events that a subscriber heard, in words. */
function faultsOf(heard: Heard, topic: readonly Said[]): readonly string[] {
  const { name, changes } = heard;
  const snapshots = changes.filter((change) => change.kind === 'snapshot');
  if (snapshots.length !== 1) return [`${name}: ${snapshots.length} snapshots`];
  const live = new Set(snapshots[0]!.entries.map(({ incarnation }) => String(incarnation)));
  const places = changes.flatMap((change) =>
    change.kind === 'output' ? [`${change.output.partition}/${change.output.offset}`] : [],
  );
  const got = new Set(places);
  const faults = places.length === got.size ? [] : [`${name}: ${places.length - got.size} came twice`];
  // It has heard all of each partition from one place on: what concerns it, without a hole.
  const open = new Set<string>();
  const begun = new Set<string>();
  for (const said of topic.filter((each) => concerns(heard, each))) {
    const [partition = ''] = said.place.split('/');
    const isHeard = got.has(said.place);
    if (isHeard) begun.add(partition);
    else if (begun.has(partition)) faults.push(`${name}: ${said.place} is missing`);
    if (said.isOpening && isHeard) open.add(said.incarnation);
    // A session shown as live, or heard opening, is heard closing; one that was over before is not heard of.
    if (said.isOpening && isHeard && live.has(said.incarnation))
      faults.push(`${name}: ${said.incarnation} opens twice`);
    if (!said.isOpening && isHeard !== (live.has(said.incarnation) || open.has(said.incarnation)))
      faults.push(`${name}: ${said.incarnation} at ${said.place} is ${isHeard ? '' : 'not '}heard`);
  }
  const known = new Set(topic.map(({ place }) => place));
  return [...faults, ...places.filter((place) => !known.has(place)).map((place) => `${name}: ${place} is no output`)];
}

test('[Q3] an instance killed in the middle: its subscribers go on at the other, nothing twice and nothing missing', async () => {
  scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, pipeline: { emit: ['opened', 'closed'] } as object });
  const [a, b] = [scenario.start('a'), scenario.start('b')];
  const addresses = [await addressOf(a), await addressOf(b)];
  for (const address of addresses) await ready(address);
  const all: Heard[] = [];
  const hear = (name: string, of: Pick<Heard, 'key' | 'prefix'>, first: number): void => {
    const client = directory({ urls: first === 0 ? addresses : addresses.toReversed(), pipeline: 'visits' });
    const { key, prefix } = of;
    const { signal } = stop;
    const heard: Heard = { name, ...of, changes: [] };
    all.push(heard);
    const changes =
      key === undefined
        ? client.watchAll({ signal, ...(prefix !== undefined && { prefix }) })
        : client.watch(key, { signal });
    void (async () => {
      for await (const change of changes) heard.changes.push(change);
    })();
  };
  await scenario.producing(async (producer) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each falls silent now and then, for longer than its timeout, and comes back.
      const beating = users.filter((_, i) => (i + Math.floor(round / 20)) % 3 !== 0);
      await producer.send(beating.map((key) => recordOf(key, '')));
      if (round % 10 === 5)
        for (const first of [0, 1]) {
          hear(`${users[round % USERS]!} from round ${round} at ${first}`, { key: users[round % USERS]! }, first);
          hear(`prefix from round ${round} at ${first}`, { prefix: `${round % 4}/` }, first);
          hear(`all from round ${round} at ${first}`, {}, first);
        }
      if (round === ROUNDS / 2) await kill(a.child);
      await sleep(ROUND_MS);
    }
  });
  // All is over once everybody has closed: as many ends as openings.
  let topic: readonly Said[] = [];
  do {
    await sleep(500);
    topic = await outputsNow();
  } while (topic.filter(({ isOpening }) => isOpening).length * 3 !== topic.length);
  const lastsOf = (heard: Heard): number => topic.filter((said) => concerns(heard, said)).length;
  const isWhole = (heard: Heard): boolean => faultsOf(heard, topic).length === 0;
  for (let tries = 0; tries < 40 && !all.every(isWhole); tries += 1) await sleep(250);
  expect(all.flatMap((heard) => faultsOf(heard, topic))).toEqual([]);
  expect(all.filter((heard) => lastsOf(heard) > 0).length).toBeGreaterThan(20);
  expect(all.flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'gap'))).toEqual([]);
});
