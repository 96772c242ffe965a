export { ensureBroker, startBroker } from './broker.ts';
export { type BrokerNode, type BrokerOptions, type RunningBroker } from './running-broker.ts';
