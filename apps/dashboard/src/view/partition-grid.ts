// Every partition as a cell, in the colour of its owner: what moves is seen to move. The table below says the same in words.
import { h, type ComponentChild } from 'preact';
import type { TabProps } from './tab-props.ts';
import { facts } from './state.ts';

/** Colours there are; a further instance begins again with the first. */
const COLOURS = 6;

export function PartitionGrid({ name, pipeline }: TabProps): ComponentChild {
  const owners = [...pipeline.members].sort();
  return h(
    'div',
    null,
    h(
      'ul',
      { class: 'legend' },
      owners.map((owner, at) => h('li', { key: owner, class: `owner-${at % COLOURS}` }, owner)),
    ),
    h(
      'div',
      { class: 'grid', 'aria-hidden': 'true' },
      Array.from({ length: pipeline.inputPartitions }, (_, partition) =>
        h(Cell, { key: partition, name, partition, owners }),
      ),
    ),
  );
}

interface CellProps {
  readonly name: string;
  readonly partition: number;
  readonly owners: readonly string[];
}

function Cell({ name, partition, owners }: CellProps): ComponentChild {
  const part = facts.part(name, partition);
  const at = part?.owner === null || part === undefined ? -1 : owners.indexOf(part.owner);
  const owner = at < 0 ? 'owner-none' : `owner-${at % COLOURS}`;
  const state = part?.role === 'owner' ? part.state : 'elsewhere';
  return h('span', { class: `cell ${owner} ${state}` }, partition);
}
