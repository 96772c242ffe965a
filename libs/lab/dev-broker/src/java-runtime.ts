import { Fatal } from '@flatline/base';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Kafka 4 and the registry are compiled for Java 17. */
export const JAVA_VERSION_MIN = 17;

export interface JavaRuntime {
  readonly command: string;
  readonly version: number;
  /** Differs between builds of Java: a class archive of one is useless to another. */
  readonly fingerprint: string;
}

/** `17` of `openjdk version "17.0.15" 2025-04-15`, `8` of `java version "1.8.0_392"`; undefined if the banner is not Java's. */
export function parseJavaVersion(banner: string): number | undefined {
  const match = /version "(?:1\.)?(\d+)/.exec(banner);
  return match === null ? undefined : Number(match[1]);
}

/** `JAVA_HOME` first, then PATH. Undefined if there is none; throws `Fatal` if it is too old. */
export async function findJava(environment: NodeJS.ProcessEnv): Promise<JavaRuntime | undefined> {
  const home = environment['JAVA_HOME'];
  const candidates = home === undefined || home === '' ? ['java'] : [join(home, 'bin', 'java'), 'java'];
  let tooOld: string | undefined;
  for (const command of candidates) {
    const banner = await bannerOf(command, environment);
    const version = banner === undefined ? undefined : parseJavaVersion(banner);
    if (banner === undefined || version === undefined) continue;
    if (version >= JAVA_VERSION_MIN)
      return { command, version, fingerprint: createHash('sha256').update(banner).digest('hex').slice(0, 12) };
    tooOld ??= `${command} is Java ${version}`;
  }
  if (tooOld === undefined) return undefined;
  throw new Fatal(`${tooOld}, Kafka 4 needs ${JAVA_VERSION_MIN}: install a newer one or point JAVA_HOME at it`);
}

export const MAVEN_VERSION_MIN = '3.8';

/** `3.8.7` from the output of `mvn -v`, whose first line may be coloured; undefined if there is none. */
export async function findMaven(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('mvn', ['-v'], { env, timeout: 20_000 });
    return /Apache Maven (\d+\.\d+[\w.-]*)/.exec(stdout)?.[1];
  } catch {
    return undefined; // not there, or without a Java that it can use
  }
}

export function isMavenNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= 8);
}

async function bannerOf(command: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stderr } = await promisify(execFile)(command, ['-version'], { env, timeout: 20_000 });
    return stderr;
  } catch {
    return undefined; // not there, or not Java: the next candidate
  }
}
