// `doctor` on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';

const brokers = process.env['KAFKA_BROKERS'] ?? '';

test('[I4] doctor names a secret of ingest that is missing here, and looks at everything else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-doctor-'));
  const application = `w${randomUUID().slice(0, 8)}`;
  const content = {
    application,
    brokers: brokers.split(','),
    http: { port: 0 },
    ingest: { tokens: [{ env: 'INGEST_TOKEN' }] },
    pipelines: [
      {
        name: 'visits',
        kind: 'session',
        timeoutMs: 1000,
        input: { topic: `${application}.in` },
        output: { topic: `${application}.out` },
      },
    ],
  };
  writeFileSync(join(folder, 'flatline.config.json'), JSON.stringify(content));
  const ran = await cli(['doctor', '--json'], { env: { KAFKA_BROKERS: brokers }, folder });
  rmSync(folder, { recursive: true });
  const [{ findings }] = ran.json() as [{ findings: readonly { what: string; outcome: string; text: string }[] }];
  expect(ran.exitCode).toBe(ExitCode.failedCheck);
  const [first, ...others] = findings.filter(({ outcome }) => outcome === 'wrong');
  expect(first).toMatchObject({ what: 'configuration', text: expect.stringMatching(/ingest\.tokens.*INGEST_TOKEN/) });
  expect(new Set(others.map(({ what }) => what))).toEqual(new Set(['topics']));
  expect(findings).toContainEqual(expect.objectContaining({ what: 'brokers', outcome: 'ok' }));
});
