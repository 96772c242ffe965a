export { Fleet, type FleetAction } from './fleet/fleet.ts';
export { type FleetEnd, type FleetPlan, planProblems } from './fleet/fleet-plan.ts';
export { FleetSender, type FleetSenderOptions, type FleetTarget } from './fleet/fleet-sender.ts';
export { type FleetFormat, type LedgerEntry } from './fleet/ledger.ts';
export { checkLedger, LedgerCheck, type LedgerVerdict, type ObservedOutput } from './fleet/ledger-check.ts';
