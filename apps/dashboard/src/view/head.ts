// Name, tabs, what is chosen, and the token where one is asked for.
import { h, type ComponentChild } from 'preact';
import { choose, enter, facts, pipelineName, tab, type Tab, TABS } from './state.ts';
import { setTheme, theme, THEMES } from './theme.ts';

const TITLES: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  partitions: 'Partitions',
  entries: 'Entries',
  statistics: 'Statistics',
  letters: 'Dead letters',
  deliveries: 'Deliveries',
};

export function Head(): ComponentChild {
  return h(
    'header',
    null,
    h('h1', null, h(Pulse, null), 'Flatline', h('span', { class: 'instance' }, facts.instance?.name ?? '')),
    h(
      'nav',
      { 'aria-label': 'Views' },
      TABS.map((each) =>
        h('a', { key: each, href: `#${each}`, 'aria-current': each === tab.value ? 'page' : undefined }, TITLES[each]),
      ),
    ),
    h(
      'div',
      { class: 'choices' },
      choice('Pipeline', pipelineName.value ?? '', facts.pipelines, choose),
      choice('Theme', theme.value, THEMES, (asked) => {
        setTheme(THEMES.find((each) => each === asked) ?? 'system');
      }),
    ),
  );
}

/** The line that gives the name. */
function Pulse(): ComponentChild {
  return h(
    'svg',
    { class: 'pulse', viewBox: '0 0 64 24', 'aria-hidden': 'true' },
    h('path', { d: 'M1 13h14l3-6 5 14 6-19 5 15 3-4h3' }),
    h('path', { class: 'flat', d: 'M40 13h23' }),
  );
}

function choice(
  label: string,
  value: string,
  all: readonly string[],
  onChosen: (value: string) => void,
): ComponentChild {
  return h(
    'label',
    null,
    `${label} `,
    h(
      'select',
      {
        value,
        onChange: (event: Event) => {
          onChosen((event.target as HTMLSelectElement).value);
        },
      },
      all.map((each) => h('option', { key: each, value: each }, each)),
    ),
  );
}

export function Token(): ComponentChild {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement).get('token');
    enter(typeof given === 'string' ? given : '');
  };
  return h(
    'form',
    { class: 'card search', onSubmit: submit },
    h('label', { for: 'token' }, 'A token with the role read, or admin for acts (http.auth)'),
    h('input', { id: 'token', name: 'token', type: 'password', autocomplete: 'off' }),
    h('button', { type: 'submit' }, 'Use it'),
  );
}
