import { describe, expect, test } from '@jest/globals';
import { Fatal } from '@flatline/base';
import { type Pipeline, Pipelines } from './pipelines.ts';

/** Notes what is done to it. */
function pipeline(name: string, done: string[]): Pipeline {
  const note = (what: string) => (): Promise<void> => {
    done.push(`${name} ${what}`);
    return Promise.resolve();
  };
  return {
    config: { name },
    adapters: { close: note('closes') },
    instance: { stop: note('stops'), abort: note('aborts'), isReady: true },
  };
}

describe('pipelines of one process', () => {
  test('[P1] one that has stopped is known by its reason, and none is left only once all have', () => {
    const pipelines = new Pipelines(2);
    for (const name of ['a', 'b']) pipelines.add(pipeline(name, []));
    const error = new Fatal('the input has grown');
    expect(pipelines.fail('a', error)).toBe(true);
    expect(pipelines.fail('a', new Fatal('again'))).toBe(false);
    expect([pipelines.failureOf('a'), pipelines.failureOf('b')]).toEqual([error, undefined]);
    expect(pipelines.haveAllFailed).toBe(false);
    pipelines.fail('b', error);
    expect(pipelines.haveAllFailed).toBe(true);
  });

  test('[P1] one that has stopped leaves the process unready, and is not waited for at the start', () => {
    const pipelines = new Pipelines(2);
    pipelines.add(pipeline('a', []));
    expect([pipelines.areReady, pipelines.haveBegun]).toEqual([false, false]);
    const stopped = { ...pipeline('b', []), instance: { ...pipeline('b', []).instance, isReady: false } };
    pipelines.add(stopped);
    expect([pipelines.areReady, pipelines.haveBegun]).toEqual([false, false]);
    pipelines.fail('b', new Fatal('the input has grown'));
    expect([pipelines.areReady, pipelines.haveBegun]).toEqual([false, true]);
  });

  test('PI1: one that has ended by itself is not ended again with the process', async () => {
    const done: string[] = [];
    const pipelines = new Pipelines(2);
    for (const name of ['a', 'b']) pipelines.add(pipeline(name, done));
    await pipelines.end(pipelines.all[0]!, 'abort');
    await pipelines.endAll('stop');
    await pipelines.endAll('stop');
    expect(done).toEqual(['a aborts', 'a closes', 'b stops', 'b closes']);
  });

  test('[P1] one whose end has failed cuts that of the others short by nothing: it is told once all have ended', async () => {
    const done: string[] = [];
    const pipelines = new Pipelines(2);
    const broken = { ...pipeline('a', done), adapters: { close: () => Promise.reject(new Error('not closed')) } };
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const other = pipeline('b', done);
    pipelines.add(broken);
    pipelines.add({ ...other, adapters: { close: () => slow.then(other.adapters.close) } });
    await expect(pipelines.end(broken, 'abort')).rejects.toThrow('not closed');
    const ended = pipelines.endAll('stop').then(
      () => done.push('resolved'),
      (error: unknown) => done.push(`rejected: ${String(error)}`),
    );
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
    release();
    await ended;
    expect(done).toEqual(['a aborts', 'b stops', 'b closes', 'rejected: Error: not closed']);
  });
});
