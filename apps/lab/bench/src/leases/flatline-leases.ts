// Leases of a processor: touches ready in the topic, and leases that end within a second while it runs.
import { type DurationMs, type Millis, seededRandom } from '@flatline/base';
import { KafkaLogScan, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../tasks/application.ts';
import type { Ground } from '../frame/frame.ts';
import { sessionKey } from '../session-key.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { beginParts, held, untilLead, untilRead } from '../processor/due-together.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { CloseCount, stormKey } from '../storm/close-count.ts';
import { NO_VALUE, writeRecords } from '../writing.ts';
import type { LeasesExpiry, LeasesTurn } from './leases-page.ts';

/** Sessions: live leases. Events: touches of them. */
export type LeasesGround = Ground<{ readonly sessions: number; readonly events: number; readonly partitions: number }>;

/** Maximum times for a start, and for each of the leases that end together, to be granted: several times what is needed. */
interface ExpiryPlan {
  readonly leases: number;
  readonly startMs: DurationMs;
  readonly drainMaxMs: DurationMs;
}

export interface FlatlineLeases {
  readonly name: string;
  readonly isJson: boolean;
  /** Undefined: expiries are not measured. */
  readonly expiry: ExpiryPlan | undefined;
}

/** Share of the touches that is not measured: code is compiled meanwhile. */
export const WARM_UP_SHARE = 0.2;
const START = Buffer.from('{"type":"STARTED"}');
const DUE_WITHIN_MS: DurationMs = 1_000;
const LOOK_MS: DurationMs = 20;

export async function measureFlatlineLeases(
  ground: LeasesGround,
  application: Application,
  { name, isJson, expiry }: FlatlineLeases,
): Promise<LeasesTurn> {
  const { connection, brokerCpu, sessions: leases, events: touches, partitions } = ground;
  const { topic } = application;
  await writeRecords(connection, { topic, records: () => starts(leases, partitions) });
  const sending = beginParts(brokerCpu);
  await writeRecords(connection, { topic, records: () => touchesOf(leases, touches, { partitions, isJson }) });
  const sent = sending();
  const instance = new Instance({ ...application, section: { kind: 'lease', timeoutMs: NEVER_MS } });
  try {
    const warmUp = leases + Math.ceil(WARM_UP_SHARE * touches);
    const [applied, { brokerCpuMs = 0, brokerCompilingMs }] = await brokerCpu.during(
      () => instance.applied(leases + touches, warmUp),
      ({ elapsedMs }) => ({ endedAt: systemClock.wallMs(), elapsedMs }),
    );
    // All were sent, but not all are measured.
    const share = applied.heartbeats / touches;
    return {
      contender: name,
      leases,
      touches: applied.heartbeats,
      serverCpuMs: applied.cpuMs,
      brokerCpuMs: brokerCpuMs + share * sent.brokerCpuMs,
      brokerCompilingMs:
        brokerCompilingMs === undefined || sent.brokerCompilingMs === undefined
          ? undefined
          : brokerCompilingMs + share * sent.brokerCompilingMs,
      clientCpuMs: share * sent.ownCpuMs,
      expiry: expiry && (await expire(ground, application, { ...expiry, instance })),
    };
  } finally {
    await instance.stop();
  }
}

/** Nothing else is in the topic yet, so that a start's token, its offset plus one, is known before it is granted (L3). */
function* starts(leases: number, partitions: number): Iterable<ProducedRecord> {
  for (let lease = 0; lease < leases; lease += 1)
    yield { partition: lease % partitions, key: sessionKey(lease, POPULATION_SEED), value: START };
}

function* touchesOf(
  leases: number,
  touches: number,
  { partitions, isJson }: { readonly partitions: number; readonly isJson: boolean },
): Iterable<ProducedRecord> {
  const random = seededRandom(POPULATION_SEED);
  for (let touch = 0; touch < touches; touch += 1) {
    const lease = random.below(leases);
    const token = Math.floor(lease / partitions) + 1;
    const record = { partition: lease % partitions, key: sessionKey(lease, POPULATION_SEED) };
    if (isJson) yield { ...record, value: Buffer.from(`{"token":${token}}`) };
    else yield { ...record, value: NO_VALUE, headers: [{ name: 'flatline-token', value: Buffer.from(String(token)) }] };
  }
}

async function expire(
  ground: LeasesGround,
  { application, topic }: Application,
  { leases, startMs, drainMaxMs, instance }: ExpiryPlan & { readonly instance: Instance },
): Promise<LeasesExpiry> {
  const { kafka, connection, brokerCpu, partitions, sessions } = ground;
  const output = `${application}.output`;
  const from = systemClock.wallMs() + startMs;
  await writeRecords(connection, { topic, records: () => expiringStarts(leases, partitions, from) });
  await held(instance, sessions + leases);
  const count = new CloseCount(kafka, output, partitions, leases, await endsOf(ground, output));
  try {
    await untilLead(from);
    const ending = beginParts(brokerCpu, instance);
    await untilRead(count, () => count.closes === leases, { instance, until: from + drainMaxMs });
    const { processorCpuMs, brokerCpuMs } = ending();
    const cpuMs = processorCpuMs + brokerCpuMs;
    return { leases, ended: count.closes, twice: count.closedTwice, drainMs: count.lastSeenAt - from, cpuMs };
  } finally {
    await count.close();
  }
}

/** Each asks for the timeout that is left until then. */
function* expiringStarts(leases: number, partitions: number, from: Millis): Iterable<ProducedRecord> {
  for (let lease = 0; lease < leases; lease += 1) {
    const timeoutMs = from + (lease % DUE_WITHIN_MS) - systemClock.wallMs();
    const value = Buffer.from(`{"type":"STARTED","timeoutMs":${timeoutMs}}`);
    yield { partition: lease % partitions, key: stormKey(lease), value };
  }
}

/** Offsets behind all grants: nothing else comes until leases end. */
async function endsOf({ connection, partitions }: LeasesGround, topic: string): Promise<readonly number[]> {
  const scan = new KafkaLogScan({ clock: systemClock, connection });
  return Promise.all(
    Array.from({ length: partitions }, async (_, partition) => {
      for (;;) {
        const { lastStableOffset, highWatermark } = await scan.bounds({ topic, partition });
        // The last transaction is decided before its markers are there.
        if (lastStableOffset === highWatermark) return highWatermark;
        await delay(LOOK_MS);
      }
    }),
  );
}
