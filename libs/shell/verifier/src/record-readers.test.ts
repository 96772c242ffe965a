import { resolveConfiguration } from '@flatline/config';
import { expect, test } from '@jest/globals';
import { kindOf } from '@flatline/kind-modules';

const FILE = { application: 'shop', brokers: ['b:1'], schemaRegistryUrl: 'http://r:1' };

test('[V4] a value is read by the input.format of when it was applied, as the changelog says it; else by that of today', async () => {
  const [pipeline] = resolveConfiguration(
    {
      ...FILE,
      pipelines: [
        {
          name: 'visits',
          kind: 'session',
          timeoutMs: 1_000,
          input: { topic: 'in', format: 'avro' },
          output: { topic: 'out' },
        },
      ],
    },
    { source: 'test', folder: '/', environment: {} },
  ).pipelines;
  const said = (sequence: number, from: number, options: object): { sequence: number; from: number; text: string } => ({
    sequence,
    from,
    text: JSON.stringify(options),
  });
  const settings = [
    said(0, 0, { inputFormat: 'json' }),
    said(3, 10, { inputFormat: 'avro' }),
    said(5, 20, { timeoutMs: 1 }),
    said(6, 30, { inputFormat: 'auto' }),
  ];
  const judging = await kindOf(pipeline!).judging();
  const isRead = (offset: number, told = settings): boolean => {
    const value = Buffer.from('{"type":"VIEW"}');
    const record = { offset, timestamp: 0, logAppendTime: true, key: Buffer.from('k'), value, headers: [] };
    return judging.readers(pipeline!, undefined, told).input.read(record).event !== 'bad';
  };
  expect([0, 9, 10, 19, 20, 29, 30].map((offset) => isRead(offset))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(isRead(0, [])).toBe(false);
});
