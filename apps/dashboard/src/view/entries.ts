// Who is alive: a key by name, or those that begin so, those that are due next first.
import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { bySoonest, columnsOf, dueWord, type Entry, keyOf } from '../model/entry.ts';
import { number } from '../model/words.ts';
import { askJson, part } from './ask.ts';
import { Evict } from './evict.ts';
import { OneEntry } from './one-entry.ts';
import type { TabProps } from './tab-props.ts';
import { facts } from './state.ts';
import { WindowedTable } from './windowed-table.ts';

const LIST_MAX = 1_000;

interface Listed {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
  /** In words; undefined: all partitions have answered. */
  readonly trouble: string | undefined;
}

export function Entries({ name, pipeline }: TabProps): ComponentChild {
  const [shown, show] = useState<Entry | undefined>(undefined);
  const [prefix, setPrefix] = useState('');
  const [listed, setListed] = useState<Listed | undefined>(undefined);
  const list = (): void => {
    void listFrom(name, prefix).then(setListed);
  };
  useEffect(list, [name, prefix]);
  return h(
    'div',
    { class: 'board' },
    h(
      'section',
      { class: 'card wide', 'aria-labelledby': 'search' },
      h('h2', { id: 'search' }, 'Who is alive?'),
      question('key', 'Key', 'Look up', (key) => {
        show(key === '' ? undefined : { key });
      }),
      shown === undefined ? null : h(OneEntry, { key: keyOf(shown), name, pipeline, asked: shown }),
    ),
    h(
      'section',
      { class: 'card wide', 'aria-labelledby': 'next' },
      h('h2', { id: 'next' }, findingOf(listed, pipeline.noun)),
      question('prefix', 'Keys that begin with', 'List', (asked) => {
        if (asked === prefix) list();
        else setPrefix(asked);
      }),
      listed?.trouble === undefined ? null : h('p', { class: 'trouble', role: 'status' }, listed.trouble),
      h(List, { kind: pipeline.kind, entries: listed?.entries ?? [], show }),
    ),
    pipeline.acts.includes('evict') ? h(Evict, { key: name, name }) : null,
  );
}

interface ListProps {
  readonly kind: string;
  readonly entries: readonly Entry[];
  readonly show: (entry: Entry) => void;
}

function List({ kind, entries, show }: ListProps): ComponentChild {
  const columns = columnsOf(kind, entries);
  const wallMs = facts.instance?.wallMs ?? 0;
  return h(WindowedTable, {
    label: 'next',
    heads: ['Key', 'Due', ...columns.map(({ head }) => head), 'Partition'],
    count: entries.length,
    row: (at) => {
      const entry = entries[at]!;
      const press = (): void => {
        show(entry);
      };
      return h(
        'tr',
        { key: at },
        h('th', { scope: 'row' }, h('button', { type: 'button', class: 'key', onClick: press }, keyOf(entry))),
        h('td', null, dueWord(entry, wallMs)),
        columns.map(({ head, of }) => h('td', { key: head }, of(entry))),
        h('td', null, String(entry['partition'])),
      );
    },
  });
}

function question(id: string, label: string, act: string, asked: (text: string) => void): ComponentChild {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = new FormData(event.target as HTMLFormElement).get(id);
    asked(typeof text === 'string' ? text : '');
  };
  return h(
    'form',
    { onSubmit: submit, class: 'search' },
    h('label', { for: id }, label),
    h('input', { id, name: id, autocomplete: 'off', spellcheck: false }),
    h('button', { type: 'submit' }, act),
  );
}

interface Page {
  readonly entries?: readonly Entry[];
  readonly after?: string;
  readonly unanswered?: readonly { readonly partition: number; readonly detail: string }[];
  readonly error?: string;
}

/** Page after page, up to LIST_MAX entries. */
async function listFrom(name: string, prefix: string): Promise<Listed> {
  const all: Entry[] = [];
  const missing: string[] = [];
  let after: string | undefined;
  do {
    const query = `limit=${LIST_MAX - all.length}&prefix=${part(prefix)}${after === undefined ? '' : `&after=${part(after)}`}`;
    const { status, body } = await askJson(`/api/v1/entries/${part(name)}?${query}`);
    const page = body as Page;
    if (status !== 200) missing.push(page.error ?? `the processor answers ${status}`);
    all.push(...(page.entries ?? []));
    for (const { partition, detail } of page.unanswered ?? [])
      missing.push(`partition ${partition} is missing: ${detail}`);
    after = page.after;
  } while (after !== undefined && all.length < LIST_MAX);
  return { entries: bySoonest(all), hasMore: after !== undefined, trouble: missing.join('; ') || undefined };
}

function findingOf(listed: Listed | undefined, noun: string): string {
  if (listed === undefined) return 'What is due next?';
  const { entries, hasMore } = listed;
  if (entries.length === 0) return `No ${noun} lives here`;
  const soonest = `${keyOf(entries[0]!)} is due next`;
  return hasMore
    ? `Of the first ${number(entries.length)} ${noun}s ${soonest}`
    : `Of ${number(entries.length)} ${noun}${entries.length === 1 ? '' : 's'} ${soonest}`;
}
