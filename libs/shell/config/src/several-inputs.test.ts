// A pipeline whose `input` is a list (S8).
import { describe, expect, test } from '@jest/globals';
import { rulesText } from './index.ts';
import { minimal, problems, resolve, untimed, visits } from './resolving.fixture.ts';

const BEATS = { topic: 'beats' };
const TABLE = { topic: 'customers', touches: false, unknownKey: 'hold' };

const of = (changes: object): object => ({ ...minimal, pipelines: [{ ...visits, ...changes }] });
const found = (changes: object): string[] => problems(of(changes));

describe('several inputs', () => {
  test('[S8] each says its topic, whether it is activity, and what becomes of keys without a session', () => {
    const { pipelines } = resolve(
      of({ input: [BEATS, TABLE, { ...TABLE, topic: 'more', holdMs: '5s' }], maxKeyBytes: 9 }),
    );
    const { input, inputs } = pipelines[0]!;
    expect(input).toMatchObject({ topic: 'beats', maxKeyBytes: 9 });
    expect(inputs).toMatchObject([
      { topic: 'beats', touches: true, unknownKey: 'open', holdMs: 0, maxKeyBytes: 9 },
      { topic: 'customers', touches: false, unknownKey: 'hold', holdMs: 3_600_000 },
      { topic: 'more', touches: false, unknownKey: 'hold', holdMs: 5_000 },
    ]);
  });

  test('[S8][C8] producers may stamp all of them; then no time is held', () => {
    const all = [BEATS, TABLE].map((each) => ({ ...each, timestampType: 'CreateTime' }));
    const [stamped] = resolve(of({ input: all })).pipelines;
    expect(stamped).toMatchObject({ inputs: [{ timestampType: 'CreateTime' }, {}], heldTime: { unheardMs: 0 } });
    expect(found({ input: all, unheardMs: 1_000 })).toEqual([expect.stringMatching(/unheardMs \[1000\] 0 where/)]);
  });

  test('[S8][C7] with graceMs they go by the time of their events', () => {
    const input = [BEATS, TABLE].map((each) => ({ ...each, timestampType: 'CreateTime' }));
    expect(resolve(of({ input, graceMs: '5s' })).pipelines[0]).toMatchObject({ rules: { graceMs: 5_000 } });
    const late = { input, graceMs: '5s', late: 'revise', revisionWindowMs: '1h' };
    expect(resolve(of(late)).pipelines[0]).toMatchObject({ rules: { late: 'revise', revisionWindowMs: 3_600_000 } });
  });

  test('[S8][S11] updates are told of them', () => {
    const emit = ['updated', 'closed'];
    expect(resolve(of({ input: [BEATS, TABLE], emit })).pipelines[0]).toMatchObject({
      rules: { updateIntervalMs: 60_000 },
    });
  });

  test('[S8][K1] what is decisive of them stands among the settings that the changelog says, and of one input nothing more', () => {
    const [two] = resolve(of({ input: [BEATS, TABLE] })).pipelines;
    const [one] = resolve(of({ input: [BEATS] })).pipelines;
    const [plain] = resolve(of({ input: BEATS })).pipelines;
    expect(JSON.parse(rulesText(two!))).toMatchObject({
      inputs: [{ topic: 'beats' }, { topic: 'customers', touches: false }],
    });
    expect(rulesText(one!)).not.toContain('inputs');
    expect(one).toEqual(plain);
  });

  test.each([
    [{ input: [{ ...BEATS, touches: false }, TABLE] }, /^pipelines\[0\]\.input \["2 inputs"\] no input is activity/],
    [{ input: [BEATS, BEATS] }, /^pipelines\[0\]\.input\[1\]\.topic \["beats"\] another topic: input\[0\] has it/],
    [
      { input: [BEATS, { topic: 'b', unknownKey: 'hold' }] },
      /^pipelines\[0\]\.input\[1\]\.unknownKey \["hold"\] only where touches is false/,
    ],
    [
      { input: [BEATS, { topic: 'b', touches: false, holdMs: 5 }] },
      /^pipelines\[0\]\.input\[1\]\.holdMs \[5\] says nothing unless unknownKey is "hold"/,
    ],
    [
      { input: [BEATS, { topic: 'b', timestampType: 'CreateTime' }] },
      /^pipelines\[0\]\.input \["2 inputs"\] one timestampType for all: .* \(rule C6\)/,
    ],
    [
      { input: [BEATS, TABLE], proof: 'fetch' },
      /^pipelines\[0\]\.input \["2 inputs"\] one input where proof is "fetch"/,
    ],
    [
      { input: [BEATS, TABLE], changelogFormat: 4 },
      /^pipelines\[0\]\.input \["2 inputs"\] one input where changelogFormat is 4: 5 is the first/,
    ],
    [
      { input: Array.from({ length: 17 }, (_, i) => ({ topic: `t${i}` })) },
      /^pipelines\[0\]\.input \["17 inputs"\] at most 16 inputs/,
    ],
    [{ input: [{ ...BEATS, holdMs: 5 }] }, /^pipelines\[0\]\.input\[0\]\.holdMs \[5\] needs another input/],
    [
      { input: [BEATS, { topic: 'visits' }] },
      /^pipelines\[0\]\.output\.topic \["visits"\] a topic of its own; pipelines\[0\]\.input\[1\]\.topic/,
    ],
    [
      { input: [BEATS, { topic: 'b', merge: 'arrival' }] },
      /^pipelines\[0\]\.input\[1\]\.merge \[\] is not available in this version/,
    ],
  ])('[S8][I4] %j is refused', (changes, problem) => {
    expect(found(changes)).toEqual([expect.stringMatching(problem)]);
  });

  test('[S8][I4] other kinds read one', () => {
    const windows = { ...untimed, kind: 'debounce', waitMs: 5_000, input: [BEATS, { topic: 'b' }] };
    expect(problems({ ...minimal, pipelines: [windows] })).toEqual([
      expect.stringMatching(/one input: several are read by sessions alone, and this pipeline is of kind "debounce"/),
    ]);
  });

  test('[S8][I4] heartbeats over HTTP go to the first, which is activity then', () => {
    const ingest = { port: 0, tokens: [{ env: 'TOKEN' }] };
    const config = { ...(of({ input: [TABLE, BEATS] }) as typeof minimal), ingest };
    expect(problems(config, { TOKEN: 'a-token-long-enough-to-be-one-0123456789' })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.input\[0\]\.touches \[false\] true where there is ingest/),
    ]);
  });
});
