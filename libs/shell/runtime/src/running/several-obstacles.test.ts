// One of several inputs is held up, or its fetched records end, while the others go on.
import { describe, expect, test } from '@jest/globals';
import { resetEvent } from '@flatline/ports/formats';
import { TASK_BOUNDS } from '../limits.ts';
import { INPUT, World } from '../world.fixture.ts';

const STREAM = { topic: 'stream', touches: true, unknownKey: 'open', holdMs: 0 } as const;
const HOUR = 3_600_000;

describe.each([
  ['one input', []],
  ['two inputs', [STREAM]],
] as const)('%s', (_, furtherInputs) => {
  test('[S8][C6] a stamp from the future holds up the partition, which says so, and closes nothing meanwhile', async () => {
    const world = new World({ seed: 14, partitions: 1, furtherInputs });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    world.beat('k');
    await time.runFor(1_000);
    log.partition(INPUT, 0).setSkew(8 * HOUR);
    world.beat('k');
    log.partition(INPUT, 0).setSkew(0);
    for (let i = 0; i < 60; i += 1) {
      world.beat('k');
      if (furtherInputs.length > 0) log.produce('stream', 0, { key: 'other', value: '' });
      await time.runFor(1_000);
    }
    expect(process.instance.status()[0]?.detail).toMatch(/^broker time: offset 2 is stamped /);
    expect(process.lines.some((line) => line.includes('future'))).toBe(true);
    expect(world.closed()).toEqual([]);
  });

  test('[S8][K1] what is fetched ends, without a record that is read, while a cut is made in slices', async () => {
    const sessions = 2_000;
    const bounds = { ...TASK_BOUNDS, cutSliceBytes: (sessions * 22) / 50 };
    const world = new World({ seed: 61, partitions: 1, timeoutMs: 60_000, bounds, furtherInputs });
    const { time, log } = world.simulation;
    world.turnMs = 10;
    const process = world.launch('a');
    await time.runFor(3_000);
    for (let round = 0; round < 4; round += 1) {
      log.produce(INPUT, 0, ...Array.from({ length: sessions }, (__, i) => ({ key: `d${i}`, value: '' })));
      for (let i = 0; i < 100; i += 1) {
        const open = log.foreignTransaction(`t${i % 5}`, 60_000);
        open.produce(INPUT, 0, { key: 'x', value: '' });
        open.abort();
        await time.runFor(20);
      }
    }
    await time.runFor(3_000);
    expect(process.instance.status()[0]?.state).toBe('running');
    expect(process.lines.filter((line) => line.includes('task failed'))).toEqual([]);
  });
});

test('[S8][I6] a record at which a kind fails is named with its own input', async () => {
  const text = new TextDecoder();
  const attributes = new Map([['a', 'b']]);
  attributes[Symbol.iterator] = () => {
    throw new TypeError('attributes that cannot be walked');
  };
  const world = new World({
    seed: 3,
    partitions: 1,
    furtherInputs: [STREAM],
    decode: (bytes, start, length, event) => {
      resetEvent(event);
      if (text.decode(bytes.subarray(start, start + length)) === 'poison') event.attributes = attributes;
      return { kind: 'event' };
    },
  });
  const { time, log } = world.simulation;
  const process = world.launch('a');
  await time.runFor(2_000);
  for (let i = 0; i < 5; i += 1) {
    world.beat('k');
    log.produce('stream', 0, { key: 'k', value: '' });
    await time.runFor(300);
  }
  log.produce('stream', 0, { key: 'k', value: 'poison' });
  for (let i = 0; i < 20; i += 1) {
    world.beat('k');
    await time.runFor(1_000);
  }
  const failed = process.lines.filter((line) => line.includes('task failed'));
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.filter((line) => !line.includes('"topic":"stream"'))).toEqual([]);
});
