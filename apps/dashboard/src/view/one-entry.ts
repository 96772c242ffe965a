// One key: what it has, asked again every second while it is shown, its life so far, and what an operator may do to it.
import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Entry, fieldWord, keyOf, keyPath } from '../model/entry.ts';
import { LOOKED_THROUGH } from '../model/places-to-begin.ts';
import { heardBetween, inOrder, lifeOf, type Mark, outputMarks } from '../model/timeline.ts';
import { moment, number } from '../model/words.ts';
import { Acts } from './acts.ts';
import { askJson, part } from './ask.ts';
import type { TabProps } from './tab-props.ts';
import { hearOutputs } from './outputs.ts';
import { repeatedly } from './repeatedly.ts';
import { facts } from './state.ts';
import { Table } from './table.ts';

const AGAIN_MS = 1_000;
const NO_LIFE = `Nothing of it so far: up to ${number(LOOKED_THROUGH)} offsets of its output partition are looked through.`;

interface OneEntryProps extends TabProps {
  readonly asked: Entry;
}

export function OneEntry({ name, pipeline, asked }: OneEntryProps): ComponentChild {
  const [entry, setEntry] = useState<Entry | undefined>(undefined);
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  const path = `/api/v1/entries/${part(name)}/${keyPath(asked)}`;
  useEffect(() => {
    const asking = new AbortController();
    const note = (...more: readonly Mark[]): void => {
      setMarks((before) => inOrder([...before, ...more]));
    };
    let before: Entry | undefined;
    const stop = repeatedly(
      AGAIN_MS,
      () => lookUp(name, asked),
      (found) => {
        setEntry(found);
        const heard = heardBetween(before, found);
        if (heard !== undefined) note(heard);
        before = found;
      },
    );
    void hearOutputs(`/api/v1/events/${part(name)}?key=${keyPath(asked)}`, asking.signal, (output) => {
      note(...outputMarks(output));
    });
    return () => {
      stop();
      asking.abort();
    };
  }, [path]);
  if (entry === undefined) return h('p', { class: 'quiet', role: 'status' }, 'Looking it up …');
  const wallMs = facts.instance?.wallMs ?? 0;
  const life = inOrder([
    ...marks,
    ...(entry['state'] === 'live' || entry['state'] === 'CLOSED' ? lifeOf(entry, wallMs) : []),
  ]);
  return h(
    'div',
    { id: 'entry' },
    h(Silence, { entry, wallMs }),
    h(
      'div',
      { class: 'pair' },
      h(
        'div',
        null,
        h('h3', { id: 'life' }, `The life of ${keyOf(asked)}`),
        life.length === 0
          ? h('p', { class: 'quiet' }, NO_LIFE)
          : h(Table, {
              label: 'life',
              heads: ['When (UTC)', 'What'],
              rows: life.map(({ atMs, what }) => [moment(atMs), what]),
            }),
        h(Acts, { path, acts: pipeline.acts.filter((act) => act !== 'evict') }),
      ),
      shown(entry),
    ),
  );
}

/** By the look-up of many, which answers for a key that has none as for one that has. */
async function lookUp(name: string, asked: Entry): Promise<Entry> {
  const keys = [asked['keyBase64'] === undefined ? asked['key'] : { base64: asked['keyBase64'] }];
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ keys }) };
  const { body } = await askJson(`/api/v1/entries/${part(name)}:lookup`, init);
  const { entries } = body as { readonly entries?: readonly Entry[] };
  return entries?.[0] ?? (body as Entry);
}

/** How long it has been silent, of how long it may be. */
function Silence({ entry, wallMs }: { readonly entry: Entry; readonly wallMs: number }): ComponentChild {
  const { lastSeenAt, renewedAt = lastSeenAt, deadlineAt } = entry;
  if (typeof renewedAt !== 'number' || typeof deadlineAt !== 'number') return null;
  const [silent, may] = [Math.max(0, wallMs - renewedAt), deadlineAt - renewedAt];
  const words = `silent for ${(silent / 1_000).toFixed(1)} s of ${(may / 1_000).toFixed(1)} s`;
  return h(
    'p',
    { class: 'silence' },
    h('meter', { min: 0, max: Math.max(1, may), value: Math.min(silent, may), 'aria-label': words }),
    ` ${words}`,
  );
}

/** Keys and values of others: text, whatever is in them. */
function shown(entry: Entry): ComponentChild {
  return h(
    'dl',
    { class: 'entry' },
    Object.entries(entry).map(([name, value]) => [
      h('dt', { key: `${name} name` }, name),
      h('dd', { key: name, 'data-field': name }, fieldWord(name, value)),
    ]),
  );
}
