import type { KindLab } from '../kind-lab.ts';
import { debounceTraffic } from './debounce-traffic.ts';
import { debounceWorlds } from './debounce-worlds.ts';

export const debounceLab: KindLab<'debounce'> = { worlds: debounceWorlds, traffic: debounceTraffic };
