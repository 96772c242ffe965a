/**
 * Text as a message may show it: user and password of an address are left out, up to the last at-sign, since both may hold any
 * character. A name with an at-sign and no colon before it is no address.
 */
export function withoutCredentials(text: string): string {
  const end = text.lastIndexOf('@');
  if (end < 0 || !text.slice(0, end).includes(':')) return text;
  const scheme = /^\s*[a-z][a-z\d+.-]*:\/*/i.exec(text)?.[0] ?? '';
  return `${scheme}(not shown)${text.slice(end)}`;
}
