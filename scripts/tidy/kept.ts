import { type Kept } from './dead-exports.ts';

/** Exports that stay though nothing in the workspace imports them. */
export const kept: readonly Kept[] = [];
