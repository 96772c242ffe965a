import { usageFailure } from '../failure.ts';

/** The bytes of a key, or of a part of one, as a flag or an argument gives it. @throws CommandFailure where it is no base64 */
export function keyBytes(text: string, { base64 }: { readonly base64?: boolean }): Uint8Array {
  if (base64 !== true) return Buffer.from(text);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  throw usageFailure(`${text} is not base64, in which --base64 expects keys`);
}
