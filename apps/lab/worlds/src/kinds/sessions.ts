// Sessions as the processes of a world run them, with events that make the product fail on purpose (I6).
import type { Clock } from '@flatline/base';
import { type PipelineKind, sessionKind } from '@flatline/kinds';
import type { EventDecoder } from '@flatline/ports/formats';
import { EventFormats, openSummaryEncoder } from '@flatline/records';
import { FAILS_APPLYING, FAILS_DECODING } from '../devices.ts';
import { OUTPUT, RULES } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';

/** Thrown where a record is to make the product fail. */
export const ON_PURPOSE = 'failed on purpose';

const encoder = await openSummaryEncoder('json', OUTPUT, undefined);

type SessionScenario = Pick<Scenario, 'timeoutMs' | 'maxDurationMs' | 'tombstones'>;

export function openSessions(scenario: SessionScenario, clock: Clock): PipelineKind {
  const { timeoutMs, maxDurationMs, tombstones } = scenario;
  const rules = { ...RULES, timeoutMs, maxDurationMs };
  return sessionKind({ rules, decoder: jsonDecoder(clock), encoder, tombstones, outputTopic: OUTPUT });
}

function jsonDecoder(clock: Clock): EventDecoder {
  const formats = new EventFormats({ format: 'json', registry: undefined, clock });
  return {
    prepare: (schemaId) => formats.prepare(schemaId),
    decode: (bytes, start, length, target) => {
      const outcome = formats.decode(bytes, start, length, target);
      if (target.type === FAILS_DECODING) throw new TypeError(ON_PURPOSE);
      if (target.type === FAILS_APPLYING) target.attributes = new Unwalkable();
      return outcome;
    },
  };
}

/** Attributes that throw in the middle of an event's being applied. */
class Unwalkable extends Map<string, string> {
  override [Symbol.iterator](): MapIterator<[string, string]> {
    throw new TypeError(ON_PURPOSE);
  }
}
