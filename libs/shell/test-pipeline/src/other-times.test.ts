import { describe, expect, it } from '@jest/globals';
import { testPipeline } from './index.ts';

const SECTION = {
  name: 'visits',
  kind: 'session',
  timeoutMs: '1m',
  input: { topic: 'in' },
  output: { topic: 'out' },
} as const;
const START = Date.parse('2026-01-01T00:00:00Z');
const BY_PRODUCERS = { ...SECTION, input: { topic: 'in', timestampType: 'CreateTime' } } as const;

describe('the time of a test pipeline', () => {
  it('begins where it is told to', () => {
    expect(testPipeline(SECTION).now).toBe(START);
    for (const startAt of ['2030-05-01T12:00:00+02:00', new Date('2030-05-01T10:00:00Z'), 1_903_860_000_000])
      expect(testPipeline(SECTION, { startAt }).now).toBe(1_903_860_000_000);
  });

  it('passes to an instant, also with what is sent then', () => {
    const p = testPipeline(SECTION);
    p.send('a', '', { at: START + 1_000 });
    expect(p.now).toBe(START + 1_000);
    p.send('b', '', { at: '2026-01-01T00:01:01Z' });
    expect(p.summaries()).toMatchObject([{ keyText: 'a', summary: { lastSeenAt: START + 1_000, closedAt: p.now } }]);
    p.advanceTo(new Date(START + 61_000 + 60_000));
    expect(p.summaries()).toMatchObject([{ keyText: 'b' }]);
  });

  it('[C2] on CreateTime the stream is as far as its producers say, and silence counts from there', () => {
    const p = testPipeline(BY_PRODUCERS);
    p.send('late', '', { timestamp: START - 30_000 });
    p.advance(60_000 - 1);
    expect(p.outputs()).toEqual([]);
    p.advance(1);
    expect(p.summaries()).toMatchObject([{ keyText: 'late', summary: { closedAt: START + 30_000 } }]);
  });

  it('[C2] on CreateTime a stream that is not live proves nothing: only what follows does', () => {
    const p = testPipeline(BY_PRODUCERS);
    p.send('old', '', { timestamp: START - 3_600_000 });
    p.advance('1h');
    expect(p.outputs()).toEqual([]);
    p.send('new', '');
    expect(p.summaries()).toMatchObject([{ keyText: 'old' }]);
  });

  it('[C6] on CreateTime a stamp from the future is a dead letter', () => {
    const p = testPipeline(BY_PRODUCERS);
    p.send('fast', '', { timestamp: START + 3_600_001 });
    expect(p.deadLetters()).toMatchObject([{ reason: 'bad-timestamp' }]);
  });

  it('[C3] where the input may not be written, a close comes later by clockSkewMs, and says the same', () => {
    const p = testPipeline({ ...SECTION, proof: 'fetch', unheardMs: 0, clockSkewMs: '500ms' });
    const { offset } = p.send('a');
    p.advance(60_499);
    expect(p.outputs()).toEqual([]);
    p.advance(1);
    expect(p.summaries()).toMatchObject([{ summary: { closedAt: START + 60_000 } }]);
    expect(p.send('b').offset).toBe(offset + 1);
  });

  it('[C1] what is replayed brings its own time, and nothing is added to it', () => {
    const p = testPipeline(SECTION);
    const clock = { 'flatline-clock': null };
    const at = START + 5;
    p.replay([
      { key: 'a', value: '', timestamp: at, offset: 7 },
      { key: Buffer.from('a'), value: Buffer.from('{"type":"VIEW"}'), timestamp: String(at + 59_999), offset: '9' },
      { key: 'b', value: '', timestamp: at + 59_999 },
      { key: null, value: '', timestamp: at + 59_999 + 20_000, headers: clock },
      { key: null, value: '', timestamp: at + 59_999 + 40_000, headers: clock },
    ]);
    expect(p.outputs()).toEqual([]);
    p.replay([{ key: null, value: '', timestamp: at + 59_999 + 60_000, headers: clock }]);
    expect(p.summaries()).toMatchObject([
      { keyText: 'a', summary: { incarnation: '0-7', eventCount: 2, lastOffset: 9 } },
      { keyText: 'b', summary: { incarnation: '0-10' } },
    ]);
  });
});
