import type { KindLab } from '../kind-lab.ts';
import { sessionHistories } from './session-histories.ts';
import { sessionTraffic } from './session-traffic.ts';
import { sessionWorlds } from './session-worlds.ts';

export const sessionLab: KindLab<'session'> = {
  worlds: sessionWorlds,
  traffic: sessionTraffic,
  histories: sessionHistories,
};
