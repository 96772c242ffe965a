// Contenders that take heartbeats at a steady rate, and how each is started and ended.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { PIPELINE } from '../bench-topics.ts';
import type { JavaProgram } from '../peers/java-program.ts';
import {
  type KafkaStreamsContender,
  kafkaStreamsArguments,
  PACED_STREAMS,
  streamsJvm,
} from '../peers/kafka-streams.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import type { Settlement } from '../population/population-ground.ts';

export interface PacedContender {
  readonly name: string;
  readonly does: string;
  readonly groupOf: (application: string) => string;
  /** Starts it, waits until it has all it had before, and leaves it running. */
  start(settlement: Settlement, sessions: PacedSessions): Promise<RunningPaced>;
}

export interface PacedSessions {
  /** That live when it starts. */
  readonly before: number;
  /** Sessions that will live during the run: caches are sized for them. */
  readonly sessions: number;
}

export interface RunningPaced {
  readonly pid: number | undefined;
  /** In good order, so that the next one need not wait for it. */
  stop(): Promise<void>;
}

const LOOK_MS: DurationMs = 500;
/** The population's processor has it, too. */
export const COMMIT_INTERVAL_MS: DurationMs = 200;

export function pacedContenders(kafkaStreams: PeerLookUp): readonly PacedContender[] {
  const flatline: PacedContender = {
    name: 'flatline',
    does: 'exactly once, changelog, local store, timers',
    groupOf: (application) => `${application}.${PIPELINE}`,
    start: async (settlement, { before }) => {
      const population = settlement.start();
      while ((await population.look()).liveSessions < before) await delay(LOOK_MS);
      return { pid: population.pid, stop: () => population.stop() };
    },
  };
  if (kafkaStreams.kind === 'missing') return [flatline];
  const { program } = kafkaStreams;
  const version = program.versionOf('kafka-streams');
  const peers = PACED_STREAMS.map((streams): PacedContender => ({
    name: streams.name,
    does: `Kafka Streams ${version}, exactly once, ${streams.threads === 1 ? 'one thread' : `${streams.threads} threads`}: ${streams.does}`,
    groupOf: (application) => application,
    start: (settlement, { sessions }) => startStreams(program, streams, settlement, sessions),
  }));
  return [flatline, ...peers];
}

async function startStreams(
  program: JavaProgram,
  streams: KafkaStreamsContender,
  { task }: Settlement,
  sessions: number,
): Promise<RunningPaced> {
  const given = { ...task, records: sessions, sessions, commitIntervalMs: COMMIT_INTERVAL_MS };
  const args = { ...kafkaStreamsArguments('run', streams, given), leavesGroup: 1 };
  const running = await program.start(args, streamsJvm(sessions));
  return { pid: running.pid, stop: () => running.end() };
}
