// The code that keeps the rules while a request's outcome is unknown, or where a task begins again. Each guard is removed from a
// processor's sources by a test that must then see the rules broken.
import type { SourceEdit } from '@flatline/cluster/source-edits';

const COMMITTER = 'libs/shell/runtime/src/committing/committer.ts';
const WRITER = 'libs/shell/kafka/src/writer/transactional-writer.ts';
const LIVE = 'libs/core/partition/src/live/live-entries.ts';
const REVISIONS = 'libs/core/kinds/src/session/revisions.ts';
const REQUESTS = 'libs/shell/kafka/src/writer/producer-requests.ts';

export const guards = ['look-up', 'retire-writer', 'kept-state'] as const;

export type Guard = (typeof guards)[number];

const withoutGuard: Readonly<Record<Guard, readonly SourceEdit[]>> = {
  /** CM2: a commit of unknown outcome is looked up in the changelog before it is sent again. */
  'look-up': [{ file: COMMITTER, from: "if (found.kind === 'absent')", to: "if (found.kind !== 'lost')" }],
  /**
   * TW1, TW2: a writer is never used again after an error, and never aborts. kafkajs does both after a failed produce (kafkajs 2):
   * the abort discards the first attempt, and the broker takes the second one for its duplicate.
   */
  'retire-writer': [
    { file: COMMITTER, from: 'this.#recovering = true;', to: 'return this.#send(inFlight);' },
    {
      file: WRITER,
      from: 'this.#committing = true;',
      to: 'this.#committing = true; const before = new Map(this.#sequences);',
    },
    {
      file: WRITER,
      from: 'this.#end ??= end;',
      to: `for (const name of this.#sequences.keys()) this.#sequences.set(name, before.get(name) ?? 0);
           await this.#toCoordinator(endTransactionRequest(this.#epoch, false), decodeDone, 'abort').catch(() => undefined);
           throw error;`,
    },
    {
      file: REQUESTS,
      from: 'endTransactionRequest(writer: TransactionalEpoch)',
      to: 'endTransactionRequest(writer: TransactionalEpoch, isCommit = true)',
    },
    { file: REQUESTS, from: 'transactionBody(writer).bool(true)', to: 'transactionBody(writer).bool(isCommit)' },
  ],
  /** R1: what a task takes over of statistics (S12), and of how often a closed session was revised (S9). */
  'kept-state': [
    {
      file: LIVE,
      from: 'this.kept.begin(kept, this.clock, positions);',
      to: 'this.kept.begin(undefined, this.clock, positions);',
    },
    {
      file: REVISIONS,
      from: 'restored(): void {',
      to: 'restored(): void { const closed = readClosed(this.#parts.entry); Object.assign(this.#parts.entry, headOfClosed({ ...closed, revision: closed.revision + 1 }));',
    },
  ],
};

export function editsWithout(guard: Guard | undefined): readonly SourceEdit[] {
  return guard === undefined ? [] : withoutGuard[guard];
}
