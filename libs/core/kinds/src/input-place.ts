// Places in the inputs of a pipeline, as one number each: a record's offset, and more for each input before its own. On the first
// input it is the offset, so that what a pipeline with one input keeps and says of offsets is what it always was.

/**
 * From one input to the next: no log gets so long. Of 256 inputs each place is a safe integer, and fits wherever an offset does.
 */
const PLACE_SPAN = 2 ** 45;

/** The place of offset 0 of an input, counted from 0. */
export function firstPlaceOf(input: number): number {
  return input * PLACE_SPAN;
}

export function offsetAt(place: number): number {
  return place % PLACE_SPAN;
}

/** Counted from 0. */
export function inputAt(place: number): number {
  return Math.floor(place / PLACE_SPAN);
}

/** Names what began at `place`, once and for good: input partition and offset, and behind them which input, from the second on. */
export function idAt(partition: number, place: number): string {
  const input = inputAt(place);
  const onFirst = `${partition}-${offsetAt(place)}`;
  return input === 0 ? onFirst : `${onFirst}-${input + 1}`;
}
