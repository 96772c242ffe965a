export { calm, rough, type FaultPlan, type FaultRates, type Injection } from './fault-plan.ts';
export type { RequestCrash, RequestFault, RequestKind, StoreCall, StoreFault, WriteCrash } from './fault-plan.ts';
export type { HostClock } from './host-clock.ts';
export type { LogBatch, LogRecord } from './log-batch.ts';
export { scannedBatch, scannedRecord } from './log-scan.ts';
export type { Network } from './network.ts';
export { DEVICE_FAILED } from './simulated-stores.ts';
export { SimulatedDisk } from './simulated-disk.ts';
export { type Assign, type GroupMember } from './simulated-group.ts';
export type { GroupSettings, SimulatedGroup } from './simulated-group.ts';
export type { Cut, SimulatedHost } from './simulated-host.ts';
export type { ForeignTransaction, ProducedRecord, SimulatedLog, TopicSettings } from './simulated-log.ts';
export type {
  AppendOutcome,
  LeaderChange,
  SimulatedPartition,
  TimestampType,
  Truncation,
} from './simulated-partition.ts';
export { Simulation, type HostPorts, type HostSettings, type SimulationSettings } from './simulation.ts';
export type { Trace } from './trace.ts';
export type { EndedTransaction } from './transaction-coordinator.ts';
export { VirtualTime } from './virtual-time.ts';
