// One reader takes nothing any more, and others hear on: what their delays are with it and without, in pairs of turns.
//
// Other work of the machine moves the tail of delays by more than a reader might, and for longer than a turn. So each turn with the
// reader is compared with the neighbouring turn without; which comes first alternates, and there are enough pairs to tell.
import type { DurationMs } from '@flatline/base';
import { AcknowledgedWriter } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { withApplication } from '../frame/application.ts';
import { Instance } from '../processor/instance.ts';
import { quantilesOf } from '../statistics.ts';
import { PIPELINE } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { Hearing } from './hearing.ts';
import type { PushGround } from './push-ground.ts';

const READERS = 20;
const EVENTS_PER_SECOND = 400;
const PACE_MS: DurationMs = 10;
/** So much of it that a connection which takes nothing is full within the warm-up. */
const EVENT = JSON.stringify({ type: 'VIEW', attributes: { text: 'x'.repeat(900) } });
/** With all that the sockets hold, and less than a reader that takes nothing is left connected (30 s). */
const WARM_UP_MS: DurationMs = 12_000;
const MEASURED_MS: DurationMs = 10_000;
/** A median of nine lies between the second and the eighth, with 96 %: one pair may be an outlier on either side. */
const PAIRS = 9;

/** Two turns next to each other. */
export interface ReaderPair {
  readonly without: ReaderTurn;
  readonly beside: ReaderTurn;
}

export interface ReaderTurn {
  /** From sending an event until a reader has heard of it. */
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly heard: number;
  /** Events that the stopped reader took, by those of another one; 1: it is not stopped. */
  readonly takenShare: number;
}

/** @throws Error if the processor fails, or ends the subscription of a reader that reads */
export async function measureStoppedReader(ground: PushGround): Promise<readonly ReaderPair[]> {
  const { connection, onProgress } = ground;
  return withApplication(ground, async (application) => {
    const settings = { emit: ['opened', 'closed'] };
    const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, isKeyed: true, settings });
    const writer = await AcknowledgedWriter.open({
      clock: systemClock,
      connection,
      topic: application.topic,
      lingerMs: 1,
    });
    const pairs: ReaderPair[] = [];
    try {
      const address = await instance.address();
      const take = (pair: number, isOneStopped: boolean): Promise<ReaderTurn> => {
        const who = isOneStopped ? 'and one that takes nothing' : 'who all read';
        onProgress(`${READERS} readers, ${who}, ${pair + 1} of ${PAIRS}`);
        return oneTurn({ address, writer, isOneStopped, name: `${pair}-${isOneStopped}` });
      };
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const isFirst = pair % 2 === 1;
        const [first, second] = [await take(pair, isFirst), await take(pair, !isFirst)];
        pairs.push(isFirst ? { without: second, beside: first } : { without: first, beside: second });
      }
    } finally {
      await writer.close();
      await instance.kill();
    }
    return pairs;
  });
}

interface Turn {
  readonly address: string;
  readonly writer: AcknowledgedWriter;
  readonly isOneStopped: boolean;
  readonly name: string;
}

async function oneTurn({ address, writer, isOneStopped, name }: Turn): Promise<ReaderTurn> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const sentAtMs = new Map<string, DurationMs>();
  const delays: DurationMs[] = [];
  let isMeasured = false;
  const onOutput = (key: string): void => {
    const at = sentAtMs.get(key);
    if (isMeasured && at !== undefined) delays.push(performance.now() - at);
  };
  const url = `${address}/api/v1/events/${PIPELINE}?prefix=${name}`;
  const readers = Array.from({ length: READERS }, () => new Hearing({ url, onOutput, onEnd: reject }));
  const stopped = new Hearing({ url, onOutput: () => undefined, onEnd: () => undefined });
  const all = isOneStopped ? [...readers, stopped] : readers;
  for (const each of all) while ((await each.open()) > 0) await delay(1_000);
  stopped.stop();
  try {
    const from = performance.now();
    for (let sent = 0; performance.now() - from < WARM_UP_MS + MEASURED_MS;) {
      isMeasured = performance.now() - from >= WARM_UP_MS;
      const due = Math.floor(((performance.now() - from) * EVENTS_PER_SECOND) / 1_000);
      for (; sent < due; sent += 1) {
        const key = `${name}-${sent}`;
        if (isMeasured) sentAtMs.set(key, performance.now());
        writer.write({ key: Buffer.from(key), value: Buffer.from(EVENT) }).catch(reject);
      }
      await Promise.race([delay(PACE_MS), ended]);
    }
    const takenShare = isOneStopped ? stopped.bytesRead / readers[0]!.bytesRead : 1;
    const { p50Ms, p99Ms } = quantilesOf(delays);
    return { p50Ms, p99Ms, heard: delays.length, takenShare };
  } finally {
    for (const each of all) each.cut();
  }
}
