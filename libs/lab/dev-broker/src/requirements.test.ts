import { describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationOf, lookForJava, missingText } from './requirements.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import { type Workspace } from './workspace.ts';

/** A folder whose programs print these texts. */
function folderWith(programs: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const java = (version: string): string => `echo 'openjdk version "${version}"' >&2`;
const maven = (version: string): string => `echo 'Apache Maven ${version} (NON_CANONICAL)'`;

/** `the jars`: with those of a broker, under the name that they have. */
function workspaceWith(artifacts: 'nothing' | 'the jars'): Workspace {
  const root = temporaryFolder();
  const pom = '<project/>';
  mkdirSync(join(root, 'infra', 'broker'), { recursive: true });
  writeFileSync(join(root, 'infra', 'broker', 'pom.xml'), pom);
  const workspace = { root, infra: join(root, 'infra'), state: root, artifacts: join(root, 'artifacts') };
  const hash = createHash('sha256').update(pom).digest('hex').slice(0, 12);
  if (artifacts === 'the jars') mkdirSync(join(workspace.artifacts, `broker-${hash}`), { recursive: true });
  return workspace;
}

const look = (workspace: Workspace, ...programs: readonly string[]) =>
  lookForJava({ PATH: [...programs, '/nowhere'].join(':') }, workspace, {});

describe('what a broker needs', () => {
  test('is Java 17 and Maven 3.8, while Kafka has still to be fetched', async () => {
    const workspace = workspaceWith('nothing');
    const both = folderWith({ java: java('21.0.1'), mvn: maven('3.9.9') });
    expect(await look(workspace, both)).toMatchObject({ runtime: { version: 21 }, maven: 'found, 3.9.9' });
    const old = folderWith({ java: java('17.0.1'), mvn: maven('3.6.3') });
    expect(await look(workspace, old)).toMatchObject({ runtime: undefined, maven: 'mvn is 3.6.3' });
    expect(await look(workspace, folderWith({ java: java('17.0.1') }))).toMatchObject({
      runtime: undefined,
      java: 'found, 17',
      maven: expect.stringContaining('not on the PATH'),
    });
  });

  test('is Java alone, once Kafka is here', async () => {
    const found = await look(workspaceWith('the jars'), folderWith({ java: java('17.0.1') }));
    expect(found).toMatchObject({ runtime: { version: 17 } });
  });

  test('is missed by name, with what was found instead', async () => {
    const workspace = workspaceWith('nothing');
    const old = await look(workspace, folderWith({ java: java('11.0.2'), mvn: maven('3.9.9') }));
    expect(old).toMatchObject({ runtime: undefined, java: expect.stringContaining('java is Java 11') });
    const none = await look(workspace);
    expect(none).toMatchObject({ runtime: undefined, java: 'none in JAVA_HOME or on the PATH' });
    const text = missingText(none, 'no engine answers', 'apk add java');
    for (const part of [
      'Java 17',
      'none in JAVA_HOME',
      'Maven 3.8',
      'no engine answers',
      'apk add java',
      'KAFKA_BROKERS=',
    ])
      expect(text).toContain(part);
  });
});

test.each([
  ['linux', 'ID=ubuntu\nID_LIKE=debian\n', 'sudo apt-get install'],
  ['linux', 'NAME="Debian"\nID=debian\n', 'sudo apt-get install'],
  ['linux', 'ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'dnf install java-21'],
  ['linux', 'ID=alpine\n', 'apk add'],
  ['linux', 'ID=guix\n', 'https://adoptium.net'],
  ['linux', '', 'https://adoptium.net'],
  ['darwin', '', 'brew install'],
  ['win32', '', 'WSL'],
] as const)('on %s with %j Java and Maven come by %s', (platform, release, how) => {
  expect(installationOf(platform, release)).toContain(how);
});
