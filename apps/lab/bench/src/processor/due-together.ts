// Entries that are due together in a processor of its own: until all of them wait there, until a reader has them all, and what that
// costs everyone who has a part in it.
import type { DurationMs, Millis } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrokerCpu } from '../bench-cluster.ts';
import { processCpuMs } from '../process-stat.ts';
import type { Instance } from './instance.ts';

/** Cost of what is due is measured from so long before the first. */
const LEAD_MS: DurationMs = 1_000;
const LOOK_MS: DurationMs = 5;

export interface PartsCost {
  readonly elapsedMs: DurationMs;
  readonly processorCpuMs: DurationMs;
  readonly brokerCpuMs: DurationMs;
  /** This process, which produces and reads. */
  readonly ownCpuMs: DurationMs;
}

/** Until the function that it returns is called. @throws Error where the system does not tell what others take */
export function beginParts(brokerCpu: BrokerCpu, instance?: Instance): () => PartsCost {
  const now = (): PartsCost => {
    const [broker, processor] = [brokerCpu.nowMs(), instance === undefined ? 0 : processCpuMs(instance.pid)];
    if (broker === undefined || processor === undefined)
      throw new Error(
        'the CPU time of broker and processor is not told: run it on Linux, with a broker that it starts',
      );
    const { user, system } = process.cpuUsage();
    const ownCpuMs = (user + system) / 1_000;
    return { elapsedMs: performance.now(), processorCpuMs: processor, brokerCpuMs: broker, ownCpuMs };
  };
  const before = now();
  return () => {
    const { elapsedMs, processorCpuMs, brokerCpuMs, ownCpuMs } = now();
    return {
      elapsedMs: elapsedMs - before.elapsedMs,
      processorCpuMs: processorCpuMs - before.processorCpuMs,
      brokerCpuMs: brokerCpuMs - before.brokerCpuMs,
      ownCpuMs: ownCpuMs - before.ownCpuMs,
    };
  };
}

/** So many live there, and all that is applied is committed. */
export async function held(instance: Instance, entries: number): Promise<void> {
  await instance.until(
    (assigned) =>
      assigned.reduce((sum, { liveEntries }) => sum + liveEntries, 0) >= entries &&
      assigned.every(({ position, committedPosition }) => position === committedPosition),
  );
}

/** Until shortly before the first is due. @throws Error where that is over */
export async function untilLead(dueFrom: Millis): Promise<void> {
  const left = dueFrom - LEAD_MS - systemClock.wallMs();
  if (left < 0) throw new Error('they were due before all of them were there');
  await delay(left);
}

/** Until the reader has them all, or until then by the wall clock. @throws what ends the reader or the processor before that */
export async function untilRead(
  reader: { readonly failure: Error | undefined },
  hasAll: () => boolean,
  { instance, until }: { readonly instance: Instance; readonly until: Millis },
): Promise<void> {
  while (!hasAll() && systemClock.wallMs() < until) {
    if (reader.failure !== undefined) throw reader.failure;
    await Promise.race([delay(LOOK_MS), instance.ended]);
  }
}
