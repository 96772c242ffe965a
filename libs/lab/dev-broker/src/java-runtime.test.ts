import { describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findJava, parseJavaVersion } from './java-runtime.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** A JAVA_HOME whose java reports this version. */
function homeOf(version: string): string {
  const home = temporaryFolder();
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin', 'java'), `#!/bin/sh\necho 'openjdk version "${version}"' >&2\n`);
  chmodSync(join(home, 'bin', 'java'), 0o755);
  return home;
}

describe('the version of Java', () => {
  test.each([
    ['openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)', 17],
    ['java version "1.8.0_392"', 8],
    ['openjdk version "21" 2023-09-19', 21],
    ['openjdk version "25-ea" 2025-09-16', 25],
    ['The operation couldn’t be completed. Unable to locate a Java Runtime.', undefined],
  ])('in %j is %p', (banner, version) => {
    expect(parseJavaVersion(banner)).toBe(version);
  });
});

describe('looking for Java', () => {
  test('takes JAVA_HOME before PATH', async () => {
    const home = homeOf('21.0.1');
    const found = await findJava({ JAVA_HOME: home, PATH: join(homeOf('17.0.1'), 'bin') });
    expect(found).toMatchObject({ command: join(home, 'bin', 'java'), version: 21 });
  });

  test('takes PATH when JAVA_HOME is too old or empty', async () => {
    const path = join(homeOf('17.0.1'), 'bin');
    for (const home of [homeOf('11.0.2'), '', '/nowhere'])
      expect(await findJava({ JAVA_HOME: home, PATH: path })).toMatchObject({ command: 'java', version: 17 });
  });

  test('finds none where there is none', async () => {
    expect(await findJava({ PATH: '/nowhere' })).toBeUndefined();
  });

  test('says which one is too old, and what to do', async () => {
    await expect(findJava({ PATH: join(homeOf('11.0.2'), 'bin') })).rejects.toThrow(
      /java is Java 11.* needs 17.*JAVA_HOME/,
    );
  });

  test('tells builds apart, so that a class archive is used by the Java that wrote it', async () => {
    const prints = await Promise.all(
      ['17.0.1', '17.0.2', '17.0.2'].map(
        async (version) => (await findJava({ JAVA_HOME: homeOf(version) }))?.fingerprint,
      ),
    );
    expect(prints[0]).not.toBe(prints[1]);
    expect(prints[1]).toBe(prints[2]);
  });
});
