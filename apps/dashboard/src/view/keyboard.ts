// Keys that do what a mouse does: a digit opens a tab, a slash asks for a key.
import { tab, TABS } from './state.ts';

const FIELDS = ['INPUT', 'SELECT', 'TEXTAREA'];

export function hearKeys(): void {
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || FIELDS.includes((target as HTMLElement).tagName)) return;
    if (key === '/') {
      event.preventDefault();
      location.hash = 'entries';
      tab.value = 'entries';
      // Once the tab is drawn.
      setTimeout(() => document.querySelector<HTMLElement>('#key')?.focus(), 0);
    }
    const digit = /^[1-9]$/.test(key) ? TABS[Number(key) - 1] : undefined;
    if (digit !== undefined) location.hash = digit;
  });
}
