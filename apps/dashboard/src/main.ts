// The page of one processor: `npm run demo` prints its address.
import { h, render } from 'preact';
import { hearKeys } from './view/keyboard.ts';
import { Page } from './view/page.ts';
import { tab, tabNow } from './view/state.ts';
import { keepWatching } from './view/stream.ts';

addEventListener('hashchange', () => {
  tab.value = tabNow();
});
hearKeys();
render(h(Page, null), document.querySelector('#page')!);
void keepWatching();
