import { describe, expect, test } from '@jest/globals';
import { type NodePlan, serverProperties } from './node-settings.ts';

const nodesOf = (count: number): NodePlan[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    port: 9092 + index,
    controllerPort: 19092 + index,
    folder: `/data/node-${index + 1}`,
  }));

/** A properties file as an object; a repeated key is a defect. */
function parse(text: string): Record<string, string> {
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
  expect(new Set(entries.map(([key]) => key)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

describe('the settings of a node', () => {
  test('listen on this machine only', () => {
    const settings = parse(serverProperties(nodesOf(1)[0]!, nodesOf(1)));
    expect(settings['listeners']).toBe('PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:19092');
    expect(settings['advertised.listeners']).toBe('PLAINTEXT://127.0.0.1:9092');
  });

  test('name secured listeners beside the plain one, which the nodes speak by', () => {
    const node = { ...nodesOf(1)[0]!, secured: { tls: 1, mutualTls: 2, sasl: 3 } };
    const settings = parse(serverProperties(node, [node]));
    const secured = 'TLS://127.0.0.1:1,MTLS://127.0.0.1:2,SASL://127.0.0.1:3';
    expect(settings['listeners']).toBe(`PLAINTEXT://127.0.0.1:9092,${secured},CONTROLLER://127.0.0.1:19092`);
    expect(settings['advertised.listeners']).toBe(`PLAINTEXT://127.0.0.1:9092,${secured}`);
    expect(settings['listener.security.protocol.map']).toContain('PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL');
  });

  test('alone keep one copy of everything', () => {
    const settings = parse(serverProperties(nodesOf(1)[0]!, nodesOf(1)));
    const copies = Object.entries(settings).filter(([key]) => /replication\.factor$|min\.isr$|insync/.test(key));
    expect(copies.length).toBeGreaterThan(4);
    expect(new Set(copies.map(([, value]) => value))).toEqual(new Set(['1']));
  });

  test('of three keep three copies, two of them in sync, and know all voters', () => {
    const settings = parse(serverProperties(nodesOf(3)[1]!, nodesOf(3)));
    expect(settings['node.id']).toBe('2');
    expect(settings['controller.quorum.voters']).toBe('1@127.0.0.1:19092,2@127.0.0.1:19093,3@127.0.0.1:19094');
    expect(settings['offsets.topic.replication.factor']).toBe('3');
    expect(settings['transaction.state.log.min.isr']).toBe('2');
    expect(settings['min.insync.replicas']).toBe('2');
  });

  test('give way to what the caller wants', () => {
    const wanted = { 'auto.create.topics.enable': true, 'broker.rack': 'east' };
    const settings = parse(serverProperties(nodesOf(1)[0]!, nodesOf(1), wanted));
    expect(settings['auto.create.topics.enable']).toBe('true');
    expect(settings['broker.rack']).toBe('east');
  });

  test('escape what Java would take for an escape', () => {
    const [node] = nodesOf(1);
    const settings = parse(serverProperties({ ...node!, folder: 'C:\\data' }, [node!]));
    expect(settings['log.dirs']).toBe('C:\\\\data/data');
  });
});
