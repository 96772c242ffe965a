// Every partition as a cell, in the colour of its owner: what moves is seen to move. The table below says the same in words.
import { h, type ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import type { TabProps } from './tab-props.ts';
import { facts } from './state.ts';

/** Colours there are; a further instance begins again with the first. */
const COLOURS = 6;
/** More cells than that would leave no room for the table: they are small, and have no numbers. */
const NUMBERED_MAX = 200;

export function PartitionGrid({ name, pipeline }: TabProps): ComponentChild {
  const { members, inputPartitions } = pipeline;
  // The same array as long as they are the same: a cell is drawn again when its own partition moves.
  const owners = useMemo(() => [...members].sort(), [members.join('\n')]);
  const isDense = inputPartitions > NUMBERED_MAX;
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
      { class: isDense ? 'grid dense' : 'grid', 'aria-hidden': 'true' },
      Array.from({ length: inputPartitions }, (_, partition) =>
        h(Cell, { key: partition, name, partition, owners, isDense }),
      ),
    ),
  );
}

interface CellProps {
  readonly name: string;
  readonly partition: number;
  readonly owners: readonly string[];
  readonly isDense: boolean;
}

function Cell({ name, partition, owners, isDense }: CellProps): ComponentChild {
  const part = facts.part(name, partition);
  const at = part?.owner === null || part === undefined ? -1 : owners.indexOf(part.owner);
  const owner = at < 0 ? 'owner-none' : `owner-${at % COLOURS}`;
  const state = part?.role === 'owner' ? part.state : 'elsewhere';
  const title = `${partition}: ${part?.owner ?? 'no owner'}, ${part?.state ?? 'unknown'}`;
  return h('span', { class: `cell ${owner} ${state}`, title }, isDense ? null : partition);
}
