// The contenders that can run here, and the peers that cannot, with the reason.
import type { PeersAsked } from '../benchmark.ts';
import type { JavaProgram } from '../peers/java-program.ts';
import { type Found, lookUpPeer } from '../peers/peer.ts';

export interface Described {
  readonly name: string;
  /** Its description in the report. */
  readonly does: string;
}

export interface LineUp<Contender> {
  readonly contenders: readonly Contender[];
  /** Peers that do not take part, with the reason. */
  readonly absent: readonly string[];
  /** Versions of the others' platforms. */
  readonly versions: readonly string[];
}

export const NO_PEERS = { absent: [], versions: [] } as const;

/** Variants of Kafka Streams, and how each is run. */
interface StreamsPlan<Contender, Streams> {
  readonly variants: readonly Streams[];
  /** The first part of its description: threads, commits. */
  readonly how: (streams: Streams) => string;
  readonly contender: (described: Described, program: JavaProgram, streams: Streams) => Contender;
}

/** Our own contenders, and Kafka Streams' if it can run here. */
export async function streamsLineUp<Contender, Streams extends Described>(
  options: PeersAsked,
  own: readonly Contender[],
  { variants, how, contender }: StreamsPlan<Contender, Streams>,
): Promise<LineUp<Contender>> {
  const found = await lookUpPeer('kafka-streams', options);
  if (found.kind === 'missing') return { ...NO_PEERS, contenders: own, absent: absence('Kafka Streams', found) };
  const { program } = found;
  const version = program.versionOf('kafka-streams');
  const peers = variants.map((streams) => {
    const does = `Kafka Streams ${version}, ${how(streams)}: ${streams.does}`;
    return contender({ name: streams.name, does }, program, streams);
  });
  return { ...NO_PEERS, contenders: [...own, ...peers], versions: [`Java ${await program.javaVersion()}`] };
}

export function threadsText({ threads }: { readonly threads: number }): string {
  return threads === 1 ? '1 thread' : `${threads} threads`;
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
