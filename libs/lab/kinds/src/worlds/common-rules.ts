// Rules common to every kind, as in the configuration of a world.
import type { DurationMs } from '@flatline/base';
import type { CommonRules } from '@flatline/oracle';
import type { AttributesOfWorld } from './attributes.ts';
import { INPUT, MAX_KEY_BYTES } from './topics.ts';

/** One input behind the first. */
export interface InputOfWorld {
  readonly topic: string;
  readonly timestampType: CommonRules['timestampType'];
  readonly touches: boolean;
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  readonly holdMs: DurationMs;
}

/** Each input, where there are several: the first one with them. */
export function inputsOf({
  timestampType = 'LogAppendTime',
  furtherInputs = [],
}: Partial<Pick<KindScenario, 'timestampType' | 'furtherInputs'>>): readonly InputOfWorld[] {
  if (furtherInputs.length === 0) return [];
  return [{ topic: INPUT, timestampType, touches: true, unknownKey: 'open', holdMs: 0 }, ...furtherInputs];
}

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
  /** Inputs that are read with the first one as one (S8), which is activity. Default: none. */
  readonly furtherInputs?: readonly InputOfWorld[];
  /** Length of the safety phase. */
  readonly stormMs: DurationMs;
}

/** `gate`: which attributes get in, of all inputs. */
export function commonRules(scenario: KindScenario, gate?: AttributesOfWorld): CommonRules {
  const { timestampType, tombstones, proof, heldTime, bounds, maxStateBytes } = scenario;
  const { unheardMs, maxHoldMs } = heldTime ?? { unheardMs: 0, maxHoldMs: 0 };
  const { entriesMax, keyBytesMax } = bounds;
  const room = { maxKeyBytes: MAX_KEY_BYTES, entriesMax, keyBytesMax, stateBytesMax: maxStateBytes };
  const inputs = inputsOf(scenario).map(({ timestampType: stampedBy, touches, unknownKey, holdMs }) => ({
    timestampType: stampedBy,
    maxKeyBytes: MAX_KEY_BYTES,
    touches,
    unknownKey,
    holdMs,
    ...(gate && { attributes: gate.judged.attributes }),
  }));
  return {
    ...room,
    ...gate?.judged,
    ...(inputs.length > 0 && { inputs }),
    timestampType,
    tombstones,
    proof,
    unheardMs,
    maxHoldMs,
  };
}
