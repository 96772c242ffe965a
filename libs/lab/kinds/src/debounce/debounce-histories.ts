// Recorded histories of windows.
import { touchedWindow } from '@flatline/oracle/anatomy';
import { type KindHistories } from '../histories/kind-histories.ts';
import { BATCHES } from './history-mutants/batches.ts';
import { WINDOWS } from './history-mutants/windows.ts';
import { windows } from './debounce-subjects.ts';

export const debounceHistories: KindHistories<'debounce'> = {
  subjects: [
    { name: 'windows after silence', subject: windows() },
    { name: 'windows at a fixed pace, in parts', subject: windows({ mode: 'window', onOversize: 'split' }) },
    { name: 'windows of which the last is shown', subject: windows({ reducer: 'last', maxItems: 5 }) },
    { name: 'windows without duplicates', subject: windows({ dedupeBy: '/n', maxItems: 7 }) },
    { name: 'windows led by an item', subject: windows({ mode: 'leading', maxItems: 7 }) },
  ],
  changes: [
    { what: 'a shorter wait', subject: windows(), changed: windows({ waitMs: 900, maxWaitMs: 9_000, maxItems: 5 }) },
    { what: 'another mode', subject: windows(), changed: windows({ mode: 'window', maxItems: 9 }) },
    { what: 'a leading item', subject: windows(), changed: windows({ mode: 'leading', maxItems: 9 }) },
    { what: 'another reducer', subject: windows({ maxItems: 9 }), changed: windows({ reducer: 'last', maxItems: 9 }) },
    {
      what: 'duplicates that are left out',
      subject: windows({ maxItems: 9 }),
      changed: windows({ reducer: 'first', dedupeBy: '/n', maxItems: 9 }),
    },
  ],
  room: {
    rules: {},
    first: { value: 'an item' },
    growing: [{ value: 'another' }, { value: '', headers: { 'flatline-command': 'FLUSH' } }],
    others: [{ value: null }, { value: null, headers: { 'flatline-command': 'FLUSH' } }],
  },
  mutants: [...BATCHES, ...WINDOWS],
  hasPages: true,
  touched: touchedWindow,
};
