import type { KindLab } from '../kind-lab.ts';
import { debounceHistories } from './debounce-histories.ts';
import { debounceTraffic } from './debounce-traffic.ts';
import { debounceWorlds } from './debounce-worlds.ts';

export const debounceLab: KindLab<'debounce'> = {
  worlds: debounceWorlds,
  traffic: debounceTraffic,
  histories: debounceHistories,
};
