// Draws the kind of pipeline that a world simulates.
import { assert, KIND_NAMES, type KindName, type Random } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';

/** Drawn from a random of its own, so that each seed keeps its world. */
export function drawKind(random: Random): KindName {
  let draw = random.below(100);
  for (const kind of KIND_NAMES) {
    const { share } = KIND_LABS[kind].worlds;
    if (share === 'rest') continue;
    if (draw < share) return kind;
    draw -= share;
  }
  const rest = KIND_NAMES.find((kind) => KIND_LABS[kind].worlds.share === 'rest');
  assert(rest !== undefined, 'one kind takes the worlds that others leave');
  return rest;
}
