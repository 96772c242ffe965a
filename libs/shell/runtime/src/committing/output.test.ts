import { describe, expect, test } from '@jest/globals';
import { partitionOf } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import { INCARNATION_HEADER } from '@flatline/ports';
import { TASK_BOUNDS } from '../limits.ts';
import { CHANGELOG, DEAD_LETTERS, INPUT, OUTPUT, World } from '../world.fixture.ts';

const text = (bytes: Uint8Array | null): string => (bytes === null ? '∅' : new TextDecoder().decode(bytes));

/** Value and incarnation header of each output record of a partition, in log order. */
function shown(records: readonly LogRecord[]): [string, string][] {
  return records.map(({ value, headers }) => {
    const named = headers.find(({ name }) => name === INCARNATION_HEADER);
    return [text(value), text(named?.value ?? null)];
  });
}

describe('what a task writes', () => {
  test('[O2][O3][O4][S9][S11] a summary, then at once its tombstone that names the incarnation, in the order of the log', async () => {
    const world = new World({ seed: 21, partitions: 1 });
    const { time, log } = world.simulation;
    world.launch('a');
    world.beat('k');
    await time.runFor(8_000);
    world.beat('k');
    world.end('k');
    await time.runFor(1_000);
    const outputs = shown(log.committed(OUTPUT, 0));
    const [first, tombstone, second, secondTombstone] = outputs;
    expect(outputs).toHaveLength(4);
    expect(first![0]).toMatch(/^k 0-0 TIMEOUT 1 /);
    expect(tombstone).toEqual(['∅', '0-0']);
    expect(second![0]).toMatch(/^k 0-\d+ ENDED 2 /);
    expect(secondTombstone).toEqual(['∅', second![0].split(' ')[1]]);
    // One transaction: summary and tombstone lie in one batch, with no marker between.
    expect(log.committed(OUTPUT, 0).map(({ offset }) => offset)).toEqual([0, 1, 3, 4]);
  });

  test.each([[OUTPUT], [CHANGELOG]])(
    '[I4][X5] what %s no longer takes stops its partition with the reason, alone and once; raised again, all is there',
    async (topic) => {
      const world = new World({ seed: 22, partitions: 2 });
      const { time, log } = world.simulation;
      const first = world.launch('a');
      for (const key of ['k', 'l', 'm', 'n']) world.beat(key);
      await time.runFor(2_000);
      const taken = log.partition(topic, 0).maxMessageBytes;
      log.partition(topic, 0).alterMaxMessageBytes(100);
      world.end('k');
      await time.runFor(60_000);
      const [stopped, other] = [0, 1].map((at) => first.instance.status().find(({ partition }) => partition === at));
      expect(stopped).toMatchObject({
        state: 'stopped',
        detail: expect.stringMatching(/ is above max\.message\.bytes 100/),
      });
      expect(stopped!.detail).toContain(topic);
      expect(other).toMatchObject({ state: 'running' });
      expect(first.lines.filter((line) => line.includes('partition stopped'))).toHaveLength(1);
      log.partition(topic, 0).alterMaxMessageBytes(taken);
      first.host.kill();
      world.launch('a');
      await time.runFor(60_000);
      expect(world.closed()).toEqual(world.expected());
      expect(world.closed()).toHaveLength(4);
    },
  );

  test('[O2] no tombstone where they are turned off; the summary names its incarnation all the same', async () => {
    const world = new World({ seed: 21, partitions: 1, tombstones: false });
    world.launch('a');
    world.beat('k');
    await world.simulation.time.runFor(8_000);
    const outputs = shown(world.simulation.log.committed(OUTPUT, 0));
    expect(outputs).toEqual([[expect.stringMatching(/^k 0-0 TIMEOUT 1 /), '0-0']]);
  });

  test.each([
    ['LogAppendTime', 2],
    ['CreateTime', 0],
  ] as const)(
    'how late closes are seen is counted by length; on a %s input %i of two',
    async (timestampType, counted) => {
      const world = new World({ seed: 26, partitions: 1, timestampType });
      const { instance } = world.launch('a');
      world.beat('k');
      world.beat('l');
      await world.simulation.time.runFor(9_000);
      expect(world.closed()).toHaveLength(2);
      const [status] = instance.status();
      const { count = -1, sumMs = -1, atMost = [] } = status?.closeDelays ?? {};
      expect(count).toBe(counted);
      expect(sumMs / Math.max(1, count)).toBeLessThan(2_500);
      expect(atMost.find(([boundMs]) => boundMs === 2_500)).toEqual([2_500, counted]);
      expect(status?.commitDurations?.count).toBe(status?.commits?.count);
    },
  );

  test('[I7] filling up and being full are each logged once; live sessions go on', async () => {
    const world = new World({ seed: 24, partitions: 1, bounds: { ...TASK_BOUNDS, entriesMax: 3 } });
    const { time, log } = world.simulation;
    const { lines } = world.launch('a');
    for (const key of ['a', 'b', 'c', 'd', 'a', 'd']) world.beat(key);
    await time.runFor(8_000);
    expect(log.committed(DEAD_LETTERS, 0).map(({ key }) => text(key))).toEqual(['d', 'd']);
    expect(world.closed().map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'c']);
    world.beat('d');
    await time.runFor(8_000);
    expect(world.closed().map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'c', 'd']);
    expect(lines.filter((line) => line.includes('the partition fills up'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('the partition is full'))).toHaveLength(1);
  });

  test('[O5] a task writes to the partition of its own number only', async () => {
    const world = new World({ seed: 22, partitions: 3 });
    const { time, log } = world.simulation;
    world.launch('a');
    for (let i = 0; i < 30; i += 1) world.beat(`k${i}`);
    log.produce(INPUT, 1, { key: null, value: 'no key' });
    await time.runFor(10_000);
    for (let partition = 0; partition < 3; partition += 1) {
      const incarnations = shown(log.committed(OUTPUT, partition)).map(([, incarnation]) => incarnation);
      expect(incarnations.length).toBeGreaterThan(0);
      expect(incarnations.filter((each) => !each.startsWith(`${partition}-`))).toEqual([]);
      expect(log.committed(DEAD_LETTERS, partition)).toHaveLength(partition === 1 ? 1 : 0);
    }
  });

  test('[I1] a bad record goes to the dead letters once, unchanged, with reason and place; the next is processed', async () => {
    const world = new World({ seed: 23, partitions: 1 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    const headers = [{ name: 'trace', value: new Uint8Array([1, 2]) }];
    log.produce(INPUT, 0, { key: 'k', value: 'garbage', headers }, { key: 'k', value: '' });
    await time.runFor(1_000);
    first.host.kill();
    world.launch('b');
    await time.runFor(30_000);
    const letters = log.committed(DEAD_LETTERS, 0);
    expect(letters).toHaveLength(1);
    expect([text(letters[0]!.key), text(letters[0]!.value)]).toEqual(['k', 'garbage']);
    expect(Object.fromEntries(letters[0]!.headers.map(({ name, value }) => [name, text(value)]))).toMatchObject({
      trace: '\u0001\u0002',
      'flatline-reason': 'invalid-json',
      'flatline-topic': INPUT,
      'flatline-partition': '0',
      'flatline-offset': '0',
    });
    expect(world.closed()).toHaveLength(1);
  });

  test('[I1] a commit with dead letters is told of, once for each reason, and the newest is in the status', async () => {
    const world = new World({ seed: 23, partitions: 1 });
    const { time, log } = world.simulation;
    const lines: string[] = [];
    const { instance } = world.launch('a', lines);
    await time.runFor(1_000);
    expect(instance.status()[0]!.refused).toBeUndefined();
    const bad = { key: 'k', value: 'garbage' };
    log.produce(INPUT, 0, bad, { key: 'k', value: '' }, { key: null, value: 'no key' }, bad);
    await time.runFor(1_000);
    const told = lines.filter((line) => line.includes('refused')).map((line) => line.replace(/^\S+ a /, ''));
    const [first, second, ...more] = told;
    expect(first).toMatch(
      /^records are refused \(invalid-json\) and become dead letters .*"partition":0,"offset":0,.*"records":2}$/,
    );
    expect(second).toMatch(
      /^records are refused \(null-key\) .*"offset":2,"detail":"an event needs a key","records":1}$/,
    );
    expect(more).toEqual([]);
    expect(instance.status()[0]!.refused).toMatchObject({ offset: 3, reason: 'invalid-json', at: expect.any(Number) });
  });

  test('[I9] a key in another partition than its own is told of, with what to do, and is in the status', async () => {
    const world = new World({ seed: 27, partitions: 2, keyPartitions: 2 });
    const { time } = world.simulation;
    const lines: string[] = [];
    const { instance } = world.launch('a', lines);
    const keys = Array.from({ length: 20 }, (_, number) => `key-${number}`);
    const misplaced = keys.filter((key) => partitionOf(new TextEncoder().encode(key), 2) !== world.partitionOf(key));
    expect(misplaced.length % 20).not.toBe(0);
    for (const key of keys) world.beat(key);
    await time.runFor(1_000);
    expect(instance.status().reduce((sum, { counters }) => sum + counters!.misplacedKeys, 0)).toBe(misplaced.length);
    const [line] = lines.filter((each) => each.includes('keys lie in other partitions'));
    expect(line).toContain('partitioner=murmur2_random');
    for (const { partition, misplaced: newest } of instance.status())
      expect(newest).toMatchObject({ belongsTo: 1 - partition, offset: expect.any(Number), at: expect.any(Number) });
    await time.runFor(20_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[O1] input offset, outputs and state are committed together: the group is never ahead of the outputs', async () => {
    const world = new World({ seed: 24, partitions: 1 });
    const { time, log } = world.simulation;
    world.launch('a');
    for (let i = 0; i < 20; i += 1) {
      world.beat(`k${i}`);
      await time.runFor(700);
    }
    await time.runFor(20_000);
    const { ports } = world.simulation.start('observer');
    const committed = await time.complete(ports.admin.committedOffset('app.visits', { topic: INPUT, partition: 0 }));
    expect(committed?.offset).toBe(log.committed(INPUT, 0).at(-1)!.offset + 1);
    expect(committed?.metadata).toMatch(/^partitions=1 commit=\d+ [^,]+,kind=session$/);
    expect(world.closed()).toEqual(world.expected());
  });
});

describe('the changelog', () => {
  test('[K4][K5][K8] is truncated below a floor that has been in force, and restores what lives from what is left', async () => {
    const bounds = { ...TASK_BOUNDS, unsweptLogBytes: 1_024 };
    const world = new World({ seed: 25, partitions: 1, timeoutMs: 2_000_000, truncateLagMs: 60_000, bounds });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    for (let i = 0; i < 20; i += 1) world.beat(`quiet${i}`);
    // The quiet ones are in the first commit only: unless they are swept forward, the floor stays there for ever.
    for (let second = 0; second < 400; second += 1) {
      log.produce(INPUT, 0, ...Array.from({ length: 200 }, (_, i) => ({ key: `busy${i}`, value: '' })));
      await time.runFor(1_000);
    }
    const { logStartOffset, lastStableOffset } = log.partition(CHANGELOG, 0).ends();
    expect(logStartOffset).toBeGreaterThan(lastStableOffset / 3);
    first.host.kill();
    world.simulation.disk('a').wipe();
    const second = world.launch('a');
    await time.runFor(30_000);
    expect(second.instance.status()[0]).toMatchObject({ state: 'running', liveEntries: 220 });
  });
});
