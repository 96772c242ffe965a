// Where records lie, of several inputs (docs/FORMATS.md, Changelog): a place is the offset, and 2^45 more for each input before
// the record's own, so on the only input there is it is the offset.

const SPAN = 2 ** 45;

/** How far each input has come, the first one first: behind the records that are applied. */
export type Positions = readonly number[];

/** Counted from 0. */
export function inputOf(place: number): number {
  return Math.max(0, Math.floor(place / SPAN));
}

export function offsetOf(place: number): number {
  return place - inputOf(place) * SPAN;
}

export function placeOf(input: number, offset: number): number {
  return input * SPAN + offset;
}

/** False of NaN, and where there is no such input. */
export function isBelow(place: number, positions: Positions): boolean {
  return offsetOf(place) < (positions[inputOf(place)] ?? -Infinity);
}

/** False of NaN, and where there is no such input. */
export function isBehind(place: number, positions: Positions): boolean {
  return offsetOf(place) >= (positions[inputOf(place)] ?? Infinity);
}

/** The name of what began there: partition and offset, and which input that was, from the second on. */
export function nameAt(partition: number, place: number): string {
  const input = inputOf(place);
  return `${partition}-${offsetOf(place)}${input === 0 ? '' : `-${input + 1}`}`;
}

/** The place at which what has that name began; NaN: it is no such name. */
export function placeIn(name: string): number {
  const [, offset, input = '1'] = /^\d+-(\d+)(?:-(\d+))?$/.exec(name) ?? [];
  return offset === undefined ? Number.NaN : placeOf(Number(input) - 1, Number(offset));
}

/** Human-readable: an offset, and of which input, from the second on. */
export function placeText(place: number): string {
  const input = inputOf(place);
  return `${offsetOf(place)}${input === 0 ? '' : ` of input ${input + 1}`}`;
}

/** Human-readable. */
export function positionsText(positions: Positions): string {
  return positions.join('/');
}

/** The furthest of both, of each input. */
export function furthest(a: Positions, b: Positions): Positions {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, input) => Math.max(a[input] ?? 0, b[input] ?? 0));
}
