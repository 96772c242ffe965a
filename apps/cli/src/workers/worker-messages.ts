// Messages between a supervisor and a worker, over the channel that Node opens between parent and child.
import type {
  ActOutcome,
  AskedAct,
  Asking,
  HereAnswers,
  HerePage,
  PageAsking,
  ProcessView,
  RestartOutcome,
} from '@flatline/processor';

export type ToWorker =
  | { readonly kind: 'stop' }
  /** Answered with the same id. */
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question };

export type Question =
  | { readonly about: 'view' }
  | { readonly about: 'metrics' }
  | { readonly about: 'entries'; readonly asking: Asking }
  | { readonly about: 'act'; readonly asked: AskedAct }
  | { readonly about: 'page'; readonly asking: PageAsking }
  | { readonly about: 'restart'; readonly pipeline: string; readonly partition: number };

/** Fields not asked for are left out; all of them are while the processor has not started. */
export interface FromWorker {
  readonly kind: 'answer';
  readonly id: number;
  readonly view?: ProcessView;
  readonly metrics?: string;
  readonly entries?: HereAnswers | undefined;
  readonly page?: HerePage | undefined;
  readonly outcome?: RestartOutcome;
  /** The question made the worker fail; nothing else is said then. */
  readonly failure?: string;
  readonly acted?: ActOutcome | undefined;
}
