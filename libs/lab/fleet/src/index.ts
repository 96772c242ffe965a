export { type FleetPlan, expectedBeats, planProblems, scheduleOf, usualEnds } from './fleet-plan.ts';
export { checkFleet, FleetCheck, type FleetVerdict, type ObservedOutput } from './fleet-check.ts';
export type { FleetFormat, LedgerEntry } from './ledger.ts';
export { type RunningFleet, startFleet } from './running-fleet.ts';
