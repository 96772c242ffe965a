import { blankReach } from '../../judge/reach.ts';
import type { PipelineRules } from '../../logs/history.ts';
import { EntriesFold } from '../entries-fold.ts';
import type { ExpectedClose } from './expected-close.ts';
import { sessionEntries } from './session-reading.ts';
import type { Session } from './session-state.ts';

export const RULES: PipelineRules = {
  kind: 'session',
  timestampType: 'LogAppendTime',
  timeoutMs: 5_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 20_000,
  maxDurationMs: 40_000,
  graceMs: 0,
  late: 'deadLetter',
  dedupeEventIds: 4,
  maxSources: 3,
  maxAttributes: 3,
  maxAttributeBytes: 60,
  maxKeyBytes: 32,
  unheardMs: 0,
  maxHoldMs: 0,
};

export interface SessionFold {
  readonly fold: EntriesFold<Session, ExpectedClose>;
  /** Takes the closes since the last call, in the order in which they were due. */
  readonly takeCloses: () => readonly ExpectedClose[];
  /** undefined: not open. */
  readonly sessionOf: (key: string) => Session | undefined;
  readonly deadlineOf: (key: string) => number | undefined;
}

export function sessionFold(rules: PipelineRules = RULES): SessionFold {
  const closes: ExpectedClose[] = [];
  const onSaid = (_key: Uint8Array, said: readonly ExpectedClose[]): void => {
    closes.push(...said);
  };
  const fold = new EntriesFold({ rules, counts: blankReach(), kind: sessionEntries(0, rules), onSaid });
  const lifeOf = (key: string): { readonly state: Session; readonly dueAt: number } | undefined =>
    [...fold.lives()].find(({ text }) => text === key);
  return {
    fold,
    takeCloses: () => closes.splice(0),
    sessionOf: (key) => lifeOf(key)?.state,
    deadlineOf: (key) => lifeOf(key)?.dueAt,
  };
}
