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

/** At most `widthMax` columns, the last an ellipsis where something was cut; never cuts a surrogate pair. */
export function shorten(text: string, widthMax: number): string {
  if (widthOf(text) <= widthMax) return text;
  let [kept, width] = ['', 0];
  for (const character of text) {
    width += widthOf(character);
    if (width >= widthMax) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Filled up with spaces to so many columns. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** East Asian Wide and Fullwidth, by block, and emoji: two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/gu;
/** Characters drawn over or into the one before. */
const NO_WIDTH = /[\p{Mn}\p{Me}\u1160-\u11ff]/gu;

/** Columns of a terminal. One that draws several emoji as one needs fewer; none needs more. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const characters = Array.from(text.replace(NO_WIDTH, ''));
  return characters.length + (text.match(WIDE)?.length ?? 0);
}
