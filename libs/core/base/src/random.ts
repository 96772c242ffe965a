/** A seeded generator: same seed, same sequence, on every machine. For tests, simulation and generated load; not for secrets. */
export interface Random {
  /** Uniform in [0, 1) with 32 bits of resolution. */
  next(): number;
  /** Uniform integer in [0, bound); `bound` from 1 to 2^32. */
  below(bound: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
}

/** sfc32 (Chris Doty-Humphrey, PractRand), seeded from one integer and warmed up by twelve rounds as its author advises. */
export function seededRandom(seed: number): Random {
  let a = 0;
  let b = seed | 0;
  let c = Math.floor(seed / 2 ** 32) | 0;
  let counter = 1;
  const next32 = (): number => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    return result >>> 0;
  };
  for (let round = 0; round < 12; round += 1) next32();
  const next = (): number => next32() / 2 ** 32;
  return {
    next,
    below: (bound) => Math.floor(next() * bound),
    chance: (probability) => next() < probability,
  };
}
