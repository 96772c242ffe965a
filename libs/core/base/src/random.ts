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
  // Three words and a counter. An array of words, since V8 keeps a captured variable as a number of its own on the heap.
  const state = Int32Array.of(0, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1);
  const next32 = (): number => {
    const b = state[1]!;
    const c = state[2]!;
    const result = (state[0]! + b + state[3]!) | 0;
    state[3]! += 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + result;
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

export function randomBytes(random: Random, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 1) bytes[at] = random.below(256);
  return bytes;
}
