// `schedules cancel` and its like on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { partitionOf } from '@flatline/base';
import { BatchProducer, KafkaLogAdmin, openCluster } from '@flatline/kafka';
import { systemClock as clock } from '@flatline/system';
import { afterAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';

const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',');
const connection = openCluster({ brokers, clientId: 'flatline-cli-test', clock });
const folder = mkdtempSync(join(tmpdir(), 'flatline-acts-'));
afterAll(() => {
  connection.close();
  rmSync(folder, { recursive: true });
});

/** A block of a release that this build does not know. */
const NEWER_BLOCK = Uint8Array.of(0x46, 9, 1);

async function newApplication(): Promise<string> {
  const application = `a${randomUUID().slice(0, 8)}`;
  const [input, output] = ['in', 'out'].map((topic) => ({ topic: `${application}.${topic}` }));
  const pipelines = [{ name: 'runs', kind: 'schedule', input, output }];
  writeFileSync(join(folder, 'flatline.config.json'), JSON.stringify({ application, brokers, pipelines }));
  expect((await cli(['topics', 'create'], { folder })).exitCode).toBe(ExitCode.ok);
  return application;
}

test.each(['cancel', 'pause', 'resume', 'trigger'])(
  '[D4][Q4] %s is sent although the changelog cannot be read, which is said',
  async (act) => {
    const application = await newApplication();
    const producer = await BatchProducer.open({ clock, connection, topic: `${application}.runs.changelog` });
    const partition = partitionOf(Buffer.from('anna'), producer.partitionCount);
    await producer.add({ key: new Uint8Array(0), value: NEWER_BLOCK, partition });
    await producer.close();
    const { exitCode, stdout, stderr } = await cli(['schedules', act, 'anna'], { folder });
    expect({ exitCode, stdout }).toEqual({
      exitCode: ExitCode.ok,
      stdout: expect.stringContaining(`sent to ${application}.in/${partition}/0`) as unknown,
    });
    expect(stderr).toMatch(/whether there is such a schedule is not known, since the changelog could not be read: \S/);
    const log = { topic: `${application}.in`, partition };
    expect(await new KafkaLogAdmin({ clock, connection }).ends(log)).toMatchObject({ lastStableOffset: 1 });
  },
);
