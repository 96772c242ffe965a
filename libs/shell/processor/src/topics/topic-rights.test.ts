import { describe, expect, test } from '@jest/globals';
import type { TopicFinding, TopicRight } from '@flatline/kafka';
import type { PipelineTopics } from './topic-requirements.ts';
import { assertRights, lackingRights } from './topic-rights.ts';

const visits: PipelineTopics = {
  pipeline: 'visits',
  group: 'shop.visits',
  input: 'in',
  timestampType: 'LogAppendTime',
  writesInput: true,
  output: 'out',
  targets: ['hooks'],
  changelog: 'log',
  deadLetters: 'dead',
  largest: { changelogBytes: 310_000, outputBytes: 70_000, settings: 'maxKeyBytes 512' },
};
const EXACT: Readonly<Record<string, readonly TopicRight[]>> = {
  in: ['READ', 'WRITE', 'DESCRIBE_CONFIGS'],
  out: ['WRITE', 'DESCRIBE_CONFIGS'],
  hooks: ['WRITE', 'DESCRIBE_CONFIGS'],
  log: ['READ', 'WRITE', 'DELETE', 'DESCRIBE_CONFIGS'],
  dead: ['WRITE', 'DESCRIBE_CONFIGS'],
};

function present(topic: string, rights: readonly TopicRight[] | undefined): TopicFinding {
  return { kind: 'present', topic, rights: rights && new Set(rights) } as unknown as TopicFinding;
}
const all = (changes: Readonly<Record<string, TopicFinding>> = {}): TopicFinding[] =>
  Object.entries(EXACT).map(([topic, rights]) => changes[topic] ?? present(topic, rights));

describe('rights on topics', () => {
  test('lack nothing where they are exactly those of the table', () => {
    expect(lackingRights([visits], all())).toEqual([]);
    expect(() => {
      assertRights([visits], all());
    }).not.toThrow();
  });

  test.each(Object.entries(EXACT).flatMap(([topic, rights]) => rights.map((right) => [right, topic] as const)))(
    'lack %s on %s where it is the one that is missing, and say so',
    (right, topic) => {
      const findings = all({
        [topic]: present(
          topic,
          EXACT[topic]!.filter((each) => each !== right),
        ),
      });
      expect(lackingRights([visits], findings)).toMatchObject([{ topic, rights: [right] }]);
      expect(() => {
        assertRights([visits], findings);
      }).toThrow(`grant it ${right} on topic ${topic}`);
    },
  );

  test('need no WRITE on an input that is not written', () => {
    const findings = all({ in: present('in', ['READ', 'DESCRIBE_CONFIGS']) });
    expect(lackingRights([{ ...visits, writesInput: false }], findings)).toEqual([]);
  });

  test('are all lacking on a topic that may not even be described, and unknown where the broker does not say', () => {
    const hidden = lackingRights([visits], all({ log: { kind: 'unauthorized', topic: 'log' } }));
    expect(hidden).toMatchObject([{ topic: 'log', role: 'changelog', rights: EXACT['log'] }]);
    expect(lackingRights([visits], all({ log: present('log', undefined) }))).toEqual([]);
    expect(lackingRights([visits], all({ log: { kind: 'missing', topic: 'log' } }))).toEqual([]);
  });
});
