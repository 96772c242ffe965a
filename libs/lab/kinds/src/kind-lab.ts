// The lab's knowledge of a kind: worlds, chaos and recorded histories take it from here.
import type { KindName } from '@flatline/base';
import type { KindHistories } from './histories/kind-histories.ts';
import type { KindTraffic } from './traffic/kind-traffic.ts';
import type { KindWorlds } from './worlds/kind-worlds.ts';

/** Each kind has a folder, and a line in `index.ts`. */
export interface KindLab<Kind extends KindName> {
  readonly worlds: KindWorlds<Kind>;
  /** The records that chaos sends. */
  readonly traffic: KindTraffic<Kind>;
  readonly histories: KindHistories<Kind>;
}
