// The contenders, and how each takes its turn: no peer but Kafka Streams reads the values of events.
import { measureApart } from '../apart.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { type Described, joined, type LineUp, peerLineUp, streamsLineUp, threadsText } from '../frame/line-up.ts';
import {
  KAFKA_STREAMS_CONTENDERS,
  processWithKafkaStreams,
  streamsNote,
  type ThroughputStreams,
} from '../peers/kafka-streams.ts';
import { lookUpLibrdkafka } from '../peers/librdkafka.ts';
import type { Found } from '../peers/peer.ts';
import type { PeerName } from '../peers/peer-names.ts';
import { lookUpQuix } from '../peers/quix.ts';
import { lookUpStore, STORE_NAMES, STORE_RUN_MAX_MS } from '../peers/store-peers.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import type { ContenderCost, ContenderTask, OwnContender, ThroughputTask } from '../tasks/contender-task.ts';

export interface Contender extends Described {
  /** The part of a processor's work that it leaves out, if any. */
  readonly lacks?: string;
  /** How a variant of Kafka Streams closes sessions. */
  readonly streams?: ThroughputStreams['closing'];
  /** A remark about all contenders of its kind. */
  readonly note?: string;
  /** A peer's failure does not keep the others from being measured. */
  readonly isPeer?: boolean;
  /** True if it writes outputs and keeps state, and so needs topics of its own. */
  readonly processes: boolean;
  run(task: ThroughputTask): Promise<ContenderCost>;
}

const OWN: readonly Contender[] = [
  ownContender('flatline', 'processor: exactly once, changelog, local store, timers'),
  ownContender('kafkajs', "kafkajs 2.2.4's consumer, merely reading"),
  ownContender('reader', "Flatline's reader, merely walking the records"),
];

/** All contenders that can run here. */
export async function throughputLineUp(options: BenchmarkOptions): Promise<LineUp<Contender>> {
  const streams = await streamsLineUp<Contender, ThroughputStreams>(options, OWN, {
    variants: KAFKA_STREAMS_CONTENDERS,
    how: threadsText,
    contender: (described, program, variant) => ({
      ...described,
      processes: true,
      isPeer: true,
      streams: variant.closing,
      note: `Kafka Streams: ${streamsNote(program)}`,
      run: (task) => processWithKafkaStreams(program, variant, task),
    }),
  });
  const stores = STORE_NAMES.map(async (name) =>
    peerContender(name, await lookUpStore(name, options), (peer) => ({
      does: `${peer.versions.join(', ')}, at least once, at most ${STORE_RUN_MAX_MS / 1_000} s: ${peer.does}; its server is counted`,
      lacks: peer.lacks,
      run: (task) => peer.process(task, { timeoutMs: NEVER_MS, probeTimeoutMs: NEVER_MS }),
    })),
  );
  const quix = peerContender('quix', await lookUpQuix(options), (peer) => ({
    does: `Quix Streams, ${peer.versions.join(', ')}: ${peer.does}`,
    lacks: peer.lacks,
    processes: true,
    run: (task) => peer.process(task, NEVER_MS),
  }));
  const librdkafka = peerContender('librdkafka', await lookUpLibrdkafka(options), (peer) => ({
    does: `${peer.versions.join(', ')}, a C program that takes messages in batches and looks at key and time`,
    lacks: 'everything but reading',
    run: (task) => peer.read(task),
  }));
  return joined(streams, ...(await Promise.all(stores)), quix, librdkafka);
}

function peerContender<Peer extends { readonly versions: readonly string[] }>(
  name: PeerName,
  found: Found<Peer>,
  describe: (peer: Peer) => Pick<Contender, 'does' | 'lacks' | 'run'> & { readonly processes?: boolean },
): LineUp<Contender> {
  return peerLineUp(name, found, (peer) => ({ name, processes: false, isPeer: true, ...describe(peer) }));
}

export function ownContender(name: OwnContender, does: string): Contender {
  return { name, does, processes: name === 'flatline', run: (task) => runOwn(name, task) };
}

/** Runs it in a separate process. */
export function runOwn(name: OwnContender, task: ContenderTask): Promise<ContenderCost> {
  return measureApart({ work: 'process', args: [name, task], what: name });
}
