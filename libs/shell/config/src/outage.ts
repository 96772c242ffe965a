// Effects of an outage of the brokers on a pipeline, by its configuration (C8).
import { DURATION_MAX_MS } from './schema.ts';
import type { LeasePipeline, PipelineConfig, SessionPipeline } from './flatline-config.ts';

export interface Outage {
  /** True if it ends something whose client was only unheard. */
  readonly doesHarm: boolean;
  readonly text: string;
}

/** Ten within `unheardMs`, which is half of it. */
const PACES_PER_TIMEOUT = 20;

/** For `config check` and `doctor`. */
export function outageOf(pipeline: PipelineConfig): Outage {
  switch (pipeline.kind) {
    case 'session':
      return outageOfLives(pipeline, 'session');
    case 'lease':
      return outageOfLives(pipeline, 'lease');
    case 'debounce':
      return {
        doesHarm: false,
        text: 'windows due meanwhile fire behind it, and what comes late begins the next ones',
      };
    case 'schedule':
      return { doesHarm: false, text: 'runs due meanwhile come behind it, as "missed" and catchUpWindowMs say' };
  }
}

type Lives = SessionPipeline | LeasePipeline;

function outageOfLives(pipeline: Lives, what: string): Outage {
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
