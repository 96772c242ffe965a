// A reducer of the application's own (B3): each item is folded into the window's result as it comes.
//
// The result is JSON in the window's state. So a function that throws, or returns what no record holds, costs the item and
// nothing else; and committed results were computed once, whatever the function would return another time.
import { messageOf, type Millis, unawaited } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import type { Refusal } from '../contract.ts';
import { bad } from '../refusals.ts';

/** An item as a reducer sees it; all bytes are copies. */
export interface ReducerItem {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers: readonly RecordHeader[];
  readonly offset: number;
  readonly timestamp: Millis;
}

/**
 * Synchronous. `accumulated` is what the function returned for the item before, as JSON reads it back; undefined for the first of
 * a window.
 */
export type DebounceReducer = (accumulated: unknown, item: ReducerItem) => unknown;

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder('utf-8', { ignoreBOM: true });

/** A window as it stands: where it began, and how many items it has taken. */
export interface WindowAsOf {
  readonly firstOffset: number;
  readonly count: number;
}

/** Before it opens. */
export const NO_WINDOW: WindowAsOf = { firstOffset: -1, count: 0 };

/** Last result of the function: a record for which there is no room is taken again, and the function is not called again. */
export class LastReduced {
  #offset = -1;
  #window = NO_WINDOW;
  #said: Uint8Array | Refusal | undefined;

  /** Runs `reduce` on the item at `offset` for that window, unless that was done last. */
  of(offset: number, { firstOffset, count }: WindowAsOf, reduce: () => Uint8Array | Refusal): Uint8Array | Refusal {
    const { firstOffset: lastFirst, count: lastCount } = this.#window;
    const isSame = offset === this.#offset && firstOffset === lastFirst && count === lastCount;
    if (!isSame) this.#said = undefined;
    this.#offset = offset;
    this.#window = { firstOffset, count };
    return (this.#said ??= reduce());
  }
}

/** Returns the window's result with the item, as JSON; or why the item is refused. `before`: the result before it. */
export function reduced(
  reduce: DebounceReducer,
  before: Uint8Array | undefined,
  item: ReducerItem,
): Uint8Array | Refusal {
  try {
    const accumulated: unknown = before === undefined ? undefined : JSON.parse(utf8Reader.decode(before));
    const come = unawaited(reduce(accumulated, item));
    if (come instanceof Promise) return bad('reducer-failed', 'the reducer returned a promise; it must be synchronous');
    const json = JSON.stringify(come) as string | undefined;
    return json === undefined ? bad('reducer-failed', 'the reducer returned what is no JSON') : utf8.encode(json);
  } catch (error) {
    return bad('reducer-failed', `the reducer threw: ${messageOf(error)}`);
  }
}
