import type { KindLab } from '../kind-lab.ts';
import { debounceWorlds } from './debounce-worlds.ts';

export const debounceLab: KindLab<'debounce'> = { worlds: debounceWorlds };
