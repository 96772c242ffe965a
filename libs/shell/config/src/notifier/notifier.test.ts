import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { minimal, problems, resolve, visits } from '../resolving.fixture.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const ENVIRONMENT = { HOOK: SECRET };
const sink = { name: 'crm', url: 'https://crm.example/hook', secrets: [{ env: 'HOOK' }] };

const withEndpoints = (...endpoints: readonly object[]) => ({ ...minimal, notifier: { endpoints } });
const wrong = (...endpoints: readonly object[]) => problems(withEndpoints(...endpoints), ENVIRONMENT);

describe('the section notifier', () => {
  test('[N3] gives each pipeline with an endpoint one that keeps its deliveries, on topics of its name', () => {
    const other = { ...visits, name: 'other', output: { topic: 'others' } };
    const config = {
      ...minimal,
      pipelines: [visits, other],
      notifier: { endpoints: [{ ...sink, pipelines: ['visits'] }] },
    };
    const { pipelines, notifier } = resolve(config, ENVIRONMENT);
    expect(pipelines.map(({ name, deliveriesOf }) => [name, deliveriesOf])).toEqual([
      ['visits', undefined],
      ['other', undefined],
      ['visits.deliveries', 'visits'],
    ]);
    const kept = pipelines[2]!;
    expect(kept.input.partitioner).toBe('any');
    expect([kept.kind, kept.input.topic, kept.output.topic, kept.targets, kept.changelogTopic]).toEqual([
      'schedule',
      'visits.deliveries',
      'visits.deliveries.due',
      ['visits.undeliverable'],
      'shop.visits.deliveries.changelog',
    ]);
    expect(
      notifier!.pipelines.map(({ pipeline, endpoints }) => [pipeline.name, endpoints.map(({ name }) => name)]),
    ).toEqual([['visits', ['crm']]]);
  });

  test('[N2] [N4] has the defaults of N2, and all pipelines where none is named', () => {
    const { notifier } = resolve(withEndpoints(sink), ENVIRONMENT);
    expect(notifier!.endpoints[0]).toMatchObject({
      name: 'crm',
      order: 'none',
      supersede: false,
      timeoutMs: 15_000,
      maxInFlight: 8,
      maxPerSecond: undefined,
      allow: [],
    });
    expect(notifier!.pipelines).toHaveLength(1);
  });

  test('[N1] secrets are read again where they are asked for, and shown nowhere', () => {
    const environment: Record<string, string> = { ...ENVIRONMENT };
    const { notifier } = resolve(withEndpoints(sink), environment);
    const [endpoint] = notifier!.endpoints;
    const former = endpoint!.secrets()[0]!.bytes;
    environment['HOOK'] = `whsec_${randomBytes(32).toString('base64')}`;
    expect(Buffer.compare(endpoint!.secrets()[0]!.bytes, former)).not.toBe(0);
    expect(JSON.stringify(notifier)).not.toContain(SECRET.slice(6));
    environment['HOOK'] = 'not a secret';
    expect(() => endpoint!.secrets()).toThrow(/notifier\.endpoints\[0\]\.secrets\[0\].*a secret as Standard Webhooks/);
  });

  test.each([
    [[{ ...sink, secrets: [] }], /endpoints\[0\]\.secrets \[.*\] one at least/],
    [[{ ...sink, secrets: [{ env: 'NONE' }] }], /secrets\[0\] .*the variable NONE is not set/],
    [[{ ...sink, command: ['cat'] }], /one of url and command/],
    [[{ name: 'crm' }], /one of url and command/],
    [[{ name: 'crm', command: ['cat'], secrets: [{ env: 'HOOK' }] }], /secrets .*left out beside command/],
    [[{ ...sink, url: 'https://user:password@crm.example/' }], /a URL without user and password/],
    [[{ ...sink, url: 'ftp://crm.example/' }], /url .*a URL: https/],
    [[sink, sink], /endpoints\[1\]\.name \[.*\] another endpoint has this name/],
    [[{ ...sink, pipelines: ['visit'] }], /pipelines\[0\] .*the configuration has visits.*did you mean visits/],
    [[{ ...sink, on: ['TIMEOUTS'] }], /on\[0\] .*its pipelines say TIMEOUT, ENDED.*did you mean TIMEOUT/],
    [[{ ...sink, allow: ['10.0.0.0/33'] }], /allow\[0\] .*a host, host:port/],
    [[{ ...sink, allow: ['http://host'] }], /allow\[0\] .*a host, host:port/],
    [[{ ...sink, allow: ['host:0'] }], /allow\[0\] .*a host, host:port/],
    [[{ ...sink, maxInFlight: 0 }], /maxInFlight \[0\]/],
    [[{ ...sink, timeoutMs: 1 }], /timeoutMs \[1\]/],
    [[{ ...sink, name: 'a.b' }], /name \["a\.b"\]/],
  ])('[I4] says what is wrong: %j', (endpoints, expected) => {
    const said = wrong(...(endpoints as readonly object[]));
    expect(said.join('\n')).toMatch(expected);
    expect(said.join('\n')).not.toContain('password@');
  });

  test('[I4] sound ones are accepted: hosts, ports, ranges, a command', () => {
    const allow = ['localhost', 'db.internal:8080', '10.0.0.0/8', 'fd00::/8', '::1', '[::1]:9000'];
    expect(
      wrong(
        { ...sink, allow },
        { name: 'try', command: ['cat'] },
        { ...sink, name: 'late', on: ['TIMEOUT', 'session.closed'] },
      ),
    ).toEqual([]);
  });

  test('[I4] an output in Avro, and a topic that deliveries have, are refused with both settings', () => {
    const avro = {
      ...withEndpoints(sink),
      schemaRegistryUrl: 'http://127.0.0.1:8081',
      pipelines: [{ ...visits, output: { topic: 'visits', format: 'avro' } }],
    };
    expect(problems(avro, ENVIRONMENT).join()).toMatch(
      /pipelines\[0\]\.output\.format .*"json" where an endpoint of the notifier is for the pipeline \(crm\)/,
    );
    const same = { ...withEndpoints(sink), pipelines: [{ ...visits, output: { topic: 'visits.undeliverable' } }] };
    expect(problems(same, ENVIRONMENT).join()).toMatch(
      /notifier\.endpoints \(deliveries of visits\) .*a topic of its own; pipelines\[0\]\.output\.topic is the same/,
    );
  });
});
