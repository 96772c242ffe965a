// Who is alive: a key by name, or those that begin so, those that are due next first.
import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Entry, keyOf } from '../model/entry.ts';
import {
  isUnderWay,
  limitOf,
  type Listed,
  listFinding,
  NOTHING_LISTED,
  type Page,
  soonestOfAll,
  withPage,
} from '../model/listing.ts';
import { instant } from '../model/words.ts';
import { askJson, part } from './ask.ts';
import { EntryTable } from './entry-table.ts';
import { Evict } from './evict.ts';
import { OneEntry } from './one-entry.ts';
import type { TabProps } from './tab-props.ts';
import { facts } from './state.ts';

export function Entries({ name, pipeline }: TabProps): ComponentChild {
  const [shown, show] = useState<Entry | undefined>(undefined);
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
    h(DueNext, { name, pipeline, show }),
    pipeline.acts.includes('evict') ? h(Evict, { key: name, name }) : null,
  );
}

interface DueNextProps extends TabProps {
  readonly show: (entry: Entry) => void;
}

function DueNext({ name, pipeline, show }: DueNextProps): ComponentChild {
  // Another object asks again, for the same prefix, too.
  const [asked, ask] = useState({ prefix: '' });
  const [listed, setListed] = useState<Listed>(NOTHING_LISTED);
  useEffect(() => listFrom(name, asked.prefix, setListed), [name, asked]);
  const { entries, atMs, after, missing } = listed;
  return h(
    'section',
    { class: 'card wide', 'aria-labelledby': 'next' },
    h('h2', { id: 'next' }, listFinding(listed, pipeline.noun)),
    question('prefix', 'Keys that begin with', 'List', (prefix) => {
      ask({ prefix });
    }),
    missing.length === 0 ? null : h('p', { class: 'trouble', role: 'status' }, missing.join('; ')),
    after === undefined || isUnderWay(listed) ? null : h(SoonestOfAll, { name, pipeline }),
    entries.length === 0
      ? null
      : [
          h('p', { class: 'quiet' }, `As it was at ${instant(atMs)} (UTC). List asks again.`),
          h(EntryTable, { kind: pipeline.kind, entries, atMs, show }),
        ],
  );
}

function SoonestOfAll({ name, pipeline }: TabProps): ComponentChild {
  const nows = Array.from({ length: pipeline.inputPartitions }, (_, partition) => facts.now(name, partition));
  const said = soonestOfAll(nows, facts.instance?.wallMs ?? 0);
  return said === undefined ? null : h('p', null, said);
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

/** Page after page; what is there is told with each. @returns what ends it */
function listFrom(name: string, prefix: string, tell: (listed: Listed) => void): () => void {
  let isEnded = false;
  const run = async (): Promise<void> => {
    let listed = NOTHING_LISTED;
    while (isUnderWay(listed)) {
      const from = listed.after === '' ? '' : `&after=${part(listed.after!)}`;
      const query = `limit=${limitOf(listed)}&prefix=${part(prefix)}${from}`;
      const { status, body } = await askJson(`/api/v1/entries/${part(name)}?${query}`);
      // Another list was asked for meanwhile.
      if (isEnded) return;
      listed = withPage(listed, status, body as Page, facts.instance?.wallMs ?? 0);
      tell(listed);
    }
  };
  void run();
  return () => {
    isEnded = true;
  };
}
