/** A thing under a key, or what is kept beside all keys, by the names of docs/FORMATS.md. Bytes stay bytes. */
export type ShownEntry = Readonly<Record<string, unknown>>;
