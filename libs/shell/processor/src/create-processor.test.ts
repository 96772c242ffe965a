import { describe, expect, test } from '@jest/globals';
import { createProcessor, type CreateProcessorOptions, type EmbeddedProcessor } from './create-processor.ts';

const config = {
  application: 'shop',
  brokers: ['127.0.0.1:1'],
  http: { port: 0 },
  pipelines: [{ name: 'visits', kind: 'session', timeoutMs: '10s', input: { topic: 'in' }, output: { topic: 'out' } }],
} as const;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const create = (changes: object = {}) =>
  createProcessor(
    { ...config, brokers: [...config.brokers], pipelines: [...config.pipelines], ...changes },
    {
      log: silent,
    },
  );

/** An address of TEST-NET-1 (RFC 5737), which no machine has, protected as beyond loopback it has to be. */
const nowhere = () => ({
  host: '192.0.2.1',
  port: 0,
  tls: 'terminated' as const,
  auth: { tokens: [{ name: 'ops', role: 'admin' as const, hash: `sha256:${'A'.repeat(43)}` }] },
});

describe('a processor in an application', () => {
  test('[I4] a wrong configuration is an error at once, with everything that is wrong', () => {
    expect(() => create({ brokers: [], pipelines: [] })).toThrow(/brokers[^]*pipelines/);
  });

  test('[B3] reducers of the own are given beside the configuration, to pipelines that ask for one', () => {
    const pipeline = {
      name: 'edits',
      kind: 'debounce',
      waitMs: '1s',
      input: { topic: 'in' },
      output: { topic: 'out' },
    } as const;
    const withReducers = (settings: object, reducers: CreateProcessorOptions['reducers']): EmbeddedProcessor =>
      createProcessor(
        { ...config, brokers: [...config.brokers], pipelines: [{ ...pipeline, ...settings }] },
        { log: silent, ...(reducers && { reducers }) },
      );
    const count = (before: unknown): number => Number(before ?? 0) + 1;
    expect(withReducers({ reducer: 'custom' }, { edits: count }).report().state).toBe('created');
    expect(() => withReducers({ reducer: 'custom' }, undefined)).toThrow(/"custom" needs a function/);
    expect(() => withReducers({}, { edits: count })).toThrow(/the application gives a reducer/);
    expect(() => withReducers({ reducer: 'custom', dedupeBy: 'id' }, { edits: count })).toThrow(/dedupeBy/);
  });

  test('that was created has connected to nothing, and can be stopped', async () => {
    const processor = create();
    expect(processor.report()).toEqual({
      state: 'created',
      failure: undefined,
      isReady: false,
      httpAddress: undefined,
      partitions: [],
    });
    await processor.stop();
    await processor.finished;
    expect(processor.report().state).toBe('stopped');
    await expect(processor.start()).rejects.toThrow(/create another/);
  });

  test('[C8] warns at its start where a pace that is set leaves sessions without unheard time', async () => {
    const warned: unknown[] = [];
    const log = { ...silent, warn: (...said: unknown[]) => void warned.push(said) };
    const start = async (proofIntervalMs: number): Promise<unknown> => {
      const pipelines = [{ ...config.pipelines[0], proofIntervalMs }];
      const processor = createProcessor(
        { ...config, brokers: [...config.brokers], http: nowhere(), pipelines },
        { log },
      );
      await expect(processor.start()).rejects.toThrow(/192\.0\.2\.1/);
      return warned.splice(0);
    };
    expect(await start(500)).toEqual([]);
    const why = expect.stringContaining('as proofIntervalMs (501) is more than a twentieth of timeoutMs');
    expect(await start(501)).toEqual([['an outage of the brokers counts as silence', { pipeline: 'visits', why }]]);
  });

  test('that cannot start says why, by start, by finished and in its report, and stopping it is no error', async () => {
    const processor = create({ http: nowhere() });
    await expect(processor.start()).rejects.toThrow(/192\.0\.2\.1/);
    await expect(processor.finished).rejects.toThrow(/192\.0\.2\.1/);
    expect(processor.report()).toMatchObject({ state: 'failed', failure: expect.stringContaining('192.0.2.1') });
    await processor.stop();
    expect(processor.report().state).toBe('failed');
  });
});
