import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-origins-'));
const file = join(folder, 'flatline.config.json');
const pipeline = { name: 'v', kind: 'session', timeoutMs: '1s', input: { topic: 'i' }, output: { topic: 'o' } };
writeFileSync(file, JSON.stringify({ application: 'shop', brokers: ['127.0.0.1:2'], pipelines: [pipeline] }));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Closed ports: the lines before that is found out are what is looked at. */
async function linesOf(args: string, env: Record<string, string> = {}): Promise<unknown[]> {
  return (await cli(['run', '--json', ...args.split(' ').filter(Boolean)], { env, folder })).json();
}

describe('the first lines of a run', () => {
  test('say what runs, with which file, against which brokers and on which state', async () => {
    const [first, ...others] = await linesOf('--instance a');
    expect(first).toMatchObject({
      level: 'info',
      message: 'flatline starts',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      configFile: file,
      application: 'shop',
      brokers: ['127.0.0.1:2'],
      brokersFrom: file,
      stateDir: join(folder, 'state'),
      stateDirFrom: 'default',
      instance: 'a',
      pid: process.pid,
    });
    expect(others).toEqual([]);
  });

  test('brokers that stand over those of the file are said aloud', async () => {
    const [first, warning] = await linesOf('', { KAFKA_BROKERS: '127.0.0.1:1', FLATLINE_STATE_DIR: folder });
    expect(first).toMatchObject({ brokersFrom: 'KAFKA_BROKERS', stateDirFrom: 'FLATLINE_STATE_DIR' });
    expect(warning).toMatchObject({
      level: 'warn',
      message: `KAFKA_BROKERS stands over brokers of ${file}: 127.0.0.1:1 instead of 127.0.0.1:2`,
    });
  });

  test('a state directory that the file names is said to come from there', async () => {
    const named = join(folder, 'named.json');
    writeFileSync(
      named,
      JSON.stringify({ application: 'shop', brokers: ['127.0.0.1:2'], stateDir: './state', pipelines: [pipeline] }),
    );
    const [first] = await linesOf('--config named.json');
    expect(first).toMatchObject({ stateDir: join(folder, 'state'), stateDirFrom: named });
  });

  test('--brokers stands over both; the same brokers are no news', async () => {
    const [first, warning] = await linesOf('--brokers 127.0.0.1:3', { KAFKA_BROKERS: '127.0.0.1:1' });
    expect(first).toMatchObject({ brokers: ['127.0.0.1:3'], brokersFrom: '--brokers' });
    expect(warning).toMatchObject({ message: expect.stringMatching(/^--brokers stands over/) });
    expect(await linesOf('', { KAFKA_BROKERS: '127.0.0.1:2' })).toHaveLength(1);
  });
});
