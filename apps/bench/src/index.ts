export { BENCHMARKS } from './benchmarks.ts';
export { PEER_NAMES, type PeerName } from './peers/peer.ts';
export { machineText, thisMachine } from './machine.ts';
export { reportPages } from './report/report-pages.ts';
