import { afterAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '@flatline/system';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli.fixture.ts';
import { type AddressFlags, addressOf } from './processor-address.ts';
import { requestableStop } from './stop.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-address-'));
const empty = join(folder, 'empty');
mkdirSync(empty);
const pipeline = { name: 'v', kind: 'session', timeoutMs: 1, input: { topic: 'i' }, output: { topic: 'o' } };
const config = { application: 'a', brokers: ['127.0.0.1:1'], http: { port: 0 }, pipelines: [pipeline] };
writeFileSync(join(folder, 'flatline.config.json'), JSON.stringify(config));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function asked(flags: AddressFlags, where: string): Promise<string> {
  const { stop } = requestableStop();
  const { stdout, stderr } = process;
  const { url } = await addressOf(flags, { clock: systemClock, env: {}, folder: where, stdout, stderr, stop });
  return url;
}

describe('where a processor is asked', () => {
  test('at the port that run was given, with a configuration and without', async () => {
    expect(await asked({ httpPort: 7_777 }, folder)).toBe('http://127.0.0.1:7777');
    expect(await asked({ httpPort: 7_777 }, empty)).toBe('http://127.0.0.1:7777');
    expect(await asked({}, empty)).toBe('http://127.0.0.1:7070');
    expect(await asked({ url: 'http://a:1', httpPort: 7_777 }, folder)).toBe('http://a:1');
    await expect(asked({}, folder)).rejects.toThrow('give --http-port or --url');
  });

  test.each(['localhost:7070', '127.0.0.1:7070', 'nonsense', 'http://'])('[I4] %s is no address', async (url) => {
    const { exitCode, stderr } = await cli(['status', '--url', url], { folder });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('http://127.0.0.1:7070') });
  });

  test('[I4] a file without a token is no token of nothing', async () => {
    writeFileSync(join(folder, 'token'), '\n');
    const { exitCode, stderr } = await cli(['status', '--url', 'http://127.0.0.1:1', '--token-file', 'token'], {
      folder,
    });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/--token-file token is empty: .*flatline http token/),
    ]);
  });

  test.each(['status', 'top', 'partitions list', 'partitions restart --all'])('%s takes --http-port', async (line) => {
    const { stderr } = await cli([...line.split(' '), '--http-port', '1'], { folder });
    expect(stderr).toContain('no processor answers at http://127.0.0.1:1 ');
  });
});
