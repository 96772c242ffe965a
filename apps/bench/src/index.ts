export { BENCHMARKS } from './benchmarks.ts';
export { PEER_NAMES, type PeerName } from './peers/peer.ts';
