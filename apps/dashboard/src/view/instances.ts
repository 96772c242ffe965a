// The group: who has how much, of those that tell it here.
import { h, type ComponentChild } from 'preact';
import { number } from '../model/words.ts';
import type { TabProps } from './tab-props.ts';
import { facts } from './state.ts';
import { Table } from './table.ts';

const FIGURES = ['Partitions', 'Standbys', 'Live', 'Lag', 'Dead letters'];
const HEADS = ['Instance', ...FIGURES];

export function Instances({ name, pipeline }: TabProps): ComponentChild {
  const told = new Map(facts.figures(name));
  const names = [...new Set([...told.keys(), ...pipeline.members])];
  const silent = names.length - told.size;
  const finding = `${number(names.length)} ${names.length === 1 ? 'instance' : 'instances'}${silent === 0 ? '' : `, of which ${number(silent)} tell no figures here`}`;
  const rows = names.map((each) => {
    const figures = told.get(each);
    if (figures === undefined) return [each, '–', '–', '–', '–', '–'];
    const { partitions, standbys, live, lag, deadLetters } = figures;
    return [each, ...[partitions, standbys, live, lag, deadLetters].map(number)];
  });
  return h(
    'section',
    { class: 'card wide', 'aria-labelledby': 'instances' },
    h('h3', { id: 'instances' }, finding),
    h(Table, { label: 'instances', heads: HEADS, figures: FIGURES, rows }),
  );
}
