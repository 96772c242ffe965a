export { ensureBroker, startBroker } from './broker.ts';
export { type BrokerStatus, defaultPort, startDetached, statusDetached, stopDetached } from './detached.ts';
export { type ServerProperties } from './node-settings.ts';
export { type BrokerNode, type BrokerOptions, type RunningBroker } from './running-broker.ts';
