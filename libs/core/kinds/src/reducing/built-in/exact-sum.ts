// Sums that do not depend on the order of what is added: the exact one, as the numbers that it rounds to one after the other
// (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997; rounded as Python's `math.fsum` does). The first is the sum as
// a double; each other one is what rounding the rest leaves. Of one sum there is one such list.

/** A number added is below this: 2^53 of them do not overflow. */
export const ADDEND_LIMIT = 2 ** 970;

/** `parts`, and the result, are such lists. */
export function withAddend(parts: readonly number[], addend: number): number[] {
  return normalized(grown([...parts].reverse(), addend));
}

export function sumOfBoth(a: readonly number[], b: readonly number[]): number[] {
  let all = [...a].reverse();
  for (const each of b) all = grown(all, each);
  return normalized(all);
}

export function rounded(parts: readonly number[]): number {
  return parts[0] ?? 0;
}

/** Adds to numbers that do not overlap, the least first; so are those returned, and their sum is exact. */
function grown(parts: readonly number[], addend: number): number[] {
  const all: number[] = [];
  let high = addend;
  for (const part of parts) {
    const [larger, smaller] = Math.abs(high) < Math.abs(part) ? [part, high] : [high, part];
    high = larger + smaller;
    const low = smaller - (high - larger);
    if (low !== 0) all.push(low);
  }
  if (high !== 0) all.push(high);
  return all;
}

function normalized(parts: readonly number[]): number[] {
  const list: number[] = [];
  for (let rest = parts; rest.length > 0;) {
    const next = roundedSum(rest);
    list.push(next);
    rest = grown(rest, -next);
  }
  return list;
}

/** To nearest, ties to even. */
function roundedSum(parts: readonly number[]): number {
  let at = parts.length - 1;
  let high = parts[at]!;
  let low = 0;
  while (at > 0 && low === 0) {
    at -= 1;
    const [before, part] = [high, parts[at]!];
    high = before + part;
    low = part - (high - before);
  }
  // Half-way cases are decided by what lies below.
  if (at > 0 && low !== 0 && Math.sign(low) === Math.sign(parts[at - 1]!)) {
    const doubled = low * 2;
    const other = high + doubled;
    if (doubled === other - high) high = other;
  }
  return high;
}
