import type { KindLab } from '../kind-lab.ts';
import { scheduleHistories } from './schedule-histories.ts';
import { scheduleTraffic } from './schedule-traffic.ts';
import { scheduleWorlds } from './schedule-worlds.ts';

export const scheduleLab: KindLab<'schedule'> = {
  worlds: scheduleWorlds,
  traffic: scheduleTraffic,
  histories: scheduleHistories,
};
