// The software that this machine needs to start a broker, and how to get it.
import { messageOf } from '@flatline/base';
import { readFile } from 'node:fs/promises';
import { cachedArtifacts, infraProject } from './artifacts.ts';
import {
  findJava,
  findMaven,
  isMavenNewEnough,
  JAVA_VERSION_MIN,
  type JavaRuntime,
  MAVEN_VERSION_MIN,
} from './java-runtime.ts';
import { type Workspace } from './workspace.ts';

export interface JavaLookedFor {
  /** undefined: a broker cannot be started with Java. */
  readonly runtime: JavaRuntime | undefined;
  /** The findings, in the words of the list. */
  readonly java: string;
  readonly maven: string;
}

/** Looks for Java, and for Maven if something must still be fetched. */
export async function lookForJava(
  environment: NodeJS.ProcessEnv,
  workspace: Workspace,
  { registry = false }: { readonly registry?: boolean | undefined },
): Promise<JavaLookedFor> {
  const needed = registry ? (['broker', 'registry'] as const) : (['broker'] as const);
  const isCached = needed.every((name) => cachedArtifacts(infraProject(name, workspace), workspace) !== undefined);
  const [java, maven] = await Promise.all([
    javaFound(environment),
    isCached ? { isUsable: true, said: 'not needed: Kafka is here' } : mavenFound(environment),
  ]);
  return { runtime: maven.isUsable ? java.runtime : undefined, java: java.said, maven: maven.said };
}

async function javaFound(environment: NodeJS.ProcessEnv): Promise<{ runtime?: JavaRuntime; said: string }> {
  try {
    const runtime = await findJava(environment);
    if (runtime === undefined) return { said: 'none in JAVA_HOME or on the PATH' };
    return { runtime, said: `found, ${runtime.version}` };
  } catch (error) {
    return { said: messageOf(error) };
  }
}

async function mavenFound(environment: NodeJS.ProcessEnv): Promise<{ isUsable: boolean; said: string }> {
  const version = await findMaven(environment);
  if (version === undefined) return { isUsable: false, said: 'mvn is not on the PATH, or does not run' };
  const isUsable = isMavenNewEnough(version);
  return { isUsable, said: isUsable ? `found, ${version}` : `mvn is ${version}` };
}

/** The message if nothing can run a broker. `java`: the findings; undefined if a container was asked for. */
export async function nothingToRun(
  java: JavaLookedFor | undefined,
  { secure }: { readonly secure?: boolean | undefined },
): Promise<string> {
  if (java === undefined) return 'no container engine answers: start Docker';
  const needsJava = secure === true;
  const docker = needsJava ? 'not looked for: --secure needs Java' : 'no engine answers';
  return missingText(java, docker, installationOf(process.platform, await osRelease()));
}

/** Pure. */
export function missingText({ java, maven }: Omit<JavaLookedFor, 'runtime'>, docker: string, install: string): string {
  const rows = [
    [`Java ${JAVA_VERSION_MIN} or newer`, java],
    [`Maven ${MAVEN_VERSION_MIN} or newer`, maven],
    ['Docker', docker],
  ];
  const width = Math.max(...rows.map(([name]) => name!.length)) + 2;
  return `no Kafka broker can be started on this machine. What was looked for:
${rows.map(([name, found]) => `  ${name!.padEnd(width)}${found!}`).join('\n')}
One of these will do:
  Java and Maven: ${install}
  Docker, or what speaks its API: https://docs.docker.com/engine/install, then start it
  a Kafka 3.6 or newer that runs already: set KAFKA_BROKERS=host:port`;
}

/** By ID or ID_LIKE of os-release. */
const PACKAGES: Readonly<Record<string, string>> = {
  debian: 'sudo apt-get install default-jre-headless maven (Debian 12, Ubuntu 24.04 or newer)',
  fedora: 'sudo dnf install java-latest-openjdk-headless maven',
  rhel: 'sudo dnf install java-21-openjdk-headless maven',
  alpine: 'apk add openjdk21-jre-headless maven',
  arch: 'sudo pacman -S jre-openjdk-headless maven',
  suse: 'sudo zypper install java-21-openjdk-headless maven',
};
const DOWNLOADS = 'https://adoptium.net and https://maven.apache.org/install.html';

/** How to install Java and Maven on a machine. Pure. @param release /etc/os-release, which Linux has */
export function installationOf(platform: NodeJS.Platform, release: string): string {
  if (platform === 'darwin') return 'brew install --cask temurin && brew install maven';
  if (platform === 'win32') return `in WSL, as on Linux; ${DOWNLOADS}`;
  const kinds = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, ids]) => ids!.split(' '));
  return PACKAGES[kinds.find((id) => id in PACKAGES) ?? ''] ?? DOWNLOADS;
}

function osRelease(): Promise<string> {
  return readFile('/etc/os-release', 'utf8').catch(() => '');
}
