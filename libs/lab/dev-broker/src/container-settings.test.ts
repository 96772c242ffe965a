import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KAFKA_IMAGE, nodeEnvironment, REGISTRY_IMAGE, variableOf } from './container-settings.ts';
import { workspaceOf } from './workspace.ts';

const { infra } = workspaceOf(import.meta.url);

function versionIn(pom: string, artifact: string): string | undefined {
  const text = readFileSync(join(infra, pom, 'pom.xml'), 'utf8');
  return new RegExp(`<artifactId>${artifact}</artifactId>\\s*<version>([^<]+)</version>`).exec(text)?.[1];
}

describe('containers', () => {
  test('run the versions that the poms name', () => {
    expect(KAFKA_IMAGE).toBe(`apache/kafka:${versionIn('broker', 'kafka_2.13') ?? ''}`);
    expect(REGISTRY_IMAGE).toBe(`apicurio/apicurio-registry:${versionIn('registry', 'apicurio-registry-app') ?? ''}`);
  });

  test.each([
    ['log.retention.ms', 'KAFKA_LOG_RETENTION_MS'],
    ['a_b.c-d', 'KAFKA_A__B_C___D'],
  ])('are told %s as %s', (property, variable) => {
    expect(variableOf(property)).toBe(variable);
  });

  test('tell clients the port of the host, and each other their names', () => {
    const nodes = [1, 2, 3].map((id) => ({ id, port: 40_000 + id }));
    const cluster = { nodes, id: 'AAAAAAAAAAAAAAAAAAAAAA', host: '127.0.0.1', heapMb: 512 };
    const environment = nodeEnvironment(nodes[1]!, cluster, { 'log.retention.ms': 1000 });
    expect(environment).toMatchObject({
      KAFKA_NODE_ID: '2',
      KAFKA_ADVERTISED_LISTENERS: 'CLIENT://127.0.0.1:40002,BROKER://node-2:19092',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@node-1:9093,2@node-2:9093,3@node-3:9093',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '3',
      KAFKA_LOG_RETENTION_MS: '1000',
      KAFKA_HEAP_OPTS: '-Xmx512m',
      CLUSTER_ID: 'AAAAAAAAAAAAAAAAAAAAAA',
    });
  });
});
