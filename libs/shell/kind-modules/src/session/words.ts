import type { KindWords } from '../kind-words.ts';

export const sessionWords: KindWords = {
  noun: 'session',
  group: 'sessions',
  groupHelp: 'list live sessions, watch sessions close',
  acts: ['end', 'evict'],
  lives: ['sessions', 'opened', 'closed once and as the input says'],
};
