import { Fatal } from '@flatline/base';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { planJava } from './java-process.ts';
import { type JavaRuntime } from './java-runtime.ts';
import { LOOPBACK } from './ports.ts';
import { type ProcessPlan } from './supervisor-plan.ts';

const HEAP_MB = 512;
const ANSWER_WITHIN_MS = 2000;

export interface RegistryPlace {
  readonly artifacts: string;
  readonly dataDir: string;
  readonly port: number;
  /** Keeps schemas in the data directory; else in memory. Ids in kept records need kept schemas. */
  readonly durable: boolean;
}

/** Base URL of the Confluent API of a registry on this machine. */
export function registryUrlOf(port: number): string {
  return `http://${LOOPBACK}:${port}/apis/ccompat/v7`;
}

export function planRegistry(java: JavaRuntime, place: RegistryPlace): ProcessPlan {
  const runner = readdirSync(place.artifacts).find((name) => name.endsWith('-runner.jar'));
  if (runner === undefined)
    throw new Fatal(`no runner jar in ${place.artifacts}: move that folder away to have it fetched again`);
  const folder = join(place.dataDir, 'registry');
  mkdirSync(folder, { recursive: true });
  const storage = place.durable ? [`-Dapicurio.datasource.url=jdbc:h2:file:${join(folder, 'schemas')}`] : [];
  return planJava(java, {
    name: 'registry',
    folder,
    heapMb: HEAP_MB,
    // It answers only a few requests.
    shortLived: true,
    archive: { folder: place.artifacts, of: 'registry', mayWrite: true },
    args: [
      `-Dquarkus.http.host=${LOOPBACK}`,
      `-Dquarkus.http.port=${place.port}`,
      '-Dquarkus.log.level=WARN',
      '-Dquarkus.http.access-log.enabled=false',
      ...storage,
      '-jar',
      join(place.artifacts, runner),
    ],
  });
}

/** True once the Confluent API at this base URL answers. */
export async function registryAnswers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false; // not listening yet
  }
}
