// Checks of probes (Q5): a probe is a record in the input, and a commit.
import type { DurationMs } from '@flatline/base';
import type { PipelineSection } from '@flatline/kind-modules';
import { type CrossFinding, finding } from './cross-finding.ts';
import type { Configuration } from './schema.ts';

/** More often, probes are most of what a quiet cluster does. */
const LEAST_MS: DurationMs = 100;

export function probeChecks({ probeIntervalMs, pipelines }: Configuration): CrossFinding[] {
  if (probeIntervalMs === 0) return [];
  if (probeIntervalMs < LEAST_MS)
    return [finding('probeIntervalMs', probeIntervalMs, `0, which is off, or at least ${LEAST_MS}`)];
  return pipelines.flatMap((pipeline, i) => [
    ...writtenChecks(pipeline, `pipelines[${i}]`, probeIntervalMs),
    ...stampChecks(pipeline, `pipelines[${i}]`, probeIntervalMs),
  ]);
}

function writtenChecks({ proof }: PipelineSection, at: string, probeIntervalMs: DurationMs): CrossFinding[] {
  if (proof !== 'fetch') return [];
  const problem = `"record" where there is probeIntervalMs (${probeIntervalMs}): a probe is a record in the input`;
  return [finding(`${at}.proof`, proof, problem, ['probeIntervalMs'])];
}

/** A probe's own stamp would be invented, and would say that the stream is live (C2). */
function stampChecks({ input }: PipelineSection, at: string, probeIntervalMs: DurationMs): CrossFinding[] {
  const stamped = [input].flat().find(({ timestampType }) => timestampType === 'CreateTime');
  if (stamped === undefined) return [];
  const problem = `"LogAppendTime" where there is probeIntervalMs (${probeIntervalMs}): the broker has to stamp a probe`;
  return [finding(`${at}.input.timestampType`, 'CreateTime', problem, ['probeIntervalMs'])];
}
