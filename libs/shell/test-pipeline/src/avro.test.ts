import { describe, expect, it } from '@jest/globals';
import { SchemasAtHand } from '@flatline/records';
import { EVENT_SCHEMA, openEventEncoder } from '@flatline/records/events';
import { testPipeline } from './index.ts';

const SECTION = { timeoutMs: '1m', input: { topic: 'in' }, output: { topic: 'out', format: 'avro' } } as const;
const SCHEMAS = { 41: EVENT_SCHEMA.text };

describe('a test pipeline in Avro', () => {
  it('writes and reads outputs of each kind without a registry', () => {
    const sessions = testPipeline({ name: 's', kind: 'session', ...SECTION });
    sessions.send('a', { type: 'VIEW' });
    sessions.advance('1m');
    expect(sessions.summaries()).toMatchObject([{ keyText: 'a', summary: { reason: 'TIMEOUT' } }]);
    expect(sessions.records()[0]!.value![0]).toBe(0);
    const leases = testPipeline({ name: 'l', kind: 'lease', ...SECTION });
    leases.send('a', { type: 'STARTED' });
    expect(leases.leaseEvents()).toMatchObject([{ event: { type: 'GRANTED' } }]);
    const windows = testPipeline({
      name: 'd',
      kind: 'debounce',
      waitMs: '1s',
      input: SECTION.input,
      output: SECTION.output,
    });
    windows.send('a', new Uint8Array([0xff, 1]));
    windows.advance('1s');
    expect(windows.batches()[0]!.batch.items[0]!.bytes).toEqual(new Uint8Array([0xff, 1]));
  });

  it('[I1] reads input by the schemas that it is given, and knows no other id', async () => {
    const schemas = new SchemasAtHand('theirs', SCHEMAS);
    const encoder = await openEventEncoder('avro', 'in', schemas);
    const value = encoder.encode({ type: 'VIEW', attributes: { page: '/' } });
    const p = testPipeline({ name: 's', kind: 'session', ...SECTION }, { schemas: SCHEMAS });
    p.send('a', value);
    expect(p.entries()).toMatchObject([{ state: { eventCount: 1 } }]);
    const without = testPipeline({ name: 's', kind: 'session', ...SECTION });
    without.send('a', value);
    expect(without.deadLetters()).toMatchObject([{ reason: 'unknown-schema-id' }]);
  });
});
