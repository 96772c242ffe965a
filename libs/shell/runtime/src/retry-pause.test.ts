import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { getEventListeners } from 'node:events';
import { RETRY_FIRST_MS } from './limits.ts';
import { RetryPause } from './retry-pause.ts';

function begun() {
  const simulation = new Simulation({ seed: 1 });
  const { clock } = simulation.start('a').ports;
  const end = new AbortController();
  return { simulation, clock, end, retryPause: new RetryPause(clock) };
}

describe('a pause between tries', () => {
  test('[X6] leaves nothing behind on the signal that may end it: an outage has thousands', async () => {
    const { simulation, end, retryPause } = begun();
    for (let tries = 0; tries < 3; tries += 1) {
      const pausing = retryPause.pause(end.signal);
      expect(getEventListeners(end.signal, 'abort')).toHaveLength(1);
      await simulation.time.runFor(10_000);
      await pausing;
    }
    expect(getEventListeners(end.signal, 'abort')).toHaveLength(0);
  });

  test('ends with the signal, at once where that has come', async () => {
    const { clock, end, retryPause } = begun();
    const startedAt = clock.monotonicMs();
    const pausing = retryPause.pause(end.signal);
    end.abort();
    await pausing;
    await retryPause.pause(end.signal);
    expect(clock.monotonicMs() - startedAt).toBeLessThan(RETRY_FIRST_MS);
  });
});
