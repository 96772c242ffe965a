import type { KindWords } from '../kind-words.ts';

export const scheduleWords: KindWords = {
  noun: 'schedule',
  group: 'schedules',
  groupHelp: 'list what is pending; add, cancel, pause, resume or trigger schedules',
  acts: ['cancel', 'pause', 'resume', 'trigger'],
  lives: ['schedules', 'made', 'runs made once and as the input says'],
};
