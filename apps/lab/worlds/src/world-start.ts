// When a world begins: half of those of schedules do seconds before clocks are turned.
import { type Millis, seededRandom } from '@flatline/base';
import type { KindName } from './kinds/kind-names.ts';
import { oneOf } from './one-of.ts';

/** In Europe/Berlin and America/Nuuk: back, and forward. */
const TURNS: readonly Millis[] = [1_792_890_000_000, 1_806_195_600_000];
const BEFORE_MS = 15_000;

export function worldStart(seed: number, kind: KindName): { readonly startMs?: Millis } {
  const random = seededRandom(seed);
  return kind === 'schedule' && random.chance(0.5) ? { startMs: oneOf(random, TURNS) - random.below(BEFORE_MS) } : {};
}
