// The names alone, without the judge.
export { REACH_COUNTERS } from './judge/reach.ts';
