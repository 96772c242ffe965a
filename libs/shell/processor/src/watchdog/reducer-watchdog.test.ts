import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { ReducerWatchdog } from './reducer-watchdog.ts';

const MODULE = new URL('./reducer-watchdog.ts', import.meta.url).href;

/** Runs `body` where `watch` is one for the calls of a pipeline, and returns how the process ended. */
async function ended(
  body: string,
): Promise<{ readonly signal: string | null; readonly code: number | null; readonly said: string }> {
  const source = `
    import { ReducerWatchdog } from ${JSON.stringify(MODULE)};
    const dog = new ReducerWatchdog({ lookEveryMs: 5 });
    dog.of('others', 'other-events');
    const watch = dog.of('visits', 'visit-events');
    ${body}
    await dog.close();
    console.log('over');`;
  const args = ['--conditions=@flatline/source', '--input-type=module', '-e', source];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('close', (...how) => {
      resolve(how);
    });
  });
  return { code, signal, said: (await said).join('') };
}

test('[S10] a call that does not return ends the process, and names pipeline, topic, partition and offset', async () => {
  const { signal, said } = await ended('watch.enter(3, 2 ** 52 + 1); for (;;);');
  expect(signal).toBe('SIGKILL');
  expect(said).toContain(
    'flatline: pipeline visits: a function of its reducer does not return, for the record at visit-events/3 offset 4503599627370497. ' +
      'The process ends, since nothing of it can go on.',
  );
});

test('[S10] calls that return, however many, and a process that is busy between them, are let alone', async () => {
  const body = `
    const end = performance.now() + 1_000;
    while (performance.now() < end) { watch.enter(0, 1); watch.leave(); }
    const later = performance.now() + 1_000;
    while (performance.now() < later);`;
  expect(await ended(body)).toEqual({ code: 0, signal: null, said: 'over\n' });
});

test('a process that has nothing else to do may end', async () => {
  const dog = new ReducerWatchdog();
  dog.of('visits', 'v'.repeat(249)).enter(0, 0);
  await dog.close();
});
