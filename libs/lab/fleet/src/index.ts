export { checkLedger } from './check-ledger.ts';
export { type FleetPlan, expectedBeats, planProblems, scheduleOf, usualEnds } from './fleet-plan.ts';
export { LedgerCheck, type LedgerVerdict, type ObservedOutput } from './ledger-check.ts';
export type { FleetFormat, LedgerEntry } from './ledger.ts';
export { type RunningFleet, startFleet } from './running-fleet.ts';
