import { Retriable } from '@flatline/base';
import { openCluster } from '@flatline/kafka';
import { systemClock as clock } from '@flatline/system';
import { expect, test } from '@jest/globals';
import { InputWriter } from './input-writer.ts';

const WAITING_MAX = 50;

test('[X6] only so many records wait for brokers that do not answer, however short they are', async () => {
  // Port 1 takes no connections.
  const connection = openCluster({ brokers: ['127.0.0.1:1'], clientId: 'flatline-ingest-test', clock });
  const writer = new InputWriter({ clock, connection, topic: 'visits', waitingMax: WAITING_MAX });
  const key = new Uint8Array(1);
  const outcomes = await Promise.allSettled(
    Array.from({ length: WAITING_MAX + 1 }, () => writer.write({ key, value: new Uint8Array(0), headers: [] })),
  );
  connection.close();
  const whys = outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error) : undefined));
  for (const why of whys) expect(why).toBeInstanceOf(Retriable);
  expect(whys.map((why) => why!.message.includes('wait for the brokers already'))).toEqual([
    ...new Array<boolean>(WAITING_MAX).fill(false),
    true,
  ]);
});
