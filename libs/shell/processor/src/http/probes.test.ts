import { DurationHistogram } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import type { ProbePlace, TaskStatus } from '@flatline/runtime';
import { pipeline, serve, task } from './http.fixture.ts';

const durations = new DurationHistogram();
durations.add(12);

const probed = (stuck?: ProbePlace): Partial<TaskStatus> => ({
  probe: { durations: durations.status(), lastMs: 12, stuck },
});
const STUCK: ProbePlace = {
  leg: 'append',
  forMs: 3_210,
  waitsFor: 'broker 2 at h:9092, which leads in/1, says nothing',
};

describe('what probes say over HTTP', () => {
  const tasks = [task(probed()), task({ ...probed(STUCK), partition: 1 })];
  const silentOwners = [{ partition: 3, owner: 'b', forMs: 4_000, detail: 'b has committed nothing' }];

  test('[Q5] one that is stuck, and an owner that is silent, are warned of, and make nothing unready', async () => {
    const get = await serve([pipeline({ tasks, silentOwners })]);
    const readiness = await get('/readyz');
    expect([readiness.status, await readiness.json()]).toEqual([
      200,
      {
        ready: true,
        reasons: [],
        warnings: [
          'visits/1: a probe is stuck at append for 3.2 s: broker 2 at h:9092, which leads in/1, says nothing',
          'visits/3, which b has: no probe is seen for 4.0 s: b has committed nothing',
        ],
      },
    ]);
  });

  test('[Q5] each partition has a row, and metrics say the leg; without probes there is neither', async () => {
    const get = await serve([pipeline({ tasks, silentOwners })]);
    expect(await (await get('/api/v1/probes')).json()).toMatchObject({
      instance: 'a',
      probes: [
        { pipeline: 'visits', partition: 0, owner: 'a', state: 'sound', lastMs: 12, leg: null },
        { partition: 1, owner: 'a', state: 'stuck', leg: 'append', forMs: 3_210 },
        { partition: 3, owner: 'b', state: 'silent', lastMs: null, forMs: 4_000 },
      ],
    });
    const metrics = await (await get('/metrics')).text();
    for (const line of [
      'flatline_probe_stuck{pipeline="visits",partition="1",leg="append"} 1',
      'flatline_probe_stuck_seconds{pipeline="visits",partition="1"} 3.21',
      'flatline_probes_total{pipeline="visits"} 2',
      'flatline_silent_owner_seconds{pipeline="visits",partition="3"} 4',
    ])
      expect(metrics.split('\n')).toContain(line);
    expect(metrics.match(/^flatline_probe_stuck\{.*/gm)).toHaveLength(1);
    const none = await serve([pipeline({})]);
    expect(await (await none('/api/v1/probes')).json()).toEqual({ instance: 'a', probes: [] });
    expect(await (await none('/metrics')).text()).not.toMatch(/^flatline_probe_stuck/m);
  });

  test('[Q5] a queue that fills says so before it is full: what waits for a commit, and look-ups', async () => {
    const full = await serve([pipeline({ tasks: [task({ commitFill: 0.8 })] })], { lookUpFill: 0.9 });
    expect(((await (await full('/readyz')).json()) as { readonly warnings: readonly string[] }).warnings).toEqual([
      '90 % of the look-ups that may wait at once do: beyond, keys are answered with "restoring"',
      'visits/0 has 80 % of what may wait for a commit: beyond, reading pauses until it is made',
    ]);
    const metrics = await (await full('/metrics')).text();
    expect(metrics).toContain('flatline_commit_fill_ratio{pipeline="visits",partition="0"} 0.8');
    expect(metrics).toContain('flatline_look_up_fill_ratio 0.9');
    const calm = await serve([pipeline({ tasks: [task({ commitFill: 0.79 })] })], { lookUpFill: 0.79 });
    expect(((await (await calm('/readyz')).json()) as { readonly warnings: readonly string[] }).warnings).toEqual([]);
  });
});
