import { describe, expect, test } from '@jest/globals';
import { Fatal } from '@flatline/base';
import { tmpdir } from 'node:os';
import { findProgram, runTool, versionSaid } from './programs.ts';
import { lookUp, type PeerNeeds } from './peer.ts';
import { type PeerName } from './peer-names.ts';

const needs = (lack: string | undefined): PeerNeeds<string> => ({
  lacks: () => Promise.resolve(lack),
  // Its folder is named after its contents: never built, as it cannot be.
  project: () => ({
    name: 'peer-none',
    folder: import.meta.dirname,
    tool: 'nothing',
    build: () => Promise.reject(new Fatal('no network')),
  }),
  open: (folder) => Promise.resolve(folder),
});

const lookedUp = async (peers: readonly PeerName[] | undefined, lack?: string): Promise<[unknown, string[]]> => {
  const said: string[] = [];
  const found = await lookUp('redis', { peers, onProgress: (what) => said.push(what) }, needs(lack));
  return [found, said];
};

describe('a peer', () => {
  test('is left out where it was not asked for, or is not built, without a word before the report', async () => {
    expect(await lookedUp(['bullmq'])).toEqual([{ kind: 'missing', why: 'not among --peers' }, []]);
    const why = 'not built yet; `--peers redis` does that';
    expect(await lookedUp(undefined)).toEqual([{ kind: 'missing', why }, []]);
  });

  test('that was asked for and cannot be had says at once why, and leaves the others to be measured', async () => {
    const [found, said] = await lookedUp(['redis'], 'no redis-server');
    expect(found).toEqual({ kind: 'missing', why: 'no redis-server' });
    expect(said).toEqual(['redis does not take part: no redis-server']);
    const [unbuilt] = await lookedUp(['redis']);
    expect(unbuilt).toEqual({ kind: 'missing', why: 'no network' });
  });
});

describe('a program of this machine', () => {
  test('is found on the PATH and in the folders it is told of', () => {
    expect(findProgram('no-such-program', [tmpdir()])).toBeUndefined();
    expect(findProgram('sh')).toMatch(/sh$/);
  });

  test('says its version, and what is to be done where it fails', async () => {
    expect(await versionSaid(process.execPath, ['--version'], /v(\d+)\./)).toBe('24');
    const fails = runTool(process.execPath, ['-e', 'throw new Error("out of luck")'], { remedy: 'try again' });
    await expect(fails).rejects.toThrow(/failed: try again\n[^]*out of luck/);
  });
});
