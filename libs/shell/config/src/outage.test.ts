import { describe, expect, test } from '@jest/globals';
import { kindOf, type Outage } from '@flatline/kind-modules';
import { minimal, resolve, untimed, visits } from './resolving.fixture.ts';

function outage(settings: object, base: object = visits): Outage {
  const pipeline = resolve({ ...minimal, pipelines: [{ ...base, ...settings }] }).pipelines[0]!;
  return kindOf(pipeline).outage(pipeline);
}

describe('[C8] what an outage of the brokers does', () => {
  test.each(['session', 'lease'])('[C8] it ends no %s by default, for ten minutes', (kind) => {
    expect(outage({ kind, timeoutMs: '10s' })).toEqual({
      doesHarm: false,
      text: `one of up to 605000 ms ends no ${kind}: all of it but 5000 ms is held (unheardMs, maxHoldMs); one that asked for a timeoutMs of at most 5000 ends all the same`,
    });
  });

  test('[C8][S7] it ends none that asked for less where none may ask for so little', () => {
    expect(outage({ timeoutMs: '10s', minTimeoutMs: '6s' }).text).not.toContain('asked for');
  });

  test.each([
    [{ unheardMs: 0 }, 'ends every session, as unheardMs is 0'],
    [{ timeoutMs: 500 }, 'more than timeoutMs (500) ends every session, as unheardMs is 0'],
    [
      { proofIntervalMs: '1s' },
      'ends every session, as proofIntervalMs (1000) is more than a twentieth of timeoutMs. At most 500, or left out, would hold it (C8)',
    ],
    [{ unheardMs: 0, proofIntervalMs: '1s' }, 'ends every session, as unheardMs is 0'],
    [{ proof: 'fetch' }, 'ends every session: proof "fetch" leaves no clock records'],
    [{ input: { topic: 'i', timestampType: 'CreateTime' } }, 'that is heard again later than others'],
    [{ kind: 'lease', unheardMs: 0 }, 'ends every lease, as unheardMs is 0'],
  ])('[C8] it ends them where none of it is held, and that is said: %j', (settings, text) => {
    const found = outage({ timeoutMs: '10s', ...settings });
    expect(found.doesHarm).toBe(true);
    expect(found.text).toContain(text);
  });

  test('[C8] batches and runs are no verdict on silence: they come behind it', () => {
    expect(outage({ kind: 'debounce', waitMs: '2s' }, untimed)).toMatchObject({ doesHarm: false });
    expect(outage({ kind: 'schedule' }, untimed)).toMatchObject({ doesHarm: false });
  });
});
