// Peers other than Kafka Streams that can take part in a run: none of them reads the values of events.
import type { DurationMs } from '@flatline/base';
import type { BenchmarkOptions } from '../benchmark.ts';
import { joined, type LineUp, peerLineUp } from '../frame/line-up.ts';
import { lookUpLibrdkafka } from '../peers/librdkafka.ts';
import type { Found, PeerName } from '../peers/peer.ts';
import { lookUpQuix } from '../peers/quix.ts';
import { STORE_NAMES, STORE_RUN_MAX_MS, StorePeer } from '../peers/store-peers.ts';
import type { Contender } from './contenders.ts';

type Asked = Pick<BenchmarkOptions, 'peers' | 'onProgress'>;

/** The measured processor's, too: no session falls silent during a run. */
const TIMEOUT_MS: DurationMs = 3_600_000;
const NO_PROCESSING = 'everything but reading';

export async function peerContenders(options: Asked): Promise<LineUp<Contender>> {
  const stores = await Promise.all(STORE_NAMES.map((name) => storeContender(name, options)));
  return joined(...stores, await quixContender(options), await librdkafkaContender(options));
}

async function storeContender(name: (typeof STORE_NAMES)[number], options: Asked): Promise<LineUp<Contender>> {
  return contenderOf(name, await StorePeer.lookUp(name, options), (peer) => ({
    does: `${peer.versions.join(', ')}, at least once, at most ${STORE_RUN_MAX_MS / 1_000} s: ${peer.does}; its server is counted`,
    lacks: peer.lacks,
    run: (task) => peer.process(task, { timeoutMs: TIMEOUT_MS, probeTimeoutMs: TIMEOUT_MS }),
  }));
}

async function quixContender(options: Asked): Promise<LineUp<Contender>> {
  return contenderOf('quix', await lookUpQuix(options), (peer) => ({
    does: `Quix Streams, ${peer.versions.join(', ')}: ${peer.does}`,
    lacks: peer.lacks,
    processes: true,
    run: (task) => peer.process(task, TIMEOUT_MS),
  }));
}

async function librdkafkaContender(options: Asked): Promise<LineUp<Contender>> {
  return contenderOf('librdkafka', await lookUpLibrdkafka(options), (peer) => ({
    does: `${peer.versions.join(', ')}, a C program that takes messages in batches and looks at key and time`,
    lacks: NO_PROCESSING,
    run: (task) => peer.read(task),
  }));
}

function contenderOf<Peer extends { readonly versions: readonly string[] }>(
  name: PeerName,
  found: Found<Peer>,
  describe: (peer: Peer) => Pick<Contender, 'does' | 'lacks' | 'run'> & { readonly processes?: boolean },
): LineUp<Contender> {
  return peerLineUp(name, found, (peer) => ({ name, processes: false, isPeer: true, ...describe(peer) }));
}
