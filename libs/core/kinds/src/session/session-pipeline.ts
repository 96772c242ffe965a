// Sessions as a pipeline has them: what holds for all its partitions.
import type { PipelineKind } from '../contract.ts';
import { whyUnreadable } from '../reducing/kept-states.ts';
import { reductionsOf } from './kept-reductions.ts';
import { CLOSE_GROWTH_MAX, isRevised } from './revisions.ts';
import { type SessionCounters, zeroCounters } from './session-counters.ts';
import { sessionFormat } from './session-format.ts';
import { SessionKind } from './session-kind.ts';
import { prepareAll, type SessionOptions } from './session-options.ts';
import type { SessionWindow } from './session-window.ts';

export function sessionKind(options: SessionOptions): PipelineKind<SessionWindow, SessionCounters> {
  return {
    format: sessionFormat,
    counters: zeroCounters,
    ...(isRevised(options.rules) && { dueGrowthMax: CLOSE_GROWTH_MAX }),
    open: (parts) => new SessionKind(options, parts),
    prepare: (schemaId) => prepareAll(options, schemaId),
    whyUnreadable: (kept) => {
      const { reducer } = options.rules;
      const why = reducer && whyUnreadable(reducer, kept, reductionsOf);
      return why && `reducer: ${why}`;
    },
  };
}
