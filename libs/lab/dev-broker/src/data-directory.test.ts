import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Misconfigured } from '@flatline/base';
import { makeDataDir, nodeCountFor, writeNodes } from './data-directory.ts';
import { type NodePlan } from './node-settings.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

function directoryWith(nodeCount: number): string {
  const dataDir = temporaryFolder();
  for (let id = 1; id <= nodeCount; id += 1) mkdirSync(join(dataDir, `node-${id}`));
  return dataDir;
}

const planIn = (dataDir: string, count: number): NodePlan[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    port: 9092 + index,
    controllerPort: 19092 + index,
    folder: join(dataDir, `node-${index + 1}`),
  }));

const identityOf = ({ folder }: NodePlan): string => readFileSync(join(folder, 'data', 'meta.properties'), 'utf8');

describe('a data directory that cannot be made', () => {
  test.each(['below procfs', 'below a file', 'a file'])('%s is named, with the flag', (where) => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const dataDir = { 'below procfs': '/proc/flatline-test/broker', 'below a file': join(file, 'x'), 'a file': file }[
      where
    ]!;
    const make = (): void => {
      makeDataDir(dataDir);
    };
    expect(make).toThrow(Misconfigured);
    expect(make).toThrow(new RegExp(`${dataDir}.*--data`));
  });
});

describe('the size of a cluster', () => {
  test.each([
    [0, undefined, 1],
    [0, 3, 3],
    [3, undefined, 3],
    [3, 3, 3],
    [1, 1, 1],
  ] as const)('with %p node(s) there and %p wanted is %p', (found, wanted, size) => {
    expect(nodeCountFor(directoryWith(found), wanted)).toBe(size);
  });

  test.each([
    [1, 3],
    [3, 1],
    [2, undefined],
  ] as const)('with %p node(s) there and %p wanted is refused, naming the directory', (found, wanted) => {
    const dataDir = directoryWith(found);
    expect(() => nodeCountFor(dataDir, wanted)).toThrow(dataDir);
  });
});

describe('writing nodes', () => {
  const records = join(directoryWith(0), 'bootstrap.checkpoint');
  writeFileSync(records, 'feature levels');

  test('formats them as one cluster', () => {
    const nodes = planIn(directoryWith(0), 3);
    writeNodes(nodes, records);
    const ids = nodes.map((node) => /^cluster\.id=(.+)$/m.exec(identityOf(node))?.[1]);
    expect(new Set(ids).size).toBe(1);
    expect(Buffer.from(ids[0] ?? '', 'base64url').length).toBe(16);
    expect(nodes.map((node) => /^node\.id=(.+)$/m.exec(identityOf(node))?.[1])).toEqual(['1', '2', '3']);
    expect(existsSync(join(nodes[2]!.folder, 'data', 'bootstrap.checkpoint'))).toBe(true);
  });

  test('again changes their settings and not their identity', () => {
    const nodes = planIn(directoryWith(0), 1);
    writeNodes(nodes, records);
    const identity = identityOf(nodes[0]!);
    writeNodes([{ ...nodes[0]!, port: 29092 }], records);
    expect(identityOf(nodes[0]!)).toBe(identity);
    expect(readFileSync(join(nodes[0]!.folder, 'server.properties'), 'utf8')).toContain('127.0.0.1:29092');
  });
});
