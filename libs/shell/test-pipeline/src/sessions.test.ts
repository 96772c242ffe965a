import { describe, expect, it } from '@jest/globals';
import { testPipeline } from './index.ts';

const VISITS = {
  name: 'visits',
  kind: 'session',
  timeoutMs: '30m',
  input: { topic: 'visit-events' },
  output: { topic: 'visits' },
} as const;
const MINUTE = 60_000;

describe('a test pipeline of sessions', () => {
  it('[S2] closes a session at its deadline, and not before', () => {
    const p = testPipeline(VISITS);
    p.send('visitor-7', { type: 'VIEW', attributes: { page: '/' } });
    p.advance(30 * MINUTE - 1);
    expect(p.outputs()).toEqual([]);
    p.advance(1);
    const [output] = p.outputs();
    expect(output).toMatchObject({ kind: 'summary', keyText: 'visitor-7', timestamp: p.now, topic: 'visits' });
    expect(output!.summary).toMatchObject({ reason: 'TIMEOUT', eventCount: 1, closedAt: p.now });
    expect(output!.summary.attributes.get('page')).toBe('/');
    expect(p.outputs()).toEqual([]);
  });

  it('[S1] [S3] counts each sign of life, and closes after a gap of exactly the timeout', () => {
    const p = testPipeline(VISITS);
    p.send('a');
    p.advance('20m');
    p.send('a');
    p.advance('29m');
    expect(p.outputs()).toEqual([]);
    p.advance('1m');
    p.send('a');
    expect(p.summaries().map(({ summary }) => summary.eventCount)).toEqual([2]);
    expect(p.entries()).toMatchObject([{ keyText: 'a', dueAt: p.now + 30 * MINUTE, state: { eventCount: 1 } }]);
  });

  it('[S2] [I2] ends a session at a null value, and the tombstone follows in its topic', () => {
    const p = testPipeline(VISITS);
    p.send('a', '');
    p.send('a', null);
    expect(p.summaries()).toMatchObject([{ id: '0-0/0', summary: { reason: 'ENDED' } }]);
    expect(p.records().map(({ keyText, value }) => [keyText, value === null])).toEqual([
      ['a', false],
      ['a', true],
    ]);
  });

  it('[I1] tells what could not be used, and why', () => {
    const p = testPipeline(VISITS);
    p.send('a', '{ no json');
    p.send(null, 'without a key');
    expect(p.deadLetters()).toMatchObject([
      { reason: 'invalid-json', keyText: 'a', partition: 0, offset: 0 },
      { reason: 'null-key', key: null, keyText: null, offset: 1 },
    ]);
    expect(p.deadLetters()).toEqual([]);
    expect(p.entries()).toEqual([]);
  });

  it('[C8] an outage ends no session within the hold, and the time that counts is half of the timeout', () => {
    const p = testPipeline(VISITS);
    p.send('a');
    p.outage('25m');
    // 15 minutes count, 10 are held.
    expect(p.entries()).toMatchObject([{ dueAt: p.now + 15 * MINUTE }]);
    p.advance(15 * MINUTE - 1);
    expect(p.outputs()).toEqual([]);
    p.advance(1);
    expect(p.summaries()).toMatchObject([{ summary: { reason: 'TIMEOUT', heldMs: 10 * MINUTE } }]);
  });

  it('[C8] an outage longer than the hold ends it, and so does any where nothing is held', () => {
    const long = testPipeline(VISITS);
    long.send('a');
    long.outage('41m');
    expect(long.summaries()).toHaveLength(1);
    const without = testPipeline({ ...VISITS, unheardMs: 0 });
    without.send('a');
    without.outage('30m');
    expect(without.summaries()).toHaveLength(1);
  });

  it('[C8] time that passes on a log that is listened to is never held', () => {
    const p = testPipeline(VISITS);
    p.send('a');
    for (let minute = 0; minute < 300; minute += 1) {
      p.advance('1m');
      p.send('beats', undefined);
    }
    expect(p.summaries()).toMatchObject([{ keyText: 'a', summary: { durationMs: 0 } }]);
    expect(p.entries()[0]).toMatchObject({ keyText: 'beats', state: { eventCount: 300 } });
  });

  it('[R1] a restart changes nothing of what comes out', () => {
    const plain = testPipeline(VISITS, { partitions: 3 });
    const restarted = testPipeline(VISITS, { partitions: 3 });
    for (const p of [plain, restarted]) {
      for (let i = 0; i < 200; i += 1) {
        p.send(`key-${i % 17}`, { type: 'VIEW', sequence: i, attributes: { page: `/${i}` } });
        p.advance(i % 5 === 0 ? '11m' : '10s');
        if (p === restarted && i % 3 === 0) p.restart();
        if (i % 50 === 0) p.outage('22m');
      }
      p.advance('2h');
    }
    expect(plain.records()).toHaveLength(2 * plain.outputs().length);
    expect(restarted.entries()).toEqual(plain.entries());
    expect(restarted.records().length).toBeGreaterThan(100);
  });

  it('[R1] a restart with another timeout keeps what lives, each with the timeout in force when it was last heard', () => {
    const p = testPipeline(VISITS);
    p.send('a');
    p.restart({ ...VISITS, timeoutMs: '5m' });
    p.send('b');
    p.advance('5m');
    expect(p.summaries().map(({ keyText }) => keyText)).toEqual(['b']);
    p.advance('25m');
    expect(p.summaries().map(({ keyText }) => keyText)).toEqual(['a']);
  });

  it('lays keys where producers lay them, and each output beside its input', () => {
    const p = testPipeline(VISITS, { partitions: 4 });
    const places = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => p.send(key).partition);
    expect(new Set(places).size).toBeGreaterThan(1);
    p.advance('1h');
    expect(new Map(p.outputs().map(({ keyText, partition }) => [keyText, partition]))).toEqual(
      new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((key, i) => [key, places[i]])),
    );
  });
});
