// Keys and attributes are hostile (I3): a terminal obeys control characters, and a reader is misled by bidirectional
// overrides. So everything shown is escaped, JSON too, which by itself leaves C1 controls as they are.

/** C0, DEL, C1, line and paragraph separators, bidirectional controls, zero-width characters, lone surrogates, BOM. */
const UNSAFE =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Text that a terminal shows and does not obey; a backslash is doubled, so that nothing shown is ambiguous. */
export function printable(text: string): string {
  return text.replaceAll('\\', '\\\\').replace(UNSAFE, escapeCharacter);
}

/** A key's bytes, `(empty)` for none: as text where they are UTF-8, else every byte beyond ASCII as `\xNN`. */
export function printableKey(key: Uint8Array): string {
  if (key.length === 0) return '(empty)';
  try {
    return printable(strictUtf8.decode(key));
  } catch {
    let shown = '';
    for (const byte of key) shown += byte < 0x80 ? printable(String.fromCharCode(byte)) : `\\x${byte.toString(16)}`;
    return shown;
  }
}

/** JSON on one line that is also safe on a terminal: a parser gives back the same values. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, escapeCharacter);
}

/** At most `widthMax` characters, the last an ellipsis where something was cut; never cuts a surrogate pair. */
export function shorten(text: string, widthMax: number): string {
  const characters = Array.from(text);
  return characters.length <= widthMax ? text : `${characters.slice(0, Math.max(0, widthMax - 1)).join('')}…`;
}
