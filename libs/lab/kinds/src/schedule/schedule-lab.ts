import type { KindLab } from '../kind-lab.ts';
import { scheduleTraffic } from './schedule-traffic.ts';
import { scheduleWorlds } from './schedule-worlds.ts';

export const scheduleLab: KindLab<'schedule'> = { worlds: scheduleWorlds, traffic: scheduleTraffic };
