// Bytes as strings: names for maps, and human-readable text.

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const CHUNK = 4_096;

/** One character per byte: equal names mean equal keys. */
export function nameOf(bytes: Uint8Array): string {
  let name = '';
  for (let at = 0; at < bytes.length; at += CHUNK) name += charactersOf(bytes.subarray(at, at + CHUNK));
  return name;
}

/** Not spread: each byte would pass through an iterator, which is several times as slow. */
const charactersOf = (bytes: ArrayLike<number>): string =>
  Reflect.apply(String.fromCharCode, undefined, bytes) as string;

export function bytesOf(name: string): Uint8Array {
  return Uint8Array.from(name, (character) => character.charCodeAt(0));
}

/** As FORMATS has it: bytes that are not UTF-8 become replacement characters. */
export function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** undefined: not UTF-8. */
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
