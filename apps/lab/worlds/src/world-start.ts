// Draws the instant at which a world begins.
import { type KindName, type Millis, seededRandom } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';

export function worldStart(seed: number, kind: KindName): { readonly startMs?: Millis } {
  const startMs = KIND_LABS[kind].worlds.startAt(seededRandom(seed));
  return startMs === undefined ? {} : { startMs };
}
