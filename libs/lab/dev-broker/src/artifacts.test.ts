import { describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { noteUser } from './artifact-users.ts';
import { cachedArtifacts, infraProject, type MavenProject, resolveArtifacts } from './artifacts.ts';
import { type Workspace } from './workspace.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

function newWorkspace(): Workspace {
  const root = temporaryFolder();
  mkdirSync(join(root, 'infra', 'broker'), { recursive: true });
  writeFileSync(join(root, 'infra', 'broker', 'pom.xml'), '<project/>');
  const state = join(root, '.flatline');
  return { root, infra: join(root, 'infra'), state, artifacts: join(state, 'artifacts') };
}

/** A PATH whose mvn runs this script; it finds the folder to fill in $folder and the earlier calls in $runs. */
function pathWithMaven(workspace: Workspace, script: string): string {
  const bin = join(workspace.root, 'bin');
  mkdirSync(bin);
  const head = `#!/bin/sh\nfor each; do folder="\${each#-DoutputDirectory=}"; done\necho run >> "${workspace.root}/runs"\n`;
  writeFileSync(join(bin, 'mvn'), head + script);
  chmodSync(join(bin, 'mvn'), 0o755);
  return `${bin}:/usr/bin:/bin`;
}

const broker = (workspace: Workspace): MavenProject => infraProject('broker', workspace);

const userOf = (folder: string): string => join(dirname(folder), 'users', `${basename(folder)}.${process.pid}`);

const runsOf = ({ root }: Workspace): number => readFileSync(join(root, 'runs'), 'utf8').trim().split('\n').length;

describe('artifacts', () => {
  test('are fetched once, also when two want them at once, and then need no Maven', async () => {
    const workspace = newWorkspace();
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const request = { workspace, environment: { PATH: pathWithMaven(workspace, 'touch "$folder/kafka.jar"\n') }, log };
    const [first, second] = await Promise.all([
      resolveArtifacts(broker(request.workspace), request),
      resolveArtifacts(broker(request.workspace), request),
    ]);
    expect(first).toBe(second);
    expect(readdirSync(first)).toEqual(['kafka.jar']);
    expect(runsOf(workspace)).toBe(1);
    expect(await resolveArtifacts(broker(workspace), { workspace, environment: { PATH: '/nowhere' }, log })).toBe(
      first,
    );
    expect(lines.some((line) => line.includes('infra/broker/pom.xml'))).toBe(true);
  });

  test("of earlier poms go where a number to keep is given, the oldest first, and no other project's", async () => {
    const workspace = { ...newWorkspace(), artifactsKeptMax: 2 };
    const environment = { PATH: pathWithMaven(workspace, 'touch "$folder/kafka.jar"\n') };
    const other = join(workspace.artifacts, 'broker-tools-0123456789ab');
    mkdirSync(other, { recursive: true });
    const made: string[] = [];
    for (const [age, version] of ['1', '2', '3'].entries()) {
      writeFileSync(join(workspace.infra, 'broker', 'pom.xml'), `<project>${version}</project>`);
      made.push(await resolveArtifacts(broker(workspace), { workspace, environment, log: () => undefined }));
      if (age < 2) utimesSync(made[age]!, age, age);
    }
    expect(made.map((folder) => existsSync(folder))).toEqual([false, true, true]);
    expect(existsSync(other)).toBe(true);
  });

  test('that a process runs stay, however old', async () => {
    const workspace = { ...newWorkspace(), artifactsKeptMax: 1 };
    const environment = { PATH: pathWithMaven(workspace, 'touch "$folder/kafka.jar"\n') };
    const made: string[] = [];
    for (const [age, version] of ['1', '2', '3'].entries()) {
      writeFileSync(join(workspace.infra, 'broker', 'pom.xml'), `<project>${version}</project>`);
      made.push(await resolveArtifacts(broker(workspace), { workspace, environment, log: () => undefined }));
      noteUser(made[age]!, process.pid);
      if (age < 2) utimesSync(made[age]!, age, age);
      // Another process has that id now.
      if (age === 1) writeFileSync(userOf(made[1]!), JSON.stringify({ pid: process.pid, startedAt: 'before' }));
    }
    expect(made.map((folder) => existsSync(folder))).toEqual([true, false, true]);
    expect(made.map((folder) => existsSync(userOf(folder)))).toEqual([true, false, true]);
  });

  test('of a changed pom are others', async () => {
    const workspace = newWorkspace();
    const request = {
      workspace,
      environment: { PATH: pathWithMaven(workspace, 'touch "$folder/kafka.jar"\n') },
      log: () => undefined,
    };
    const before = await resolveArtifacts(broker(request.workspace), request);
    writeFileSync(join(workspace.infra, 'broker', 'pom.xml'), '<project>4.1.2</project>');
    expect(await resolveArtifacts(broker(request.workspace), request)).not.toBe(before);
    expect(existsSync(before)).toBe(true);
  });

  test('of changed sources are others, and cached only once they are made', async () => {
    const workspace = newWorkspace();
    const project = { ...broker(workspace), goals: ['compile'] };
    mkdirSync(join(project.folder, 'src'));
    const request = {
      workspace,
      environment: { PATH: pathWithMaven(workspace, 'touch "$folder/Main.class"\n') },
      log: () => undefined,
    };
    expect(cachedArtifacts(project, workspace)).toBeUndefined();
    const before = await resolveArtifacts(project, request);
    expect(cachedArtifacts(project, workspace)).toBe(before);
    writeFileSync(join(project.folder, 'src', 'Main.java'), 'class Main {}');
    expect(cachedArtifacts(project, workspace)).toBeUndefined();
    expect(await resolveArtifacts(project, request)).not.toBe(before);
  });

  test('that could not be fetched leave nothing that looks complete', async () => {
    const workspace = newWorkspace();
    const failing = 'touch "$folder/half.jar"\necho "[ERROR] no route to the mirror"\nexit 1\n';
    const request = { workspace, environment: { PATH: pathWithMaven(workspace, failing) }, log: () => undefined };
    await expect(resolveArtifacts(broker(request.workspace), request)).rejects.toThrow(
      /settings\.xml[^]*no route to the mirror/,
    );
    expect(readdirSync(join(workspace.state, 'artifacts'))).toEqual([]);
  });

  test('of a project that builds itself are built once, again when a source changes, and never by halves', async () => {
    const workspace = newWorkspace();
    const folder = join(workspace.root, 'peer');
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.js'), '1');
    const request = { workspace, environment: { PATH: '/nowhere' }, log: () => undefined };
    const built: string[] = [];
    const build = (into: string): Promise<void> => {
      writeFileSync(join(into, 'main.js'), readFileSync(join(folder, 'main.js')));
      built.push(into);
      return built.length === 2 ? Promise.reject(new Error('no network')) : Promise.resolve();
    };
    const project = { name: 'peer', folder, tool: 'npm', build };
    const first = await resolveArtifacts(project, request);
    expect(await resolveArtifacts(project, request)).toBe(first);
    expect(cachedArtifacts(project, workspace)).toBe(first);
    writeFileSync(join(folder, 'main.js'), '2');
    await expect(resolveArtifacts(project, request)).rejects.toThrow('no network');
    expect(cachedArtifacts(project, workspace)).toBeUndefined();
    const third = await resolveArtifacts(project, request);
    expect(readFileSync(join(third, 'main.js'), 'utf8')).toBe('2');
    expect(built).toHaveLength(3);
  });

  test('without Maven and without a cache say what to install', async () => {
    const request = { workspace: newWorkspace(), environment: { PATH: '/nowhere' }, log: () => undefined };
    await expect(resolveArtifacts(broker(request.workspace), request)).rejects.toThrow(
      /install Maven.*Docker.*KAFKA_BROKERS/,
    );
  });
});
