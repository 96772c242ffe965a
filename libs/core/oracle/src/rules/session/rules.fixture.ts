import type { PipelineRules } from '../../logs/history.ts';

export const RULES: PipelineRules = {
  kind: 'session',
  timestampType: 'LogAppendTime',
  timeoutMs: 5_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 20_000,
  maxDurationMs: 40_000,
  dedupeEventIds: 4,
  maxSources: 3,
  maxAttributes: 3,
  maxAttributeBytes: 60,
  maxKeyBytes: 32,
  unheardMs: 0,
  maxHoldMs: 0,
};
