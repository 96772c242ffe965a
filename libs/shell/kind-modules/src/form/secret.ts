import { z } from 'zod';

/** Beginning of a message whose value must not be shown. */
export const SECRETS_ARE = 'secrets are referred to';

/** Where to find it: secrets are not written into files that are committed. */
export const secret = z.union(
  [z.strictObject({ file: z.string().min(1) }), z.strictObject({ env: z.string().min(1) })],
  { error: `${SECRETS_ARE}: { "file": "…" } or { "env": "…" }` },
);
export type SecretReference = z.infer<typeof secret>;
