import { seededRandom } from '@flatline/base';

/** Random UUIDs, as session ids mostly are: 36 bytes each. Same seed, same keys. */
export function sessionKeys(sessions: number, seed: number): readonly Buffer[] {
  const random = seededRandom(seed);
  const word = (): string =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return Array.from({ length: sessions }, () => {
    const hex = word() + word() + word() + word();
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return Buffer.from(parts.join('-'), 'latin1');
  });
}
