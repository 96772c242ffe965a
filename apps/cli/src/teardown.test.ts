import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { whileWaiting } from '@flatline/system';
import { Teardown } from './teardown.ts';

describe('a teardown', () => {
  test('stops last first, and one that fails keeps none of the others', async () => {
    const said: string[] = [];
    const teardown = new Teardown((problem) => said.push(problem));
    const stopped: string[] = [];
    teardown.add(() => void stopped.push('broker'));
    teardown.add(() => Promise.reject(new Error('stuck')));
    teardown.add(async () => {
      await Promise.resolve();
      stopped.push('fleet');
    });
    await teardown.run();
    expect({ stopped, said }).toEqual({ stopped: ['fleet', 'broker'], said: ['while stopping: stuck'] });
  });

  test('stops nothing twice', async () => {
    const teardown = new Teardown(() => undefined);
    let stops = 0;
    teardown.add(() => void (stops += 1));
    await teardown.run();
    await teardown.run();
    expect(stops).toBe(1);
  });

  test('stops what comes up after it', async () => {
    const teardown = new Teardown(() => undefined);
    await teardown.run();
    let stops = 0;
    teardown.add(() => void (stops += 1));
    expect(stops).toBe(1);
  });

  test('the end waits for what is still being started, and stops it, last first', async () => {
    const seen: string[] = [];
    const teardown = new Teardown((problem) => seen.push(problem));
    teardown.add(() => void seen.push('broker stopped'));
    const starting = Promise.withResolvers<string>();
    const started = teardown.start(starting.promise, (name) => void seen.push(`${name} stopped`));
    const ended = teardown.run().then(() => seen.push('ended'));
    await new Promise(setImmediate);
    starting.resolve('processor');
    expect(await started).toBe('processor');
    await ended;
    expect(seen).toEqual(['processor stopped', 'broker stopped', 'ended']);
  });

  test('what could not be started is told where it was awaited, and once', async () => {
    const seen: string[] = [];
    const teardown = new Teardown((problem) => seen.push(problem));
    const started = teardown.start(Promise.reject(new Error('no')), () => void seen.push('stopped'));
    await expect(started).rejects.toThrow('no');
    await teardown.run();
    expect(seen).toEqual([]);
  });
});

describe('while waiting', () => {
  const world = () => {
    const simulation = new Simulation({ seed: 1 });
    return { simulation, clock: simulation.start('host').ports.clock };
  };

  test('one looks at once and then every so often, until it is settled', async () => {
    const { simulation, clock } = world();
    let looks = 0;
    const waited = new Promise<string>((resolve) => {
      clock.after(1000, () => {
        resolve('done');
      });
    });
    const result = whileWaiting(waited, { clock, everyMs: 300 }, () => void (looks += 1));
    expect(await simulation.time.complete(result)).toBe('done');
    await simulation.time.runFor(5000);
    expect(looks).toBe(4);
  });

  test('what is waited for fails, and so does the waiting', async () => {
    const { simulation, clock } = world();
    const waited = new Promise<never>((_, reject) => {
      clock.after(50, () => {
        reject(new Error('gone'));
      });
    });
    const result = whileWaiting(waited, { clock, everyMs: 300 }, () => undefined);
    await expect(simulation.time.complete(result)).rejects.toThrow('gone');
  });
});
