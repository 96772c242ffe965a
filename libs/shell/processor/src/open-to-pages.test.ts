import { expect, test } from '@jest/globals';
import { resolveConfiguration } from '@flatline/config';
import type { IngestInputs } from '@flatline/ingest';
import { warnOfPages } from './open-to-pages.ts';

const VISITS = { name: 'visits', kind: 'session', timeoutMs: 1_000, input: { topic: 'v' }, output: { topic: 'vo' } };
const EDITS = { name: 'edits', kind: 'debounce', waitMs: 1_000, input: { topic: 'e' }, output: { topic: 'eo' } };
const LOCKS = { name: 'locks', kind: 'lease', timeoutMs: 1_000, input: { topic: 'l' }, output: { topic: 'lo' } };
const ORIGINS = ['https://shop.example'];
const input = { topic: 't', keyBytesMax: 1, beats: true, headers: undefined, recordOf: () => 'none' };

test.each([
  ['said where a page could push', { origins: ORIGINS }, [VISITS, EDITS, LOCKS], ['edits']],
  ['not said of sessions and leases', { origins: ORIGINS }, [VISITS, LOCKS], []],
  ['not said where no page may send', {}, [VISITS, EDITS], []],
  ['not said where it is said which take records', { origins: ORIGINS, pipelines: ['edits'] }, [VISITS, EDITS], []],
])('[I10] that pages may push is %s', (_what, ingest, pipelines, expected) => {
  const environment = { SESAME: 'sesame' };
  const written = { tokens: [{ env: 'SESAME' }], ...ingest };
  const config = resolveConfiguration(
    { application: 'test', brokers: ['127.0.0.1:1'], ingest: written, pipelines },
    { source: 'test', folder: '/', environment },
  );
  const inputs: IngestInputs = new Map(
    config.pipelines.map(({ name, kind }) => [
      name,
      kind === 'lease' ? 'no leases' : { ...input, beats: kind === 'session' },
    ]),
  );
  const said: unknown[] = [];
  warnOfPages(config, inputs, { warn: (_message, facts) => said.push(facts) });
  expect(said).toEqual(
    expected.map((name) => ({
      setting: 'ingest.origins',
      pipelines: name,
      remedy: expect.stringMatching(/ingest\.pipelines/),
    })),
  );
});
