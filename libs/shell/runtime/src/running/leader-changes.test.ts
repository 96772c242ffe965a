// The input's leader is another one: its log is compared with what was read before anything more is (R3, X3).
import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { BelowLogStart, ChangelogTail } from '../restoring/changelog-tail.ts';
import { END_PAUSE_MS, END_TRIES_MAX, PROOF_PATIENCE_MS } from '../limits.ts';
import { CHANGELOG, INPUT, type Process, World } from '../world.fixture.ts';

/** Longer than a dead member stays in the group. */
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
const LATER = 25_000;
const REPLACED = /in-0: read up to offset 11 .*acknowledged records were lost or replaced/;

/** One process that has read ten records and its first clock record, and committed, and whose sessions live. */
async function running(seed: number): Promise<{ readonly world: World; readonly process: Process }> {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
  const process = world.launch('a');
  for (let i = 0; i < 10; i += 1) {
    world.beat(`k${i}`);
    await world.simulation.time.runFor(500);
  }
  await world.simulation.time.runFor(2_000);
  expect(process.instance.status()).toMatchObject([{ state: 'running', position: 11, committedPosition: 11 }]);
  return { world, process };
}

describe('an unclean election of the input', () => {
  test('[R3][X3][F8] that lost records already read stops the partition at once, and its next owner, too', async () => {
    const { world, process } = await running(31);
    const { time, log } = world.simulation;
    log.partition(INPUT, 0).changeLeader({ losesFrom: 7 });
    for (let i = 0; i < 20; i += 1) world.beat(`new${i}`);
    await time.runFor(2_000);
    expect(process.instance.status()).toMatchObject([{ state: 'stopped', detail: expect.stringMatching(REPLACED) }]);
    expect(process.lines).toContainEqual(expect.stringContaining('partition stopped'));
    process.host.kill();
    const successor = world.launch('b');
    await time.runFor(LATER);
    expect(successor.instance.status()).toMatchObject([
      { state: 'stopped', detail: expect.stringMatching(/is not the log that was read/) },
    ]);
    await time.runFor(200_000);
    expect(world.closed()).toEqual([]);
  });

  test('[R3][F8] that lost nothing that was read goes on', async () => {
    const { world, process } = await running(32);
    const { time, log } = world.simulation;
    log.partition(INPUT, 0).stallReplication(5_000);
    for (let i = 0; i < 5; i += 1) world.beat(`unread${i}`);
    log.partition(INPUT, 0).changeLeader({ losesFrom: 11 });
    world.beat('after');
    await time.runFor(2_000);
    expect(process.instance.status()).toMatchObject([{ state: 'running', position: 12 }]);
    await time.runFor(200_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R3][F8] noticed while reading was interrupted stops the partition, too', async () => {
    const { world, process } = await running(33);
    const { time, log, faults } = world.simulation;
    faults.inject({ at: 'Subscription', fault: 'fails' });
    log.partition(INPUT, 0).changeLeader({ losesFrom: 7 });
    for (let i = 0; i < 20; i += 1) world.beat(`new${i}`);
    await time.runFor(5_000);
    expect(faults.fired().get('Subscription/fails')).toBe(1);
    expect(process.instance.status()).toMatchObject([{ state: 'stopped', detail: expect.stringMatching(REPLACED) }]);
  });
});

describe('an unclean election of the changelog', () => {
  test('[R3][F8] that lost commits already read stops the standby', async () => {
    const world = new World({ seed: 34, partitions: 1, timeoutMs: 60_000, standbys: 1 });
    const { time, log } = world.simulation;
    const processes = [world.launch('a'), world.launch('b')];
    for (let i = 0; i < 10; i += 1) {
      world.beat(`k${i}`);
      await time.runFor(2_000);
    }
    const standby = processes.find(({ instance }) => instance.standbys().length > 0)!;
    expect(standby.instance.standbys()).toMatchObject([{ state: 'following', lag: 0 }]);
    const changelog = log.partition(CHANGELOG, 0);
    changelog.changeLeader({ losesFrom: log.committed(CHANGELOG, 0).at(-2)!.offset });
    await time.runFor(2_000);
    expect(standby.instance.standbys()).toMatchObject([
      { state: 'stopped', detail: expect.stringMatching(/acknowledged records were lost or replaced/) },
    ]);
  });
});

