// A reducer with a declared state at work on windows (S10, B3). What the window keeps of it is one item: its value is the result, as
// JSON, its identity the state, since items that a reducer has taken are not told apart.
import { bareJson } from '@flatline/base';
import type { ReducerEvent, StateReducer } from '../reducing/index.ts';
import { bad, type Bad } from '../refusals.ts';
import { type BytesSpan, spanOf } from '../state-bytes.ts';
import type { Arriving } from './window-items.ts';

/** Type of an item as a reducer sees it. */
const ITEM = 'ITEM';

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The item with result and state in place of its value. `before`: the state of its window; undefined: it opens one. */
export function withState(
  reducer: StateReducer,
  before: BytesSpan | undefined,
  item: Arriving,
  { partition, effectiveAt }: { readonly partition: number; readonly effectiveAt: number },
): Arriving | Bad {
  const { offset, timestamp, length } = item;
  const caller = { partition, offset };
  const event: ReducerEvent = {
    type: ITEM,
    attributes: Object.create(null) as Record<string, string>,
    fields: fieldsOf(item),
    occurredAt: timestamp,
    effectiveAt,
    offset,
  };
  const state = reducer.add(before, () => event, caller);
  if ('kind' in state) return state;
  const result = reducer.finish(spanOf(state), caller);
  if (result === null) return bad('reducer-failed', 'finish threw at a state at which it had not');
  const bytes = utf8.encode(result.json);
  return { ...item, bytes, start: 0, length: bytes.length, identity: state, takenBytes: length };
}

/** Members of a value that is a JSON object; any other has none. */
function fieldsOf({ bytes, start, length }: Arriving): Readonly<Record<string, unknown>> {
  try {
    const value = bareJson(utf8Reader.decode(bytes.subarray(start, start + length)));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // No JSON, or no UTF-8: it has no fields.
  }
  return Object.create(null) as Record<string, unknown>;
}
