// What an operator may do to a key: pressed twice, for it cannot be taken back. A role that may not is told so by the processor.
import { h, type ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { askJson } from './ask.ts';

interface ActsProps {
  /** The entry's. */
  readonly path: string;
  readonly acts: readonly string[];
}

export function Acts({ path, acts }: ActsProps): ComponentChild {
  const [armed, arm] = useState<string | undefined>(undefined);
  const [said, say] = useState('');
  const press = (act: string): void => {
    if (armed !== act) {
      arm(act);
      return;
    }
    arm(undefined);
    void askJson(`${path}:${act}`, { method: 'POST' }).then(({ status, body }) => {
      const { error, topic, partition, offset } = body as {
        readonly error?: string;
        readonly topic?: string;
        readonly partition?: number;
        readonly offset?: number;
      };
      say(
        status === 202
          ? `${act} is in the log: ${topic!} ${partition!}/${offset!}`
          : (error ?? `the processor answers ${status}`),
      );
    });
  };
  return h(
    'div',
    { class: 'acts' },
    acts.map((act) =>
      h(
        'button',
        {
          key: act,
          type: 'button',
          class: armed === act ? 'armed' : 'act',
          onClick: () => {
            press(act);
          },
        },
        armed === act ? `really ${act}?` : act,
      ),
    ),
    h('span', { role: 'status', class: 'said' }, said),
  );
}
