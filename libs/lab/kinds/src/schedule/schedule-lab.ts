import type { KindLab } from '../kind-lab.ts';
import { scheduleWorlds } from './schedule-worlds.ts';

export const scheduleLab: KindLab<'schedule'> = { worlds: scheduleWorlds };
