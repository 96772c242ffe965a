// Words of each kind: a line for each, or the compiler names the one that lacks.
import type { KindName } from '@flatline/base';
import { debounceWords } from './debounce/words.ts';
import type { ActName, KindWords } from './kind-words.ts';
import { leaseWords } from './lease/words.ts';
import { scheduleWords } from './schedule/words.ts';
import { sessionWords } from './session/words.ts';

export type { ActName };

export const KIND_WORDS: Readonly<Record<KindName, KindWords>> = {
  session: sessionWords,
  lease: leaseWords,
  debounce: debounceWords,
  schedule: scheduleWords,
};
