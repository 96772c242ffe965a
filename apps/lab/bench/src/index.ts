export { BENCHMARKS } from './benchmarks.ts';
export { PEER_NAMES, type PeerName } from './peers/peer-names.ts';
export { EVENT_FORMATS, type EventFormat } from './tasks/event-format.ts';
export { machineLoad, thisMachine } from './machine.ts';
export { PROFILE_VARIABLE, yardstick } from './apart.ts';
export { drawLastProfile } from './report/flame-graph.ts';
export { reportPages, type Surroundings } from './report/report-pages.ts';
export { yardstickText } from './yardstick.ts';
export { REPORTS } from './machine.ts';
