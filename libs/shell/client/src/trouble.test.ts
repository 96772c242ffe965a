import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { ConnectionTroubles, goesOnAt, RegistryTroubles, RefusalTroubles, UnreadableTroubles } from './trouble.ts';

const stand = { topic: 'visits', group: 'billing', partition: 2, from: 'beginning', logStartOffset: 40 } as const;

describe('where a group goes on', () => {
  test.each([
    [{ committed: 50 }, 50],
    [{ committed: 40 }, 40],
    [{ committed: undefined }, 40],
    [{ committed: undefined, from: 'end' as const }, 90],
  ])('%j: at %i, and nothing is lost', (changes, offset) => {
    expect(goesOnAt({ ...stand, lastStableOffset: 90, ...changes })).toEqual({ offset, gap: undefined });
  });

  test('what retention has removed before it was read is named', () => {
    const { offset, gap } = goesOnAt({ ...stand, lastStableOffset: 90, committed: 7 });
    expect([offset, gap]).toMatchObject([40, { kind: 'gap', partition: 2, from: 7, to: 40 }]);
    expect(gap?.message).toMatch(
      /^offsets 7 to 39 of visits-2 were removed by its retention before group billing read them: it goes on at 40\. Raise/,
    );
  });
});

test('a broker that does not answer is told of at once, each half minute, and again once it has answered', () => {
  const troubles = new ConnectionTroubles();
  const at = (nowMs: number, kind: 'failed' | 'connected' = 'failed'): string | undefined =>
    troubles.hear({ kind, broker: 'a:1', why: 'refused' }, nowMs)?.message;
  expect(at(0)).toBe('broker a:1 does not answer, and is asked again: refused');
  expect([at(1), at(29_999)]).toEqual([undefined, undefined]);
  expect(at(30_000)).toMatch('a:1');
  expect([at(30_001, 'connected'), at(30_002)]).toEqual([undefined, expect.stringMatching('a:1')]);
});

test('a loop over completed sessions says that no broker answers, unless it is told to whom', () => {
  const source = `
    const { connect } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
    const flatline = connect({ brokers: ['127.0.0.1:1'] });
    const heard = new Promise((resolve) => { process.on('warning', resolve); });
    const loop = (async () => { for await (const _ of flatline.completedSessions({ topic: 't', group: 'g' })); })();
    console.log((await heard).message);
    const told = Promise.withResolvers();
    const options = { topic: 't', group: 'g', handler: () => undefined, onTrouble: told.resolve };
    const handling = flatline.handleCompletedSessions(options);
    console.log((await told.promise).kind);
    await flatline.close();
    await Promise.all([loop, handling]);`;
  const args = ['--conditions=@flatline/source', '--input-type=module', '--eval', source];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 100_000 });
  expect(stdout).toMatch(/^broker 127\.0\.0\.1:1 does not answer, and is asked again: .*\nconnection\n$/);
});

test('a registry that does not answer is told of at once, and each half minute', () => {
  const troubles = new RegistryTroubles();
  const at = (nowMs: number): string | undefined => troubles.hear('It cannot be reached.', nowMs)?.message;
  expect(at(0)).toBe('It cannot be reached. It is asked again; nothing is passed over meanwhile');
  expect([at(1), at(29_999)]).toEqual([undefined, undefined]);
  expect(at(30_000)).toBeDefined();
});

test('of unreadable records the first is told of, and then one in a while, with how many came between', () => {
  const troubles = new UnreadableTroubles();
  const record = {
    kind: 'unreadable',
    partition: 3,
    timestamp: 0,
    key: null,
    reason: 'null-key',
    detail: 'no key',
  } as const;
  expect(troubles.hear('visits', { ...record, offset: 7 }, 0)?.message).toBe(
    'passed over the record at visits-3-7: null-key: no key. onUnreadable is told of each',
  );
  expect(troubles.hear('visits', { ...record, offset: 8 }, 29_999)).toBeUndefined();
  expect(troubles.hear('visits', { ...record, offset: 9 }, 30_000)?.message).toContain('visits-3-9, and 1 before it');
});

test('[T2] of refusals of a lease the second is told of, and then one in a while', () => {
  const troubles = new RefusalTroubles();
  expect(troubles.hear('0-7', 'HELD', 0)).toBeUndefined();
  expect(troubles.hear('0-7', 'HELD', 500)).toMatchObject({
    kind: 'task',
    id: '0-7',
    message: 'task 0-7 waits: HELD. It is asked for again',
  });
  expect(troubles.hear('0-7', 'HELD', 30_499)).toBeUndefined();
  expect(troubles.hear('0-7', 'HELD', 30_500)).toBeDefined();
});
