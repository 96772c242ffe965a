// Somebody's transaction on the changelog that does not end: the claim behind it cannot be read, and that is said.
import { expect, test } from '@jest/globals';
import type { OpenTransaction } from '@flatline/ports';
import { OPEN_TRANSACTION_ALARM_MS } from '../limits.ts';
import { CHANGELOG, World } from '../world.fixture.ts';

test('[X5][F10] a transaction that hangs on the changelog is named by a task that waits behind it, with the remedy', async () => {
  const world = new World({ seed: 73, partitions: 1, timeoutMs: 3_000 });
  const { time, log } = world.simulation;
  world.beat('k');
  const open = log.foreignTransaction('stranger', 600_000);
  const block = log.partition(CHANGELOG, 0);
  open.produce(CHANGELOG, 0, { key: 'k', value: 'not ours' });
  const { logEnd } = block;
  const [{ producerId, producerEpoch }] = block.openTransactions() as readonly [OpenTransaction];
  const { instance, lines } = world.launch('a');
  const warned = (): string[] => lines.filter((line) => line.includes('holds the changelog back'));
  await time.runFor(OPEN_TRANSACTION_ALARM_MS / 2);
  expect(instance.status()).toMatchObject([{ state: 'restoring', detail: undefined }]);
  await time.runFor(10 * OPEN_TRANSACTION_ALARM_MS);
  const [status] = instance.status();
  expect(status!.state).toBe('restoring');
  expect(status!.detail).toContain(
    `a producer's transaction on the changelog, open since offset ${logEnd - 1} by producer ${producerId} (epoch ${producerEpoch}): `,
  );
  expect(status!.detail).toContain(
    `kafka-transactions.sh --bootstrap-server <brokers> abort --topic ${CHANGELOG} --partition 0 --start-offset ${logEnd - 1}`,
  );
  expect(warned()).toEqual([expect.stringMatching(`"producerId":${producerId},"producerEpoch":${producerEpoch},`)]);
  open.abort();
  await time.runFor(20_000);
  expect(instance.status()).toMatchObject([{ state: 'running', detail: undefined }]);
  expect(world.closed()).toEqual(world.expected());
});
