import { describe, expect, test } from '@jest/globals';
import type { TransactionalWriter } from '@flatline/task';
import { Simulation } from './index.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (from: Uint8Array | null): string => (from === null ? '∅' : new TextDecoder().decode(from));

function write(value: string): Parameters<TransactionalWriter['commit']>[0] {
  return { writes: [{ topic: 'out', partition: 0, records: [{ key: bytes('k'), value: bytes(value) }] }], offsets: [] };
}

describe('a simulated world', () => {
  test('[O1] what a transaction writes is read once it is committed', async () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.log.createTopic('out', { partitions: 1 });
    const { ports } = simulation.start('a');
    const writer = await simulation.time.complete(ports.writers.open('task-0'));
    const written = await simulation.time.complete(writer.commit(write('one')));
    expect(written).toEqual([[0]]);
    const subscription = ports.reader.subscribe({ topic: 'out', partition: 0 }, 0);
    await simulation.time.runFor(1_000);
    const run = subscription.take();
    expect(run?.cursor.next()).toBe(true);
    expect(run?.cursor.offset).toBe(0);
    expect(run?.cursor.next()).toBe(false);
    expect(simulation.log.committed('out', 0).map((record) => text(record.value))).toEqual(['one']);
  });
});
