// The form of `input.attributes` (E1): which attributes of a record may get in, and of which only a hash.
import { z } from 'zod';
import { secret } from './secret.ts';

/** Names in one list. */
const NAMES_MAX = 256;
/** UTF-16 code units of one. */
const NAME_LENGTH_MAX = 256;
/** UTF-8 bytes of all names of a pipeline, as JSON: the changelog says them again and again (K1), in a block that must hold them. */
export const ATTRIBUTE_NAMES_BYTES_MAX = 8_192;

const attributeName = z
  .string()
  .max(NAME_LENGTH_MAX)
  .refine((text) => text.isWellFormed(), 'a name that UTF-8 can encode: no half of a surrogate pair');

/** A JSON pointer (RFC 6901): "~" only as "~0" and "~1"; empty for the whole. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export const attributesForm = z.strictObject({
  at: z
    .string()
    .max(NAME_LENGTH_MAX)
    .regex(
      POINTER,
      'a JSON pointer as "/payload/after", with "~0" for "~" and "~1" for "/" within a name; "" for the whole value',
    )
    .optional(),
  allow: z.array(attributeName).max(NAMES_MAX).optional(),
  hash: z.array(attributeName).min(1).max(NAMES_MAX).optional(),
  hashKey: secret.optional(),
});
