import { expect, test } from '@jest/globals';
import { resolveConfiguration } from '@flatline/config';
import { nextSteps, trySettings, tryTopics, visitorProgram } from './try-files.ts';

const settings = {
  ...tryTopics(true, 0),
  brokers: ['127.0.0.1:9092'],
  stateDir: 'state',
  httpPort: 7070,
  timeoutMs: 5000,
};

test('names are new where the broker is not', () => {
  expect(tryTopics(true, 1_700_000_000_000)).toEqual({
    application: 'try',
    input: 'try-events',
    output: 'try-sessions',
  });
  const [one, other] = [1_700_000_000_000, 1_700_000_000_001].map((at) => tryTopics(false, at));
  expect(one).toMatchObject({ application: 'try-loyw3v28', input: 'try-loyw3v28-events' });
  expect(other!.application).not.toBe(one!.application);
});

test('the configuration is one', () => {
  const config = resolveConfiguration(trySettings(settings), { source: 'try', folder: '/', environment: {} });
  expect(config).toMatchObject({
    application: 'try',
    http: { port: 7070 },
    pipelines: [{ rules: { timeoutMs: 5000 } }],
  });
});

test('the visitor goes to the same broker and topic', () => {
  const program = visitorProgram(settings, '.flatline/try/visitor.mjs');
  for (const part of [
    'brokers: ["127.0.0.1:9092"]',
    "topic: 'try-events', timeoutMs: 5000",
    'node .flatline/try/visitor.mjs anna',
  ])
    expect(program).toContain(part);
});

test('three commands come next; those that need a tool say so, or give way to one that needs none', () => {
  const place = { config: 'c.json', visitor: 'v.mjs', broker: '127.0.0.1:9092', input: 'in' };
  const withAll = nextSteps({ ...place, hasKcat: true, hasClient: true });
  expect(withAll.map(({ command }) => command)).toEqual([
    'flatline sessions tail --config c.json',
    "echo 'anna:' | kcat -P -b 127.0.0.1:9092 -t in -K: -X topic.partitioner=murmur2_random",
    'node v.mjs anna',
  ]);
  const bare = nextSteps({ ...place, hasKcat: false, hasClient: false });
  expect(bare[1]!.command).toBe('flatline simulate --topic in --sessions 5 --rate 5 --config c.json');
  expect(bare[2]!.does).toContain('needs @flatline/client');
});
