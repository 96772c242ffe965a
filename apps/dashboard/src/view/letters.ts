// Records that could not be applied, the newest first, and sending one back.
import { h, type ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { plain } from '../model/entry.ts';
import { canGoBack, type DeadLetter, lettersFinding, type Replayed, replayWord } from '../model/letters.ts';
import { moment, number } from '../model/words.ts';
import { askJson, part } from './ask.ts';
import { repeatedly } from './repeatedly.ts';
import type { TabProps } from './tab-props.ts';
import { Table } from './table.ts';
import { Twice } from './twice.ts';

const AGAIN_MS = 5_000;
const LIST_MAX = 200;
const HEADS = ['Place', 'Written (UTC)', 'Reason', 'Detail', 'Key', 'Bytes', 'It was', 'Replay'];

interface Answer {
  readonly letters: readonly DeadLetter[];
  /** In words. */
  readonly trouble: string | undefined;
}

export function Letters({ name }: TabProps): ComponentChild {
  const [{ letters, trouble }, setAnswer] = useState<Answer>({
    letters: [],
    trouble: 'Reading the topic of dead letters …',
  });
  const [said, say] = useState('');
  const path = `/api/v1/dead-letters/${part(name)}`;
  const ask = async (): Promise<Answer> => {
    const { status, body } = await askJson(`${path}?limit=${LIST_MAX}`);
    const { letters: found, error } = body as { readonly letters?: readonly DeadLetter[]; readonly error?: string };
    return { letters: found ?? [], trouble: status === 200 ? undefined : (error ?? `the processor answers ${status}`) };
  };
  useEffect(() => repeatedly(AGAIN_MS, ask, setAnswer), [path]);
  const replay = async (places: readonly string[]): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { status, body } = await askJson(`${path}/replay`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ places }),
    });
    say(replayWord(status, body as Replayed));
    setAnswer(await ask());
  };
  const places = letters.filter(canGoBack).map(({ place }) => place);
  return h(
    'div',
    { class: 'board' },
    h(
      'section',
      { class: 'card wide', 'aria-labelledby': 'letters' },
      h('h2', { id: 'letters' }, trouble ?? lettersFinding(letters)),
      h('p', { role: 'status', class: 'said' }, said),
      places.length < 2
        ? null
        : h(Twice, { name: `replay all ${number(places.length)}`, act: () => void replay(places) }),
      letters.length === 0
        ? null
        : h(Table, { label: 'letters', heads: HEADS, figures: ['Bytes'], rows: letters.map(rowOf) }),
    ),
  );

  function rowOf(letter: DeadLetter): readonly ComponentChild[] {
    const { place, writtenAt, reason, detail, key, keyBase64, valueBytes, origin, replays } = letter;
    const fate = replays > 0 ? 'replayed' : 'is not whole';
    return [
      place,
      moment(writtenAt),
      reason,
      detail,
      keyBase64 === undefined ? plain(key) : `base64 ${keyBase64}`,
      valueBytes === null ? 'null' : number(valueBytes),
      `${origin.topic} ${origin.partition}/${origin.offset}`,
      canGoBack(letter) ? h(Twice, { name: 'replay', act: () => void replay([place]) }) : fate,
    ];
  }
}
