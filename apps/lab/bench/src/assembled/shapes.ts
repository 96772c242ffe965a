// Sessions whose bytes are compared: what each of them sends, and the settings that keep it.
import type { ProducedRecord } from '@flatline/kafka';
import { sessionKey } from '../session-key.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { NO_VALUE } from '../writing.ts';

export interface Shape {
  readonly name: string;
  readonly does: string;
  /** Settings of the pipeline. `table`: a topic that only adds data. */
  settings(topic: string, table: string): object;
  /** The records of each session, in order. */
  readonly values: readonly (Uint8Array | null)[];
}

/** Length of names and values together. */
export const ATTRIBUTE_BYTES = 500;
const NAMES = ['plan', 'country', 'campaign', 'device', 'page'];

export const STATS = {
  stats: { windows: ['1m', '1h', '1d'], dimensions: [{ name: 'plan', attribute: 'plan', max: 20 }] },
};

const EVENTS = [json({ type: 'VIEW', attributes: attributes() }), json({ type: 'CLICK' }), json({ type: 'BUY' })];

export const SHAPES: readonly Shape[] = [
  { name: 'bare', does: 'three bare heartbeats', settings: () => ({}), values: [NO_VALUE, NO_VALUE, NO_VALUE] },
  {
    name: 'attributes',
    does: `three events of as many types, attributes of ${ATTRIBUTE_BYTES} bytes`,
    settings: () => ({}),
    values: EVENTS,
  },
  {
    name: 'waiting',
    does: 'the same, ended, and waiting for revisions by a second input',
    settings: (topic, table) => ({
      ...inputs(topic, table, { touches: false, unknownKey: 'deadLetter' }),
      revisionWindowMs: NEVER_MS,
    }),
    values: [...EVENTS, null],
  },
  {
    name: 'counted',
    does: 'as with attributes, counted in windows of a minute, an hour and a day, by an attribute',
    settings: () => STATS,
    values: EVENTS,
  },
];

/** Settings of a pipeline with both. */
export function inputs(first: string, second: string, settings: object): object {
  // Loads choose the partition themselves.
  return {
    input: [
      { topic: first, partitioner: 'any' },
      { topic: second, partitioner: 'any', ...settings },
    ],
  };
}

/** The records of the sessions numbered `from` up to, and not including, `to`. */
export function* recordsOf(
  { values }: Pick<Shape, 'values'>,
  {
    from,
    to,
    seed,
    partitions,
  }: { readonly from: number; readonly to: number; readonly seed: number; readonly partitions: number },
): Iterable<ProducedRecord> {
  for (let session = from; session < to; session += 1) {
    const to = { partition: session % partitions, key: sessionKey(session, seed) };
    for (const value of values) yield { ...to, value };
  }
}

/** The values fill what the names leave. */
function attributes(): object {
  const names = NAMES.join('').length;
  const each = Math.floor((ATTRIBUTE_BYTES - names) / NAMES.length);
  const rest = ATTRIBUTE_BYTES - names - each * NAMES.length;
  return Object.fromEntries(NAMES.map((name, i) => [name, 'x'.repeat(each + (i === 0 ? rest : 0))]));
}

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
