export { type FoldedLeases, foldLeases, type LeaseFoldOptions } from './fold-leases.ts';
export type { LeaseFoldRules, Said } from './naive-lease.ts';
