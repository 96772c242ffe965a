// Who takes part: the contenders that can run here, and the peers that cannot, with what they lack.
import type { BenchmarkOptions } from '../benchmark.ts';
import { type Found, javaVersions, lookUpPeer, type PeerLookUp } from '../peers/peer.ts';

export interface LineUp<Contender> {
  readonly contenders: readonly Contender[];
  /** Peers that do not take part, and why. */
  readonly absent: readonly string[];
  /** Versions of what the others run on. */
  readonly versions: readonly string[];
}

export const NO_PEERS = { absent: [], versions: [] } as const;

/** Kafka Streams' contenders among others. */
export async function streamsLineUp<Contender>(
  options: Pick<BenchmarkOptions, 'peers' | 'onProgress'>,
  contenders: (kafkaStreams: PeerLookUp) => readonly Contender[],
): Promise<LineUp<Contender>> {
  const kafkaStreams = await lookUpPeer('kafka-streams', options);
  return {
    contenders: contenders(kafkaStreams),
    absent: absence('Kafka Streams', kafkaStreams),
    versions: await javaVersions(kafkaStreams),
  };
}

export function peerLineUp<Peer extends { readonly versions: readonly string[] }, Contender>(
  name: string,
  found: Found<Peer>,
  contender: (peer: Peer) => Contender,
): LineUp<Contender> {
  if (found.kind === 'missing') return { ...NO_PEERS, contenders: [], absent: absence(name, found) };
  return { ...NO_PEERS, contenders: [contender(found.program)], versions: found.program.versions };
}

export function joined<Contender>(...lineUps: readonly LineUp<Contender>[]): LineUp<Contender> {
  return {
    contenders: lineUps.flatMap(({ contenders }) => contenders),
    absent: lineUps.flatMap(({ absent }) => absent),
    versions: [...new Set(lineUps.flatMap(({ versions }) => versions))],
  };
}

function absence(name: string, found: Found<unknown>): readonly string[] {
  return found.kind === 'ready' ? [] : [`${name}: ${found.why.split('\n')[0]!}`];
}
