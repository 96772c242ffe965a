// The keys that a flush removes: which commit removes a key last, and all of them in an order that suits the store. After a
// mass expiry there are a million (F18), and as strings in a map they would be a hundred megabytes for the collector to walk.
//
// Owns: where each key is found, which were taken.      Does not own: the keys' bytes, which stay as they are meanwhile.
//
// Invariants
//   RK1  A key is here once, however often it was noted, with the last commit that was noted for it.
//   RK2  At most half of the places are taken, so that a search soon meets an empty one.
import { hashBytes } from '@flatline/base';
import { KeyOrder, ORDER_BOUNDS, type OrderBounds } from './key-order.ts';

const PLACES_FIRST = 64;
const NONE: readonly Uint8Array[] = [];

export class RemovedKeys {
  readonly #hashSeed: number;
  readonly #keys: Uint8Array[] = [];
  readonly #commits: number[] = [];
  /** The number + 1 of the key at the place that its hash names, or at the next that was empty; 0: empty. */
  #places: Int32Array;

  /** `hashSeed`: so that colliding keys cannot be prepared (I3). `expected`: keys that there is room for from the start. */
  constructor(hashSeed: number, expected: number) {
    this.#hashSeed = hashSeed;
    this.#places = new Int32Array(placesFor(expected));
  }

  /** Says that a commit removes the key. Commits come in order. */
  note(key: Uint8Array, commit: number): void {
    if ((this.#keys.length + 1) * 2 > this.#places.length) this.#grow();
    const place = this.#placeOf(key, 0, key.length);
    const known = this.#places[place]!;
    if (known > 0) {
      this.#commits[known - 1] = commit;
      return;
    }
    this.#keys.push(key);
    this.#commits.push(commit);
    this.#places[place] = this.#keys.length;
  }

  /** The last commit that removes the key; −1: none does. */
  lastCommitOf(bytes: Uint8Array, start: number, length: number): number {
    if (this.#keys.length === 0) return -1;
    const known = this.#places[this.#placeOf(bytes, start, length)]!;
    return known > 0 ? this.#commits[known - 1]! : -1;
  }

  /** All keys, up to `limit` at a time; none where all that was done is a part of the work that comes before. */
  *take(limit: number, { window, run }: OrderBounds = ORDER_BOUNDS): Generator<readonly Uint8Array[], void> {
    for (let base = 0; base < this.#keys.length; base += window) {
      const keys = this.#keys.slice(base, base + window);
      const order = new KeyOrder(new Keys(keys));
      for (let from = 0; from < keys.length; from += run) {
        if (from > 0) yield NONE;
        order.addRun(from, Math.min(from + run, keys.length));
      }
      for (let some = taken(order, keys, limit); some.length > 0; some = taken(order, keys, limit)) yield some;
    }
  }

  /** Where the key is, or else the empty place where it would be. */
  #placeOf(bytes: Uint8Array, start: number, length: number): number {
    const places = this.#places;
    const mask = places.length - 1;
    let place = hashBytes(bytes, start, length, this.#hashSeed) & mask;
    while (places[place] !== 0 && !isSame(this.#keys[places[place]! - 1]!, bytes, start, length))
      place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    this.#places = new Int32Array(this.#places.length * 2);
    this.#keys.forEach((key, number) => {
      this.#places[this.#placeOf(key, 0, key.length)] = number + 1;
    });
  }
}

/** Some keys as they are numbered. */
class Keys {
  readonly #keys: readonly Uint8Array[];
  readonly start = 0;
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  at(number: number): void {
    this.bytes = this.#keys[number]!;
    this.length = this.bytes.length;
  }
}

function taken(order: KeyOrder, keys: readonly Uint8Array[], limit: number): readonly Uint8Array[] {
  const some: Uint8Array[] = [];
  while (some.length < limit) {
    const number = order.next();
    if (number < 0) break;
    some.push(keys[number]!);
  }
  return some;
}

function placesFor(keys: number): number {
  let places = PLACES_FIRST;
  while (places < keys * 2 + 2) places *= 2;
  return places;
}

function isSame(key: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (key.length !== length) return false;
  for (let i = 0; i < length; i += 1) if (key[i] !== bytes[start + i]) return false;
  return true;
}
