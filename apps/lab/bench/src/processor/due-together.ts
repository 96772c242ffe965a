// Entries due together in a separate processor: waits until all of them are pending there, and until a reader has them all, and
// measures the cost for everyone involved.
import type { DurationMs, Millis } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { type BrokerCpu, type BrokerSeen, spentBetween } from '../broker-cpu.ts';
import { processCpuMs } from '../process-stat.ts';
import type { Instance } from './instance.ts';

/** Measurement of the expiries begins this long before the first. */
const LEAD_MS: DurationMs = 1_000;
const LOOK_MS: DurationMs = 5;

export interface PartsCost extends BrokerSeen {
  readonly elapsedMs: DurationMs;
  readonly processorCpuMs: DurationMs;
  /** CPU time of this process, which produces and reads. */
  readonly ownCpuMs: DurationMs;
}

/** Begins a span; the returned function ends it. @throws Error if the system does not tell the CPU time of others */
export function beginParts(brokerCpu: BrokerCpu, instance?: Instance): () => PartsCost {
  const now = () => {
    const [broker, processorCpuMs] = [brokerCpu.now(), instance === undefined ? 0 : processCpuMs(instance.pid)];
    if (broker === undefined || processorCpuMs === undefined)
      throw new Error(
        'the CPU time of broker and processor is not told: run it on Linux, with a broker that it starts',
      );
    const { user, system } = process.cpuUsage();
    const ownCpuMs = (user + system) / 1_000;
    return { elapsedMs: performance.now(), processorCpuMs, broker, ownCpuMs };
  };
  const before = now();
  return () => {
    const { elapsedMs, processorCpuMs, broker, ownCpuMs } = now();
    return {
      elapsedMs: elapsedMs - before.elapsedMs,
      processorCpuMs: processorCpuMs - before.processorCpuMs,
      ...spentBetween(before.broker, broker),
      ownCpuMs: ownCpuMs - before.ownCpuMs,
    };
  };
}

/** Waits until that many are live there, and everything applied is committed. */
export async function held(instance: Instance, entries: number): Promise<void> {
  await instance.until(
    (assigned) =>
      assigned.reduce((sum, { liveEntries }) => sum + liveEntries, 0) >= entries &&
      assigned.every(({ position, committedPosition }) => position === committedPosition),
  );
}

/** Waits until shortly before the first is due. @throws Error if that has passed */
export async function untilLead(dueFrom: Millis): Promise<void> {
  const left = dueFrom - LEAD_MS - systemClock.wallMs();
  if (left < 0) throw new Error('they were due before all of them were there');
  await delay(left);
}

/** Waits until the reader has them all, at most until then by the wall clock. @throws the error that ends the reader or the processor */
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
