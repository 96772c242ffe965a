// Acts of an operator on a key. A role that may not is told so by the processor.
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { askJson } from './ask.ts';
import { Twice } from './twice.ts';

interface ActsProps {
  /** The entry's. */
  readonly path: string;
  readonly acts: readonly string[];
}

interface Outcome {
  readonly error?: string;
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: number;
}

export function Acts({ path, acts }: ActsProps): ComponentChild {
  const [said, say] = useState('');
  const act = async (name: string): Promise<void> => {
    const { status, body } = await askJson(`${path}:${name}`, { method: 'POST' });
    const { error, topic, partition, offset } = body as Outcome;
    const done = `${name} is in the log: ${topic ?? ''} ${partition ?? ''}/${offset ?? ''}`;
    say(status === 202 ? done : (error ?? `the processor answers ${status}`));
  };
  return h(
    'div',
    { class: 'acts' },
    acts.map((name) => h(Twice, { key: name, name, act: () => void act(name) })),
    h('span', { role: 'status', class: 'said' }, said),
  );
}
