// Rules common to every kind, as in the configuration of a world.
import type { DurationMs } from '@flatline/base';
import type { CommonRules } from '@flatline/oracle';
import { MAX_KEY_BYTES } from './topics.ts';

/** The parts of a world that its kind knows. */
export interface KindScenario extends Required<Pick<CommonRules, 'timestampType' | 'proof' | 'tombstones'>> {
  /** C8; undefined: no time is held. */
  readonly heldTime: Pick<CommonRules, 'unheardMs' | 'maxHoldMs'> | undefined;
  readonly bounds: Required<Pick<CommonRules, 'entriesMax' | 'keyBytesMax'>>;
  /** I7 */
  readonly maxStateBytes: number | undefined;
  /** A setting of sessions only, as is the next. */
  readonly timeoutMs: DurationMs;
  readonly maxDurationMs: DurationMs | undefined;
  /** Length of the safety phase. */
  readonly stormMs: DurationMs;
}

export function commonRules(scenario: KindScenario): CommonRules {
  const { timestampType, tombstones, proof, heldTime, bounds, maxStateBytes } = scenario;
  const { unheardMs, maxHoldMs } = heldTime ?? { unheardMs: 0, maxHoldMs: 0 };
  const { entriesMax, keyBytesMax } = bounds;
  const room = { maxKeyBytes: MAX_KEY_BYTES, entriesMax, keyBytesMax, stateBytesMax: maxStateBytes };
  return { ...room, timestampType, tombstones, proof, unheardMs, maxHoldMs };
}