describe('a leader that was deposed and goes on answering', () => {
  /** Ends when its successor is read from. */
  const DEPOSED = { deposedForMs: Infinity };

  test.each([
    ['a clock record', undefined],
    ['an end that was answered (C3)', { clockSkewMs: 500 }],
  ])('[X5][F23b] is noticed by %s that is not read back, said, and left', async (_what, proofByFetch) => {
    const world = new World({ seed: 35, partitions: 1, timeoutMs: 20_000, ...(proofByFetch && { proofByFetch }) });
    const { time, log, faults } = world.simulation;
    const { instance, lines } = world.launch('a');
    world.beat('early');
    await time.runFor(2_000);
    log.partition(INPUT, 0).changeLeader(DEPOSED);
    world.beat('late');
    const alarms = (): string[] => lines.filter((line) => line.includes('does not show what is written'));
    await time.runUntil(() => alarms().length > 0, 5_000 + world.timeoutMs + PROOF_PATIENCE_MS);
    expect(instance.status()[0]?.detail).toMatch(/^a proof of silence that is in the log and not read back/);
    expect(instance.status()[0]?.lag).toBe(0);
    await time.runFor(PROOF_PATIENCE_MS);
    expect(faults.fired().get('staleLeaderLeft')).toBe(1);
    await time.runFor(2 * world.timeoutMs);
    expect(instance.status()[0]?.detail).toBeUndefined();
    expect(alarms()).toHaveLength(1);
    if (proofByFetch === undefined) expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(2);
  });

  test('[X5][F10][F23b] with a transaction open in its log is left, too, though that would explain everything', async () => {
    const world = new World({ seed: 37, partitions: 1 });
    const { time, log } = world.simulation;
    world.launch('a');
    world.beat('k');
    await time.runFor(2_000);
    const open = log.foreignTransaction('upstream', 600_000);
    open.produce(INPUT, 0, { key: 'k', value: '' });
    await time.runFor(500);
    log.partition(INPUT, 0).changeLeader(DEPOSED);
    open.commit();
    await time.runFor(4 * PROOF_PATIENCE_MS);
    expect(world.closed()).toHaveLength(1);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[X5][F3] is not what a process finds that stood still, and whose fetch was lost, before it read what it had written', async () => {
    let onWritten = (): void => undefined;
    const world = new World({
      seed: 41,
      partitions: 1,
      timeoutMs: 20_000,
      adapt: (ports) => ({
        ...ports,
        proofs: {
          append: async (...asked) => {
            const offset = await ports.proofs.append(...asked);
            onWritten();
            return offset;
          },
        },
      }),
    });
    const { time, log } = world.simulation;
    const { host, instance, lines } = world.launch('a');
    await time.runFor(2_000);
    world.beat('k');
    let written: number | undefined;
    onWritten = () => {
      written ??= log.partition(INPUT, 0).logEnd;
      host.cutOff('fromBroker');
      host.pause();
    };
    await time.runUntil(() => written !== undefined, 2 * world.timeoutMs);
    onWritten = () => undefined;
    expect(instance.status()[0]?.position).toBeLessThan(written!);
    await time.runFor(2 * PROOF_PATIENCE_MS);
    host.cutOff('none');
    host.resume();
    await time.runFor(2 * world.timeoutMs);
    expect(lines.filter((line) => line.includes('does not show what is written'))).toEqual([]);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(1);
  });

  test('[R3][F23b] stops no partition whose commit stands beyond its end', async () => {
    const world = new World({ seed: 38, partitions: 1, timeoutMs: 20_000 });
    const { time, log } = world.simulation;
    const owner = world.launch('a');
    world.beat('early');
    await time.runFor(2_000);
    const end = log.partition(INPUT, 0).logEnd;
    log.partition(INPUT, 0).changeLeader(DEPOSED);
    world.beat('late');
    const committed = (): number => owner.instance.status()[0]?.committedPosition ?? 0;
    await time.runUntil(() => committed() > end, 60_000);
    expect(committed()).toBeGreaterThan(end);
    owner.host.kill();
    const successor = world.launch('b');
    const isIn = (wanted: string) => (): boolean => successor.instance.status()[0]?.state === wanted;
    await time.runUntil(isIn('restoring'), LATER);
    // Sooner than the end would be believed for which the deposed leader is asked again and again.
    await time.runUntil(isIn('running'), (END_TRIES_MAX * END_PAUSE_MS) / 2);
    expect(successor.instance.status()).toMatchObject([{ state: 'running' }]);
    await time.runFor(4 * world.timeoutMs);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(2);
  });

  test('[R3][F23] stops no partition where its successor does not show the batch before the commit yet', async () => {
    const { world, process } = await running(2);
    const { time, log } = world.simulation;
    process.host.kill();
    const successor = world.launch('b');
    const isIn = (wanted: string) => (): boolean => successor.instance.status()[0]?.state === wanted;
    await time.runUntil(isIn('restoring'), LATER);
    const input = log.partition(INPUT, 0);
    input.changeLeader(DEPOSED);
    input.stallReplication(5_000);
    await time.runFor(4_000);
    expect(input.ends().highWatermark).toBeLessThan(11);
    expect(successor.instance.status()).toMatchObject([{ state: 'restoring' }]);
    await time.runUntil(isIn('running'), LATER);
    expect(successor.instance.status()).toMatchObject([{ state: 'running' }]);
  });

  test('[K5][F23b] does not hide that the changelog was truncated', async () => {
    const simulation = new Simulation({ seed: 39 });
    const { time, log } = simulation;
    log.createTopic(CHANGELOG, { partitions: 1 });
    const { ports } = simulation.start('a');
    const partition = { topic: CHANGELOG, partition: 0 };
    for (let i = 0; i < 4; i += 1) log.produce(CHANGELOG, 0, { value: 'block' });
    await time.runFor(1_000);
    log.partition(CHANGELOG, 0).changeLeader(DEPOSED);
    log.partition(CHANGELOG, 0).truncateBelow(3);
    expect(await time.complete(ports.admin.ends(partition))).toMatchObject({ logStartOffset: 0 });
    const tail = new ChangelogTail(
      { ...ports, changelog: ports.reader, turns: () => undefined, log: SILENT },
      partition,
      0,
    );
    await expect(time.complete(tail.readToEnd(() => true))).rejects.toThrow(BelowLogStart);
  });

  test('[X5][F23b] of the changelog does not keep a restoration from reading up to its claim', async () => {
    const simulation = new Simulation({ seed: 36 });
    const { time, log, faults } = simulation;
    log.createTopic(CHANGELOG, { partitions: 1 });
    const { host, ports } = simulation.start('a');
    const turns = (callback: () => void): void => {
      host.after(0, callback);
    };
    const partition = { topic: CHANGELOG, partition: 0 };
    const tail = new ChangelogTail({ ...ports, changelog: ports.reader, turns, log: SILENT }, partition, 0);
    const seen: number[] = [];
    const take = (_bytes: Uint8Array, offset: number): boolean => seen.push(offset) > 0;
    log.produce(CHANGELOG, 0, { value: 'former owner' });
    await time.complete(tail.readToEnd(take));
    log.partition(CHANGELOG, 0).changeLeader(DEPOSED);
    const claimed = log.produce(CHANGELOG, 0, { value: 'claim' });
    await time.complete(tail.readTo(claimed + 1, take), 2 * PROOF_PATIENCE_MS);
    expect(seen).toEqual([0, claimed]);
    expect(faults.fired().get('staleLeaderLeft')).toBe(1);
  });
});
