// Effects of an outage of the brokers on what lives until nothing is heard of it (C8).
import { DURATION_MAX_MS } from './form/setting.ts';
import type { LifeSection } from './form/lives.ts';
import type { Outage } from './kind-module.ts';
import type { AnyPipeline } from './pipeline.ts';

/** Ten within `unheardMs`, which is half of it. */
const PACES_PER_TIMEOUT = 20;

interface Lives extends AnyPipeline {
  readonly rules: Pick<LifeSection, 'timeoutMs' | 'minTimeoutMs'>;
}

export function outageOfLives(pipeline: Lives, what: string): Outage {
  const { heldTime, isPacedTooSlowly, rules, proof, proofIntervalMs, input } = pipeline;
  const { unheardMs, maxHoldMs } = heldTime;
  const { timeoutMs } = rules;
  if (unheardMs > 0) {
    const most = Math.min(DURATION_MAX_MS, unheardMs + maxHoldMs);
    const held = `one of up to ${most} ms ends no ${what}: all of it but ${unheardMs} ms is held (unheardMs, maxHoldMs)`;
    // S7, L1: a record may ask for less than the configured timeout.
    const short = `; one that asked for a timeoutMs of at most ${unheardMs} ends all the same`;
    return { doesHarm: false, text: rules.minTimeoutMs > unheardMs ? held : held + short };
  }
  if (input.timestampType === 'CreateTime')
    return {
      doesHarm: true,
      text: `one of more than timeoutMs (${timeoutMs}) ends each ${what} that is heard again later than others: producers' stamps do not show it. On a LogAppendTime topic it is held (C8)`,
    };
  const ends = `one of more than timeoutMs (${timeoutMs}) ends every ${what}`;
  if (proof === 'fetch')
    return {
      doesHarm: true,
      text: `${ends}: proof "fetch" leaves no clock records by which it shows. With "record" it is held (C8)`,
    };
  if (isPacedTooSlowly)
    return {
      doesHarm: true,
      text: `${ends}, as proofIntervalMs (${proofIntervalMs}) is more than a twentieth of timeoutMs. At most ${Math.floor(timeoutMs / PACES_PER_TIMEOUT)}, or left out, would hold it (C8)`,
    };
  return {
    doesHarm: true,
    text: `${ends}, as unheardMs is 0. Half of timeoutMs, at a second or more, would hold it (C8)`,
  };
}
