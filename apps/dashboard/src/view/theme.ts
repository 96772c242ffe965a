// Light, dark, or as the system has it.
import { computed, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>('system');
const wantsDark = matchMedia('(prefers-color-scheme: dark)');
const system = signal<'light' | 'dark'>(wantsDark.matches ? 'dark' : 'light');
wantsDark.addEventListener('change', ({ matches }) => {
  system.value = matches ? 'dark' : 'light';
});

/** A canvas keeps the colours of the moment in which it was drawn. */
export const shownTheme = computed(() => (theme.value === 'system' ? system.value : theme.value));

export function setTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset['theme'] = next;
}
