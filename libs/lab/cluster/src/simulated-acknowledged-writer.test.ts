import { describe, expect, test } from '@jest/globals';
import { type RequestFault } from './fault-plan.ts';
import { Simulation } from './index.ts';
import { bytes, committedValues } from './reading.fixture.ts';

const TOPIC = 'results';

function world() {
  const simulation = new Simulation({ seed: 1 });
  simulation.log.createTopic(TOPIC, { partitions: 1 });
  const { host, ports } = simulation.start('a');
  const writer = ports.acknowledged(TOPIC);
  const write = (value: string): Promise<number> => writer.write({ key: bytes('k'), value: bytes(value) });
  return { simulation, host, ports, writer, write };
}

describe('records written without transactions', () => {
  test('IW1: say when they were appended, and lie in the order of the calls', async () => {
    const { simulation, write } = world();
    await simulation.time.runFor(1_000);
    const all = ['a', 'b', 'c'].map(write);
    const [first] = await simulation.time.complete(Promise.all(all));
    expect(committedValues(simulation.log, TOPIC)).toEqual(['a', 'b', 'c']);
    expect(first).toBe(simulation.log.committed(TOPIC, 0)[0]!.timestamp);
  });

  test.each<RequestFault>(['dropped', 'answerDropped', 'late'])(
    'IW1: once each, where a request is %s',
    async (fault) => {
      const { simulation, write } = world();
      simulation.faults.inject({ at: 'Produce', fault });
      const first = write('a');
      await simulation.time.complete(first);
      await simulation.time.complete(write('b'));
      await simulation.time.runFor(60_000);
      expect(committedValues(simulation.log, TOPIC)).toEqual(['a', 'b']);
    },
  );

  test('IW1: once each, where the leader changes before they are replicated', async () => {
    const { simulation, write } = world();
    const log = simulation.log.partition(TOPIC, 0);
    log.stallReplication(5_000);
    const written = write('a');
    await simulation.time.runFor(1_000);
    log.changeLeader();
    await simulation.time.complete(written);
    expect(committedValues(simulation.log, TOPIC)).toEqual(['a']);
  });

  test('IW1: wait while their process is cut off, and come late', async () => {
    const { simulation, host, write, writer } = world();
    host.cutOff('toBroker');
    const written = write('a');
    await simulation.time.runFor(30_000);
    expect(committedValues(simulation.log, TOPIC)).toEqual([]);
    host.cutOff('none');
    await simulation.time.complete(writer.close());
    expect(await written).toBe(simulation.log.committed(TOPIC, 0)[0]!.timestamp);
  });
});

describe('a member of a group that commits where it stands', () => {
  test('is heard as long as it has its generation', async () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.log.createTopic(TOPIC, { partitions: 1 });
    simulation.group('g', { partitions: 1, sessionTimeoutMs: 3_000 });
    const { host, ports } = simulation.start('a');
    const member = ports.membership('g');
    const unheard = { lost: () => undefined, failed: () => undefined, assigned: () => undefined };
    await member.start(unheard);
    expect(await simulation.time.complete(member.commit(TOPIC, new Map([[0, 3]])))).toBe(false);
    await simulation.time.runFor(1_000);
    expect(await simulation.time.complete(member.commit(TOPIC, new Map([[0, 3]])))).toBe(true);
    expect(simulation.log.offsets.committed('g', { topic: TOPIC, partition: 0 })).toMatchObject({ offset: 3 });

    host.pause();
    await simulation.time.runFor(10_000);
    host.resume();
    expect(await simulation.time.complete(member.commit(TOPIC, new Map([[0, 7]])))).toBe(false);
    expect(simulation.log.offsets.committed('g', { topic: TOPIC, partition: 0 })).toMatchObject({ offset: 3 });
  });
});
