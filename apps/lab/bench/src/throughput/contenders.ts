// Contenders of a run, and how each takes its turn.
import { KAFKA_STREAMS_CONTENDERS, processWithKafkaStreams, type ThroughputStreams } from '../peers/kafka-streams.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { measureApart } from '../measured-process.ts';
import type { ContenderCost, ThroughputTask } from './contender-task.ts';

/** Those that run on Node and are always there. The first is what is measured; kafkajs is what ratios refer to. */
export type OwnContender = 'flatline' | 'kafkajs' | 'reader';

export interface Contender {
  readonly name: string;
  /** What it does, for the report. */
  readonly does: string;
  /** What of a processor's work it leaves out, where it does. */
  readonly lacks?: string;
  /** How a variant of Kafka Streams closes sessions. */
  readonly streams?: ThroughputStreams['closing'];
  /** A peer's failure leaves the others to be measured. */
  readonly isPeer?: boolean;
  /** It writes outputs and keeps state, and so needs topics of its own. */
  readonly processes: boolean;
  run(task: ThroughputTask): Promise<ContenderCost>;
}

/** All contenders that can run here. */
export function contendersWith(kafkaStreams: PeerLookUp): readonly Contender[] {
  const own = [
    ownContender('flatline', 'processor: exactly once, changelog, local store, timers'),
    ownContender('kafkajs', "kafkajs 2.2.4's consumer, merely reading"),
    ownContender('reader', "Flatline's reader, merely walking the records"),
  ];
  if (kafkaStreams.kind === 'missing') return own;
  const { program } = kafkaStreams;
  const version = program.versionOf('kafka-streams');
  const peers = KAFKA_STREAMS_CONTENDERS.map((contender) => ({
    name: contender.name,
    does: `Kafka Streams ${version}, ${contender.threads} ${contender.threads === 1 ? 'thread' : 'threads'}: ${contender.does}`,
    processes: true,
    isPeer: true,
    streams: contender.closing,
    run: (task: ThroughputTask) => processWithKafkaStreams(program, contender, task),
  }));
  return [...own, ...peers];
}

export function ownContender(name: OwnContender, does: string): Contender {
  const script = import.meta.filename.replace(/contenders(\.\w+)$/, 'contender-process$1');
  return {
    name,
    does,
    processes: name === 'flatline',
    run: (task) => measureApart<ContenderCost>(script, [name, JSON.stringify(task)], name),
  };
}
