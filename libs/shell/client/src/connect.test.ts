import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { connect } from './connect.ts';
import { patient } from './open-senders.ts';

test('sessions are sent for as long as the broker is away, also where a time was left out as undefined', () => {
  expect(patient({}).deliveryTimeoutMs).toBeGreaterThan(1e12);
  expect(patient({ deliveryTimeoutMs: undefined }).deliveryTimeoutMs).toBeGreaterThan(1e12);
  expect(patient({ topic: 'visits', deliveryTimeoutMs: 5 })).toEqual({ topic: 'visits', deliveryTimeoutMs: 5 });
});

test('a program that catches why nothing could be opened ends by itself', () => {
  const source = `
    const { connect } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
    const flatline = connect({ brokers: ['127.0.0.1:1'] });
    const tries = [flatline.heartbeats({ topic: 't' }), flatline.sessions({ topic: 't', timeoutMs: 1000 })];
    console.log((await Promise.allSettled(tries)).map(({ status }) => status).join());`;
  const args = ['--conditions=@flatline/source', '--input-type=module', '--eval', source];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 100_000 });
  expect([stdout, status]).toEqual(['rejected,rejected\n', 0]);
});

test('what is still being opened when the client closes is told that it is closed, and not that no broker answers', async () => {
  const flatline = connect({ brokers: ['127.0.0.1:1'] });
  const opening = flatline.heartbeats({ topic: 't' });
  await Promise.all([expect(opening).rejects.toThrow('this client is closed: connect again'), flatline.close()]);
});
