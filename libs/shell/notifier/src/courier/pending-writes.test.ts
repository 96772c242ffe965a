import { expect, test } from '@jest/globals';
import type { Delivery, Phase, Write } from '@flatline/deliveries';
import { DELIVERY } from '../delivery.fixture.ts';
import { PendingWrites } from './pending-writes.ts';

function keep(phase: Phase, delivery: Delivery = DELIVERY): Write {
  return { kind: 'keep', delivery, phase, dueAt: 1 };
}

const { endpoint, id } = DELIVERY;
const DROP: Write = { kind: 'drop', name: { endpoint, id } };
const WAKE: Write = { kind: 'wake', name: { endpoint, id } };
const GIVE_UP: Write = { kind: 'giveUp', delivery: DELIVERY, why: 'gone' };

test.each<[string, readonly Write[], readonly Write[]]>([
  ['delivered', [keep('held'), DROP], []],
  ['under way', [keep('held')], [keep('held')]],
  ['behind another, then under way', [keep('behind'), keep('held')], [keep('held')]],
  ['failed once', [keep('held'), keep('waiting')], [keep('waiting')]],
  ['given up', [keep('held'), GIVE_UP], [GIVE_UP]],
  ['behind another that is gone', [keep('behind'), WAKE], [keep('behind'), WAKE]],
])(
  '[N3] of an output that was taken since the last commit, and is %s, the last decision is written',
  (_, decided, written) => {
    const pending = new PendingWrites();
    pending.come({ endpoint, id });
    for (const write of decided) pending.add(write);
    expect(pending.count).toBe(written.length);
    expect(pending.held).toBe(written.filter((write) => write.kind === 'keep' && write.phase === 'held').length);
    expect(pending.take()).toEqual(written);
    expect([pending.count, pending.held, pending.take()]).toEqual([0, 0, []]);
  },
);

test('[N3] what an earlier commit may have kept is dropped by a record', () => {
  const pending = new PendingWrites();
  for (const write of [keep('held'), DROP]) pending.add(write);
  expect(pending.take()).toEqual([DROP]);
  pending.come({ endpoint, id });
  pending.add(keep('held'));
  pending.take();
  pending.add(DROP);
  expect(pending.take()).toEqual([DROP]);
});

test('[N3] outputs are told apart by endpoint and id', () => {
  const pending = new PendingWrites();
  const other = { ...DELIVERY, endpoint: 'other' };
  pending.come(DELIVERY);
  pending.come(other);
  for (const write of [keep('held'), keep('held', other), DROP]) pending.add(write);
  expect(pending.take()).toEqual([keep('held', other)]);
});

test('[N3] an output that comes twice is kept by one record at most, and by none once it is delivered', () => {
  const pending = new PendingWrites();
  for (let time = 0; time < 2; time += 1) {
    pending.come({ endpoint, id });
    pending.add(keep('held'));
  }
  expect(pending.count).toBe(1);
  pending.add(DROP);
  expect(pending.take()).toEqual([]);
});
