import { describe, expect, it } from '@jest/globals';
import { testPipeline } from './index.ts';

const VISITS = {
  name: 'visits',
  kind: 'session',
  timeoutMs: '30m',
  input: { topic: 'in' },
  output: { topic: 'out' },
} as const;
const DOCUMENT = {
  application: 'shop',
  brokers: ['127.0.0.1:9092'],
  kafka: { sasl: { mechanism: 'plain' as const, username: 'me', password: { env: 'NOT_SET_HERE' } } },
  pipelines: [VISITS, { ...VISITS, name: 'orders', output: { topic: 'orders' } }],
};

/** Name and message of the error that the call throws; `nothing` if it throws none. */
function said(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
  return 'nothing';
}

/** As plain JavaScript calls it. */
const any = (value: unknown): never => value as never;

describe('what a test pipeline is told wrongly', () => {
  it('[I4] names every wrong setting, as a processor does', () => {
    const wrong = { ...VISITS, timeoutMs: '30 minutes', maxDuration: 1 };
    expect(said(() => testPipeline(any(wrong)))).toMatch(
      /ConfigurationError: testPipeline\n.*timeoutMs.*\n.*maxDuration/,
    );
  });

  it('takes one pipeline of a whole configuration, whose secrets it does without', () => {
    expect(testPipeline(DOCUMENT, { pipeline: 'orders' }).entries()).toEqual([]);
    expect(said(() => testPipeline(DOCUMENT))).toBe(
      "TypeError: testPipeline: the configuration has visits, orders: say which, as { pipeline: 'visits' }",
    );
    expect(said(() => testPipeline(DOCUMENT, { pipeline: 'order' }))).toBe(
      'TypeError: testPipeline: pipeline is "order": the configuration has visits, orders',
    );
    expect(said(() => testPipeline(any('flatline.config.ts')))).toMatch(
      /^TypeError: testPipeline: the configuration is "flat/,
    );
  });

  it('names options, what they are and what to give', () => {
    expect(said(() => testPipeline(VISITS, any({ partition: 2 })))).toMatch(/no option partition.*partitions/);
    expect(said(() => testPipeline(VISITS, { partitions: 0 }))).toBe(
      'TypeError: testPipeline: partitions is 0: give a whole number from 1 to 1024',
    );
    for (const none of ['2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2025-02-29T00:00:00+01:00', '1767225600000'])
      expect(said(() => testPipeline(VISITS, { startAt: none }))).toMatch(`startAt is "${none}": give milliseconds`);
    expect(said(() => testPipeline(VISITS, { startAt: '2026-01-01' }))).toMatch(
      /startAt is "2026-01-01": give milliseconds/,
    );
    expect(said(() => testPipeline(VISITS, { startAt: new Date(NaN) }))).toMatch(/startAt is an invalid Date/);
  });

  it('refuses time that goes back, and durations that are none', () => {
    const p = testPipeline(VISITS);
    expect(
      said(() => {
        p.advance(-1);
      }),
    ).toMatch(/^TypeError: advance: -1 would turn time back/);
    expect(
      said(() => {
        p.advance(1.5);
      }),
    ).toMatch(/^TypeError: advance: the duration is 1.5: give whole milliseconds/);
    expect(
      said(() => {
        p.advance(any('30 minutes'));
      }),
    ).toMatch(/the duration is "30 minutes".*"30m"/);
    expect(
      said(() => {
        p.outage(any(undefined));
      }),
    ).toMatch(/^TypeError: outage: the duration is undefined/);
    expect(
      said(() => {
        p.advanceTo('2025-12-31T23:59:59Z');
      }),
    ).toBe(
      'TypeError: advanceTo: the instant is 2025-12-31T23:59:59.000Z, and it is 2026-01-01T00:00:00.000Z already: time does not go back',
    );
    expect(said(() => p.send('a', '', { at: p.now - 1 }))).toMatch(/^TypeError: send: at is 2025-12-31T23:59:59.999Z/);
    expect(p.entries()).toEqual([]);
  });

  it('says what cannot be sent', () => {
    const p = testPipeline(VISITS, { partitions: 2 });
    expect(said(() => p.send(any(7)))).toMatch(/^TypeError: send: the key is 7: give text, bytes/);
    expect(said(() => p.send(any(undefined), ''))).toMatch(/the key is undefined/);
    expect(said(() => p.send('a', () => 1))).toMatch(/^TypeError: send: the value is a function/);
    expect(said(() => p.send('a', 1n))).toMatch(/^TypeError: send: the value is no JSON/);
    expect(said(() => p.send('a', '', { partition: 2 }))).toMatch(/partition is 2: give a whole number from 0 to 1/);
    expect(said(() => p.send('a', '', { headers: any('x') }))).toMatch(/the headers are "x": give an object/);
    expect(said(() => p.send('a', '', { headers: any(['x']) }))).toMatch(
      /the name of a header is undefined: give a list/,
    );
    expect(said(() => p.send('a', '', { headers: any({ x: {} }) }))).toMatch(/the header x is an object/);
    expect(said(() => p.send('a', '', any({ header: {} })))).toMatch(/no option header.*headers/);
    expect(said(() => p.send('a', '', { timestamp: p.now }))).toMatch(
      /timestamp is for inputs with timestampType "CreateTime"/,
    );
    expect(
      said(() => {
        p.replay([any({ key: 'a', value: '' })]);
      }),
    ).toMatch(/^TypeError: replay: timestamp is undefined/);
    expect(
      said(() => {
        p.replay([{ key: 'a', value: '', timestamp: p.now, partition: 2 }]);
      }),
    ).toBe('TypeError: replay: partition is 2: give a whole number from 0 to 1');
  });

  it('names the kind where other outputs are asked for', () => {
    expect(said(() => testPipeline(VISITS).batches())).toBe(
      'TypeError: batches: the pipeline is of kind "session", not "debounce": call outputs()',
    );
  });

  it('[I4] refuses to go on as another kind', () => {
    const p = testPipeline(VISITS);
    p.send('a');
    const other = {
      name: 'visits',
      kind: 'debounce',
      waitMs: '1s',
      input: VISITS.input,
      output: VISITS.output,
    } as const;
    expect(
      said(() => {
        p.restart(other);
      }),
    ).toMatch(/^TypeError: restart: kind is "debounce", and what pipeline visits keeps is of kind "session"/);
    p.advance('30m');
    expect(p.summaries()).toHaveLength(1);
  });
});
