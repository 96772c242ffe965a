/** Bytes of an unsigned LEB128 (docs/FORMATS.md, Changelog). */
export function varintBytes(value: number): number {
  return value < 128 ? 1 : 1 + varintBytes(Math.floor(value / 128));
}
