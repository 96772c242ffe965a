import { test } from '@jest/globals';
import { debounceView } from '@flatline/kinds/debounce';
import { fuzzChangelog } from '../damaged-log.fixture.ts';
import { changedWindow } from './changed-window.fixture.ts';

test('[F14][K9] damaged blocks of windows are applied, or refused', () => {
  fuzzChangelog('partition/debounce', changedWindow(), debounceView.format);
});
