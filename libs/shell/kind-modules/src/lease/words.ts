import type { KindWords } from '../kind-words.ts';

export const leaseWords: KindWords = {
  noun: 'lease',
  group: 'leases',
  groupHelp: 'list who holds what, until when',
  acts: ['release', 'evict'],
  lives: ['leases', 'granted', 'ended once and as the input says'],
};
