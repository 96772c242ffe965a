// Look-ups, judged by a reading of the log of their own: each answer must be what the records below its position say.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { calm, rough } from '@flatline/cluster';
import { sessionView } from '@flatline/kinds/session';
import type { LookUp, ShowEntry } from '../look-up.ts';
import { CHANGELOG, INPUT, type Process, World } from '../world.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 12);
const SEED = Number(process.env['SEED'] ?? 1);
/** A standby whose local store was further than the log by a new leader's answer. */
const PINNED = [53_887_516];
const KEYS = Array.from({ length: 12 }, (_, i) => `k${i}`);
const utf8 = new TextEncoder();
const NEVER = new AbortController().signal;

interface Judged {
  readonly key: string;
  readonly partition: number;
  readonly answer: LookUp;
  /** Input position below which all was committed by the task that answered, when it did. */
  readonly committed: number;
  /** The position that was acknowledged when it was asked, if the answer had to be as new as that. */
  readonly acknowledged: number;
}

/** How many events a key's open session has by the records below `position`, as of `clock`; 0: none is open. */
function openBy(
  world: World,
  { key, partition }: Judged,
  { clock, position }: { clock: number; position: number },
): number {
  let [count, lastSeen] = [0, 0];
  for (const record of world.simulation.log.committed(INPUT, partition)) {
    if (record.offset >= position) break;
    if (record.timestamp >= lastSeen + world.timeoutMs) count = 0;
    if (record.key === null || Buffer.from(record.key).toString() !== key) continue;
    if (record.value === null) count = 0;
    else [count, lastSeen] = [count + 1, record.timestamp];
  }
  return clock >= lastSeen + world.timeoutMs ? 0 : count;
}

function show(world: World): ShowEntry {
  const view = sessionView(world.rules);
  return (entry, place) => view.shown(entry as never, place);
}

describe('look-ups', () => {
  test.each([...PINNED, ...Array.from({ length: SEEDS }, (_, i) => SEED + i)])(
    '[Q1][Q2] seed %i: through kills, rebalances and standbys each answer is what the log says (rerun: SEED)',
    async (seed) => {
      const world = new World({ seed, timeoutMs: 3_000, standbys: 1, rates: rough });
      const random = seededRandom(seed);
      const { time } = world.simulation;
      const processes: Process[] = ['a', 'b'].map((name) => world.launch(name));
      const judged: Judged[] = [];
      const ask = (): void => {
        const key = KEYS[random.below(KEYS.length)]!;
        const partition = world.partitionOf(key);
        const isNow = random.chance(0.5);
        const end = (world.simulation.log.committed(INPUT, partition).at(-1)?.offset ?? -1) + 1;
        for (const { instance, host } of processes)
          if (host.alive)
            void instance
              .lookUp(partition, utf8.encode(key), { show: show(world), isNow, abandon: NEVER })
              .then((answer) => {
                const task = instance.status().find((each) => each.partition === partition);
                judged.push({
                  key,
                  partition,
                  answer,
                  committed: task?.committedPosition ?? 0,
                  acknowledged: isNow ? end : 0,
                });
              });
      };
      await time.runFor(6_000);
      for (let deed = 0; deed < 300; deed += 1) {
        const key = KEYS[random.below(KEYS.length)]!;
        if (random.chance(0.1)) world.end(key);
        else world.beat(key);
        if (random.chance(0.7)) ask();
        await time.runFor(random.below(400));
        if (!random.chance(0.02)) continue;
        const at = random.below(processes.length);
        processes[at]!.host.kill();
        await time.runFor(random.below(2_000));
        processes[at] = world.launch(processes[at]!.name);
      }
      const foundInStorm = judged.filter(({ answer }) => answer.kind === 'found').length;
      // Where faults have kept nearly all from being answered, those of the calm are: of keys that are silent, and of some that are not.
      world.simulation.faults.setRates(calm);
      await time.runFor(60_000);
      for (let deed = 0; deed < 40; deed += 1) {
        ask();
        await time.runFor(random.below(200));
        if (deed >= 20) for (const key of KEYS) world.beat(key);
      }
      await time.runFor(1_000);
      const found = judged.flatMap((each) => (each.answer.kind === 'found' ? [{ ...each, answer: each.answer }] : []));
      for (const each of found) {
        const { entries, asOf } = each.answer;
        const count = entries.length === 0 ? 0 : entries[0]!['eventCount'];
        expect({ ...each, count }).toEqual({ ...each, count: openBy(world, each, asOf) });
        expect(asOf.position).toBeGreaterThanOrEqual(each.acknowledged);
        if (each.answer.from === 'standby') continue;
        const { clock, position } = asOf;
        const committed = { clock, position: Math.min(position, each.committed) };
        expect({ ...each, count }).toEqual({ ...each, count: openBy(world, each, committed) });
      }
      expect(foundInStorm).toBeGreaterThan(0);
      const by = Map.groupBy(found, ({ answer }) => `${answer.from} ${answer.entries.length}`);
      expect([...by.keys()].sort()).toEqual(['owner 0', 'owner 1', 'standby 0', 'standby 1']);
    },
  );
});

test('[R4] of a session that lives a partition that is being restored says so, and never that there is none', async () => {
  const world = new World({ seed: 73, partitions: 1, timeoutMs: 600_000 });
  const { time, log } = world.simulation;
  const { host } = world.launch('a');
  await time.runFor(6_000);
  world.beat('k');
  await time.runFor(2_000);
  host.kill();
  // Behind it the claim cannot be read: restoring lasts as long as this.
  const open = log.foreignTransaction('stranger', 600_000);
  open.produce(CHANGELOG, 0, { key: 'k', value: 'not ours' });
  const { instance } = world.launch('b');
  const asked = (): Promise<LookUp> =>
    instance.lookUp(0, utf8.encode('k'), { show: show(world), isNow: false, abandon: NEVER });
  await time.runUntil(() => instance.status()[0]?.state === 'restoring', 60_000);
  expect((await asked()).kind).toBe('restoring');
  open.abort();
  await time.runUntil(() => instance.status()[0]?.state === 'running', 60_000);
  expect(await asked()).toMatchObject({ kind: 'found', entries: [{ eventCount: 1 }] });
});

test('[Q1][R3] of an input that is made again under a task that has read nothing, nothing is told', async () => {
  const world = new World({ seed: 74, partitions: 1, timeoutMs: 600_000 });
  const { time, log } = world.simulation;
  const { instance } = world.launch('a');
  await time.runFor(6_000);
  const asked = (): Promise<LookUp> =>
    instance.lookUp(0, utf8.encode('k'), { show: show(world), isNow: false, abandon: NEVER });
  expect(await asked()).toMatchObject({ kind: 'found', entries: [], asOf: { position: 0 } });
  log.deleteTopic(INPUT);
  log.createTopic(INPUT, { partitions: 3 });
  world.beat('k');
  await time.runFor(2_000);
  expect(instance.status()).toMatchObject([{ state: 'stopped', position: 0 }]);
  expect(instance.status()[0]!.detail).toContain('was deleted and created again');
  expect((await asked()).kind).toBe('restoring');
});
