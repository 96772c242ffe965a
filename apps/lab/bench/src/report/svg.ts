// Pictures as text, readable on light and dark. Pure.
export const TEXT = '#6b7280';

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly font: string;
  /** Font size of the content; the title has 13. */
  readonly size: number;
  readonly title: string;
}

export function svg({ width, height, font, size, title }: Picture, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `role="img" font-family="${font}" font-size="${size}" fill="${TEXT}">`,
    `<title>${escaped(title)}</title>`,
    `<text x="0" y="18" font-size="13" font-weight="600">${escaped(title)}</text>`,
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
