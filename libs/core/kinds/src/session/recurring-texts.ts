// Short texts out of bytes, interned: types and attributes of sessions come again and again, and finding a string that there
// is costs less than making one.
//
// Owns: a direct-mapped table of the texts seen last.
// Does not own: the bytes.
//
// Invariants
//   RT1  A place's text is exactly what its bytes decode to; a collision only replaces.

/** Places, and bytes of the longest text kept. */
const PLACE_BITS = 10;
const PLACE_BYTES = 32;
/** 2³² by the golden ratio: what differs anywhere differs in the highest bits of a product with it, and those choose the place. */
const MULTIPLIER = 0x9e3779b1;

// Without `ignoreBOM` a leading U+FEFF is dropped, and the text would be another one.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export class RecurringTexts {
  readonly #bytes = new Uint8Array(PLACE_BYTES << PLACE_BITS);
  readonly #lengths = new Uint8Array(1 << PLACE_BITS);
  readonly #texts: string[] = new Array<string>(1 << PLACE_BITS).fill('');

  textOf(bytes: Uint8Array, start: number, length: number): string {
    // A copy: what decodes texts takes no shared memory everywhere.
    if (length > PLACE_BYTES) return utf8.decode(bytes.slice(start, start + length));
    const place = placeOf(bytes, start, length);
    if (this.#holds(place, bytes, start, length)) return this.#texts[place]!;
    const own = bytes.slice(start, start + length);
    const text = utf8.decode(own);
    this.#bytes.set(own, place * PLACE_BYTES);
    this.#lengths[place] = length;
    this.#texts[place] = text;
    return text;
  }

  #holds(place: number, bytes: Uint8Array, start: number, length: number): boolean {
    if (this.#lengths[place] !== length) return false;
    const held = this.#bytes;
    const at = place * PLACE_BYTES;
    for (let i = 0; i < length; i += 1) if (held[at + i] !== bytes[start + i]) return false;
    return true;
  }
}

function placeOf(bytes: Uint8Array, start: number, length: number): number {
  let hash = Math.imul(length, MULTIPLIER);
  for (let at = start; at < start + length; at += 1) hash = Math.imul(hash ^ bytes[at]!, MULTIPLIER);
  return hash >>> (32 - PLACE_BITS);
}
