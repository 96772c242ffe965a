// The commit protocol of one task (architecture, steps 2 and 3): cut, send, settle, and the way out of every failure.
//
// Owns: the writer, the commit in flight, the chain of commit ids.      Does not own: when to commit, stepping (TaskRunner).
//
// Invariants
//   CM1  Commit n + 1 is cut after n is settled.
//   CM2  A commit of unknown outcome is settled by what the changelog holds, never by guessing: present, it was done;
//        absent, the same bytes go again. A log that has lost what it had acknowledged tells nothing: R3 (commit-look-up.ts).
//   CM3  After any error of a writer it is closed and never used again; its successor's InitProducerId settles the rest.
//   CM4  A successor is opened only after the group, asked after the failure, said that the partition is still ours: a
//        waking zombie must not fence the rightful owner.
import { assert, failpoint, Fenced, isGuardOff, Retriable } from '@flatline/base';
import type { CommitHeader, PartitionTask, TaskCut, Transaction, TransactionalWriter } from '@flatline/task';
import { Backoff } from './backoff.ts';
import { claim, type Ownership } from './claiming.ts';
import { type Anchor, lookUp, lostTail } from './commit-look-up.ts';
import { transactionOf } from './output-records.ts';
import type { PipelinePorts, PipelineSettings } from './settings.ts';

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly floor: number }
  /** The task must be dropped: what it did since its last commit is not in the log and will be done again by its owner. */
  | { readonly kind: 'lost'; readonly why: string };

export interface CommitterParts {
  readonly partition: number;
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
  readonly task: PartitionTask;
  readonly writer: TransactionalWriter;
  readonly claimOffset: number;
  readonly claimId: string;
  readonly last: CommitHeader | undefined;
  /** Whether the partition is ours, as the group says it now; waits until the group can say. @throws Retriable */
  readonly confirmOwned: () => Promise<boolean>;
}

interface InFlight {
  readonly cut: TaskCut;
  readonly transaction: Transaction;
}

export class Committer {
  readonly #parts: CommitterParts;
  #writer: TransactionalWriter;
  /** Everything up to here is known to this committer. */
  #anchor: Anchor;
  readonly #runId: string;
  readonly #logId: string;
  #sequence: number;
  #previous: string;
  #counter = 0;
  #inFlight: InFlight | undefined;
  #recovering = false;
  #committedPosition: number | undefined;

  constructor(parts: CommitterParts) {
    const { last, ports } = parts;
    this.#parts = parts;
    this.#writer = parts.writer;
    this.#anchor = claimAnchor(parts);
    this.#runId = ports.entropy.id();
    this.#logId = last?.logId ?? ports.entropy.id();
    this.#sequence = last?.sequence ?? -1;
    this.#previous = last?.commitId ?? '';
    this.#committedPosition = last?.inputs[0]?.position;
  }

  /** True while the outcome of a commit is being found out. */
  get isRecovering(): boolean {
    return this.#recovering;
  }

  /** Input position of the last settled commit; undefined before the first. */
  get committedPosition(): number | undefined {
    return this.#committedPosition;
  }

  /**
   * Cuts and commits everything since the last cut. Stays until it is settled, however often the writer dies on the way.
   * @throws PartitionStopped, Fatal
   */
  async commit(): Promise<CommitOutcome> {
    assert(this.#inFlight === undefined, 'the commit before is settled');
    const inFlight = this.#cut();
    this.#inFlight = inFlight;
    try {
      return await this.#send(inFlight);
    } catch (error) {
      if (!mayPass(error)) throw error;
      this.#parts.ports.log.warn('commit failed; its outcome is looked up', { ...this.#where(), error });
    }
    if (isGuardOff('retire-writer')) return this.#send(inFlight);
    this.#recovering = true;
    const outcome = await this.#recover(inFlight);
    this.#recovering = false;
    return outcome;
  }

  #cut(): InFlight {
    const { task, partition, settings, ports } = this.#parts;
    this.#counter += 1;
    const cut = task.cut({
      logId: this.#logId,
      owner: settings.owner,
      commitId: `${this.#runId}-${this.#counter}`,
      sequence: this.#sequence + 1,
      previousCommitId: this.#previous,
      inputPartitions: settings.inputPartitions,
    });
    failpoint('commit.cut');
    return { cut, transaction: transactionOf(cut, partition, settings, ports.encoder) };
  }

  async #recover(inFlight: InFlight): Promise<CommitOutcome> {
    const backoff = new Backoff(this.#parts.ports.clock);
    for (;;) {
      await this.#writer.close();
      try {
        if (!(await this.#parts.confirmOwned()))
          return { kind: 'lost', why: 'the group gave the partition to another member' };
        return await this.#takeOver(inFlight);
      } catch (error) {
        if (!mayPass(error)) throw error;
        this.#parts.ports.log.warn('commit not settled yet', { ...this.#where(), error });
        await backoff.pause();
      }
    }
  }

  /** Becomes its own successor, looks for the commit below the claim, and resends it if it is not there (CM2). */
  async #takeOver(inFlight: InFlight): Promise<CommitOutcome> {
    const { partition, settings, ports } = this.#parts;
    const ownership = await claim(partition, settings, ports);
    this.#writer = ownership.writer;
    const { commitId } = inFlight.cut.header;
    const found = await lookUp(this.#parts, { commitId, count: inFlight.cut.blocks.length }, this.#anchor, ownership);
    if (found.kind === 'lost') return found;
    this.#anchor = claimAnchor(ownership);
    if (found.kind === 'absent' || isGuardOff('look-up')) return this.#send(inFlight);
    return this.#settle(inFlight, found.offsets);
  }

  async close(): Promise<void> {
    await this.#writer.close();
  }

  async #send(inFlight: InFlight): Promise<CommitOutcome> {
    const written = await this.#writer.commit(inFlight.transaction);
    // The blocks are the first element of the transaction's writes (transactionOf).
    const offsets = written[0]!;
    if (offsets[0]! <= this.#anchor.offset)
      return lostTail(this.#parts, this.#anchor, `a commit was written at offset ${offsets[0]!}`);
    this.#anchor = { offset: offsets.at(-1)!, isClaim: false, id: inFlight.cut.header.commitId };
    return this.#settle(inFlight, offsets);
  }

  #settle({ cut }: InFlight, offsets: readonly number[]): CommitOutcome {
    this.#parts.task.settle(cut, offsets);
    this.#inFlight = undefined;
    this.#sequence = cut.header.sequence;
    this.#previous = cut.header.commitId;
    this.#committedPosition = cut.position;
    failpoint('commit.settled');
    return { kind: 'committed', floor: cut.header.floor };
  }

  #where(): { pipeline: string; partition: number } {
    return { pipeline: this.#parts.settings.name, partition: this.#parts.partition };
  }
}

function claimAnchor({ claimOffset, claimId }: Omit<Ownership, 'writer'>): Anchor {
  return { offset: claimOffset, isClaim: true, id: claimId };
}

/** Whether the outcome may be found out by asking and looking. A fence is believed only when the group says so too. */
function mayPass(error: unknown): boolean {
  return error instanceof Retriable || error instanceof Fenced;
}
