import type { KindWords } from '../kind-words.ts';

export const debounceWords: KindWords = {
  noun: 'window',
  group: 'windows',
  groupHelp: 'list what is being collected; flush or cancel windows',
  acts: ['flush', 'cancel'],
  lives: ['windows', 'opened', 'fired once and as the input says'],
};
