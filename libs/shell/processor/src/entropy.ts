import { randomBytes } from 'node:crypto';
import type { Entropy } from '@flatline/runtime';

/** The system's randomness. */
export const systemEntropy: Entropy = {
  id: () => randomBytes(9).toString('base64url'),
  seed: () => randomBytes(4).readUInt32LE(),
};
