// Has a stopped partition try again, once what stopped it is mended.
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { askJson, part } from './ask.ts';
import { Twice } from './twice.ts';

const WORDS: Readonly<Record<string, string>> = {
  absent: 'is not owned here: open the page of its owner',
  notStopped: 'runs again already',
};

export function Restart({ name, partition }: { readonly name: string; readonly partition: number }): ComponentChild {
  const [said, say] = useState('');
  const restart = async (): Promise<void> => {
    const path = `/api/v1/partitions/${part(name)}/${partition}/restart`;
    const { status, body } = await askJson(path, { method: 'POST' });
    const { error, outcome } = body as { readonly error?: string; readonly outcome?: string };
    const refused = error ?? WORDS[outcome ?? ''] ?? `the processor answers ${status}`;
    say(status === 202 ? 'is asked to try again' : refused);
  };
  return h(
    'span',
    { class: 'acts' },
    h(Twice, { name: 'restart', act: () => void restart() }),
    h('span', { role: 'status', class: 'said' }, said),
  );
}
