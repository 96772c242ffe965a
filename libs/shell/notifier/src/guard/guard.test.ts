import { describe, expect, test } from '@jest/globals';
import { addressOf, isPublic } from './addresses.ts';
import { allowedOf } from './allowed.ts';
import { addressesOf, checkConnected, forbiddenLiteral } from './guard.ts';
import { hostileThrough, publicRefused } from './hostile-runs.fixture.ts';
import { systemResolve } from './resolver.ts';
import { VirtualClock } from '../virtual-clock.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 176_000_001);
const NONE = allowedOf([]);
describe('whom a webhook may reach', () => {
  // As many as SPEC says: `guard.long.test.ts`.
  test('[N5] hostile hosts do not get through, and public ones are not refused', async () => {
    expect([SEED, await hostileThrough(SEED, 5_000)]).toEqual([SEED, []]);
    expect([SEED, await publicRefused(SEED, 5_000)]).toEqual([SEED, []]);
  });

  test.each([
    ['::7f00:1', 'compatible'],
    ['::ffff:127.0.0.1', 'mapped'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 to metadata of a cloud'],
    ['64:ff9b:1::1', 'NAT64 of a site'],
    ['2002:7f00:1::', '6to4'],
    ['2001:0:4136:e378::', 'Teredo'],
    ['4000::1', 'given out to no one'],
    ['fe80::1%eth0', 'with a zone'],
  ])('[N5] %s is not public: %s', (text) => {
    const address = addressOf(text);
    expect(address === undefined || !isPublic(address)).toBe(true);
  });

  test('[N5] a socket that came elsewhere than it was sent is refused before anything is said', () => {
    const host = { hostname: 'hook.example', port: 443 };
    expect(() => {
      checkConnected('::ffff:93.184.216.34', '93.184.216.34', host, NONE);
    }).not.toThrow();
    for (const connected of ['127.0.0.1', '93.184.216.35', undefined])
      expect(() => {
        checkConnected(connected, '93.184.216.34', host, NONE);
      }).toThrow(/hook\.example was to be reached at 93\.184\.216\.34/);
  });

  test('[N5] what is allowed by name, port or range is reached, and nothing beside it', async () => {
    const allowed = allowedOf(['localhost', 'db.internal:8080', '10.1.0.0/16', '[::1]:9000']);
    const at = async (hostname: string, port: number, found?: readonly string[]): Promise<boolean> =>
      addressesOf({ hostname, port }, allowed, () => Promise.resolve(found ?? [])).then(
        () => true,
        () => false,
      );
    expect(await at('LOCALHOST.', 1, ['127.0.0.1', '::1'])).toBe(true);
    expect(await at('db.internal', 8080, ['192.168.0.9'])).toBe(true);
    expect(await at('db.internal', 8081, ['192.168.0.9'])).toBe(false);
    expect(await at('any.example', 80, ['10.1.2.3', '::ffff:10.1.9.9'])).toBe(true);
    expect(await at('any.example', 80, ['10.1.2.3', '10.2.0.1'])).toBe(false);
    expect(await at('::1', 9000)).toBe(true);
    expect(await at('::1', 9001)).toBe(false);
    expect(forbiddenLiteral(new URL('http://[::1]:9001/'), allowed)).toContain('::1 is no public address');
    expect(forbiddenLiteral(new URL('http://2130706433/'), NONE)).toContain('127.0.0.1 is no public address');
    expect(forbiddenLiteral(new URL('https://hook.example/'), NONE)).toBeUndefined();
  });

  test('[N5] one question for a host at a time, and few of all: names that hang take no more threads', async () => {
    const answers: (() => void)[] = [];
    const asked: string[] = [];
    const resolve = systemResolve(new VirtualClock(), (hostname) => {
      asked.push(hostname);
      return new Promise((done) => {
        answers.push(() => {
          done(['93.184.216.34']);
        });
      });
    });
    const all = Promise.all(['a', 'a', 'b', 'c', 'a'].map((name) => resolve(name)));
    expect(asked).toEqual(['a', 'b']);
    answers.shift()!();
    while (asked.length < 3) await Promise.resolve();
    expect(asked).toEqual(['a', 'b', 'c']);
    for (const answer of answers) answer();
    expect(await all).toHaveLength(5);
  });

  test('[N4][N5] names whose servers do not answer hold up others for a second once, and then only each other', async () => {
    const clock = new VirtualClock();
    const asked: string[] = [];
    const hanging: (() => void)[] = [];
    const resolve = systemResolve(clock, (hostname) => {
      asked.push(hostname);
      if (!hostname.startsWith('hangs')) return Promise.resolve(['93.184.216.34']);
      return new Promise((_, reject) => {
        hanging.push(() => {
          reject(new Error('no answer'));
        });
      });
    });
    const failed = ['hangs-1', 'hangs-2'].map((name) => expect(resolve(name)).rejects.toThrow('no answer'));
    const third = resolve('well');
    await clock.pass(999);
    expect(asked).toEqual(['hangs-1', 'hangs-2']);
    await clock.pass(1);
    expect(await third).toEqual(['93.184.216.34']);
    for (const end of hanging.splice(0)) end();
    await Promise.all(failed);
    // Known to be slow by now: they wait for each other.
    asked.length = 0;
    const again = ['hangs-1', 'hangs-2'].map((name) => expect(resolve(name)).rejects.toThrow('no answer'));
    expect(await Promise.all(['well', 'fine', 'good'].map((name) => resolve(name)))).toHaveLength(3);
    expect(asked).toEqual(['hangs-1', 'well', 'fine', 'good']);
    hanging.shift()!();
    while (hanging.length === 0) await Promise.resolve();
    hanging.shift()!();
    await Promise.all(again);
  });
});
