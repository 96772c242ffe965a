// Property tests take the same cases on every machine and in every run, so that what fails once fails again. A failure prints
// its seed: FUZZ_SEED=<seed> brings it back, and any other number looks further.
import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';

const SEED = 20_261_121;

// Only where it is used: to load it takes as long as many a test.
if (readFileSync(expect.getState().testPath, 'utf8').includes("'fast-check'")) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? SEED) });
}
