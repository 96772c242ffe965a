// Faults in claiming a partition and restoring it.
import type { EngineMutant } from './mutant.ts';

export const RESTORING_MUTANTS: readonly EngineMutant[] = [
  {
    name: 'tries again whatever a restoration throws',
    file: 'libs/shell/runtime/src/running/task-runner.ts',
    from: 'if (!isTransient(error) || this.runs) {',
    to: 'if (!isTransient(error) && this.#holdings.task !== undefined) {',
  },
  {
    name: 'does not fence an owner on another machine',
    file: 'libs/shell/runtime/src/restoring/claiming.ts',
    from: 'ports.writers.open(settings.transactionalId(partition), timeoutMs)',
    to: 'ports.writers.open(`${settings.transactionalId(partition)}.${settings.owner}`, timeoutMs)',
  },
  {
    name: 'restores from a changelog that has lost commits',
    file: 'libs/shell/runtime/src/restoring/log-witnesses.ts',
    from: 'if (sequence === undefined || sequence <= last.sequence) return;',
    to: 'if (sequence !== -1) return;',
  },
  {
    name: 'waits for ever for a claim that was lost',
    file: 'libs/shell/runtime/src/restoring/claiming.ts',
    from: 'if (end <= claimOffset) lost.abort();',
    to: 'if (end < 0) lost.abort();',
    seed: 150_000_163,
  },
  {
    name: 'restores to the end as a fetch sees it',
    file: 'libs/shell/runtime/src/restoring/restoring.ts',
    from: 'await readToClaim(context, ownership, (end, signal) => restoration.readTo(end, signal), abandon);\n    if (!restoration.standsAt(ownership)) throw lostClaim(context, ownership);',
    to: '',
    seed: 7,
  },
  {
    name: 'skips the last block of a commit',
    file: 'libs/core/partition/src/checkpoint/restoration.ts',
    from: 'parts: this.#parts, blocks: []',
    to: 'parts: this.#parts.slice(0, Math.max(1, this.#parts.length - 1)), blocks: []',
  },
  {
    name: 'forgets removals while restoring',
    file: 'libs/core/partition/src/checkpoint/block-applier.ts',
    from: 'this.#remove(slot);\n',
    to: '',
  },
  {
    name: 'uses a slot again that restoring has left to an entry',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'else table.noteVacant(slot);',
    to: 'table.noteVacant(slot);',
  },
];
