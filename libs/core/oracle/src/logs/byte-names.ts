// Bytes as strings: names for maps, and human-readable text.

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const CHUNK = 4_096;

/** One character per byte: two keys have the same name only if they are the same. */
export function nameOf(bytes: Uint8Array): string {
  let name = '';
  for (let at = 0; at < bytes.length; at += CHUNK) name += charactersOf(bytes.subarray(at, at + CHUNK));
  return name;
}

/** Spread, each byte would pass an iterator, which is several times as slow. */
const charactersOf = (bytes: ArrayLike<number>): string =>
  Reflect.apply(String.fromCharCode, undefined, bytes) as string;

export function bytesOf(name: string): Uint8Array {
  return Uint8Array.from(name, (character) => character.charCodeAt(0));
}

/** As FORMATS has it: what is not UTF-8 is shown with replacement characters. */
export function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** undefined: it is not UTF-8. */
export function utf8In(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined; // that is the answer
  }
}

/** Padded (RFC 4648). */
export function base64Of(bytes: Uint8Array): string {
  return btoa(nameOf(bytes));
}
