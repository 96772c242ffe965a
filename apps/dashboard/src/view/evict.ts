// Ends all that have an attribute with a value, such as the users of a gateway that is lost: one record in each partition (Q4).
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { number } from '../model/words.ts';
import { askJson, part } from './ask.ts';
import { Twice } from './twice.ts';

interface Outcome {
  readonly error?: string;
  readonly records?: readonly unknown[];
}

export function Evict({ name }: { readonly name: string }): ComponentChild {
  const [attribute, setAttribute] = useState('');
  const [equals, setEquals] = useState('');
  const [said, say] = useState('');
  const evict = async (): Promise<void> => {
    const { status, body } = await askJson(`/api/v1/entries/${part(name)}:evict`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ attribute, equals }),
    });
    const { error, records } = body as Outcome;
    const done = `evict is in the log of ${number(records?.length ?? 0)} partitions`;
    say(status === 202 ? done : (error ?? `the processor answers ${status}`));
  };
  return h(
    'section',
    { class: 'card wide', 'aria-labelledby': 'evict' },
    h('h2', { id: 'evict' }, 'End all that have an attribute'),
    h(
      'div',
      { class: 'acts' },
      field('attribute', 'Attribute', attribute, setAttribute),
      field('equals', 'is', equals, setEquals),
      h(Twice, { name: 'evict', act: () => void evict() }),
      h('span', { role: 'status', class: 'said' }, said),
    ),
  );
}

function field(id: string, label: string, value: string, set: (text: string) => void): ComponentChild {
  const input = (event: Event): void => {
    set((event.target as HTMLInputElement).value);
  };
  return [
    h('label', { for: id }, label),
    h('input', { id, value, onInput: input, autocomplete: 'off', spellcheck: false }),
  ];
}
