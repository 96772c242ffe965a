// Errors thrown by the SDK, distinguished by its public classes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BadInput,
  connect,
  Fatal,
  type Flatline,
  Misconfigured,
  PartitionStopped,
  RecordTooLarge,
  Retriable,
} from '@flatline/client';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { Scenario } from './scenario.fixture.ts';

let scenario: Scenario;
let flatline: Flatline;
beforeAll(async () => {
  scenario = await Scenario.create({ timeoutMs: 10_000, partitions: 1 });
  flatline = connect({ brokers: scenario.kafka.brokers });
});
afterAll(async () => {
  await flatline.close();
  await scenario.dispose();
});

describe('errors of the SDK', () => {
  test('a topic that does not exist is Fatal', async () => {
    await expect(flatline.summaries({ topic: `${scenario.output}-nowhere`, from: 'end' })).rejects.toThrow(Fatal);
  });

  test('an event that no processor would take, and one that the topic does not take', async () => {
    const visits = await flatline.heartbeats({ topic: scenario.input });
    expect(() => visits.event('anna', { sequence: -1.5 })).toThrow(BadInput);
    expect(() => visits.event('anna', { attributes: { page: 'x'.repeat(3_000_000) } })).toThrow(RecordTooLarge);
  });

  test('brokers that do not answer may do so later', async () => {
    const nowhere = connect({ brokers: ['127.0.0.1:1'] });
    const tried = nowhere.heartbeats({ topic: scenario.input });
    await expect(tried).rejects.toThrow(Retriable);
    await expect(tried).rejects.not.toThrow(PartitionStopped);
    await nowhere.close();
  });

  test('[I4] the output of a pipeline is refused as an input', async () => {
    const connection = openCluster(scenario.kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: scenario.output });
    const headers = [{ name: 'flatline-incarnation', value: Buffer.from('0-0') }];
    await producer.add({ key: Buffer.from('anna'), value: Buffer.from('{}'), headers });
    await producer.close();
    connection.close();
    const tried = flatline.sessions({ topic: scenario.output, timeoutMs: 10_000 });
    await expect(tried).rejects.toThrow(Misconfigured);
    await expect(tried).rejects.toThrow(
      / is written by a processor \(0-0 has the header flatline-incarnation\): give the /,
    );
  });
});
