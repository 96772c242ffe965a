// Deliveries to webhooks, by endpoint.
import { h, type ComponentChild } from 'preact';
import type { DeliveryFact } from '../model/facts.ts';
import { number } from '../model/words.ts';
import { facts } from './state.ts';
import type { TabProps } from './tab-props.ts';
import { Table } from './table.ts';

const FIGURES = ['Delivered', 'Failed attempts', 'Under way', 'Ready', 'Parked', 'Given up'];
const HEADS = ['Endpoint', 'Instance', 'Is', ...FIGURES];
const STATES = { closed: 'well', open: 'failing, tried now and then', disabled: 'disabled' } as const;

export function Deliveries({ name }: TabProps): ComponentChild {
  const all = facts
    .deliveries(name)
    .flatMap(([instance, endpoints]) => endpoints.map((each) => ({ instance, ...each })));
  return h(
    'div',
    { class: 'board' },
    h(
      'section',
      { class: 'card wide', 'aria-labelledby': 'deliveries' },
      h('h2', { id: 'deliveries' }, findingOf(all)),
      all.length === 0
        ? null
        : h(Table, {
            label: 'deliveries',
            heads: HEADS,
            figures: FIGURES,
            rows: all.map((each) => [
              each.endpoint,
              each.instance,
              STATES[each.breaker],
              ...[each.delivered, each.attemptsFailed, each.underWay, each.ready, each.parked, each.givenUp].map(
                number,
              ),
            ]),
          }),
    ),
  );
}

function findingOf(all: readonly DeliveryFact[]): string {
  if (all.length === 0) return 'No endpoint gets outputs of this pipeline';
  const ill = new Set(all.filter(({ breaker }) => breaker !== 'closed').map(({ endpoint }) => endpoint));
  const delivered = number(all.reduce((sum, each) => sum + each.delivered, 0));
  return ill.size === 0
    ? `Every endpoint takes what it gets: ${delivered} delivered`
    : `${[...ill].join(', ')} fails; ${delivered} delivered`;
}
