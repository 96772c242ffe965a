// The commit protocol of one task (architecture, steps 2 and 3): cut, send, settle, and the way out of every failure.
//
// The problem. Outputs, state and input position must count together or not at all, while processes stop at any instruction
// and wake minutes later, and answers are lost after the deed was done.
//
// Why the obvious fails. Sending again after a timeout duplicates what had arrived. Aborting and stepping again closes
// sessions twice if the abort came too late: an EndTxn without an answer may have committed. Believing one's own lease on the
// partition lets a process that was paused overwrite its successor.
//
// The idea. A cut is final: all of it is bytes before any is sent. It goes out as one Kafka transaction of the partition's own
// transactional id, whose epoch is the fence. While the answer is good there is nothing more to it. After any error nothing is
// guessed: the task becomes its own successor, whose InitProducerId ends the transaction that was open one way or the other,
// and reads in the changelog, below a claim of its own, which way it was:
//
//   cut ──▶ send ──▶ answered ───────────────────────────────────────────────────────▶ settled
//            ▲ └──▶ error ──▶ ours? ──▶ new writer, claim ──▶ look below it ──▶ there ─────▲
//            │                  └──▶ no: let go                     └──▶ not there
//            └──────────── the same bytes ◀──────────────────────────────┘
//
// The group is asked, after the error, if it is ours; a task that is not would fence the rightful owner.
//
// Further reading: KIP-98 (transactions and fencing), KIP-890 (what a late request can do to the next transaction); Gray and
// Lamport, Consensus on Transaction Commit (2006), on outcomes in doubt. SPEC, kafkajs.
//
// Owns: the writer, the commit in flight, the chain of commit ids.
// Does not own: when to commit, stepping (TaskLoop).
//
// Invariants
//   CM1  Commit n + 1 is cut after n is settled.
//   CM2  A commit of unknown outcome is settled by what the changelog holds, never by guessing: present, it was done;
//        absent, the same bytes go again. A log that has lost what it had acknowledged tells nothing: R3 (commit-look-up.ts).
//   CM3  After any error of a writer it is closed and never used again; its successor's InitProducerId settles the rest.
//   CM4  A successor is opened only after the group, asked after the failure, said that the partition is still ours: a
//        waking zombie must not fence the rightful owner.
//   CM5  A commit that ran out of time is never tried again for the same time: it is given twice as much, as far as the brokers
//        grant that; beyond, the task is let go, restored to the last commit, and cuts less at a time.
import { assert, type DurationMs, Fenced, Retriable, TRANSACTION_TIMEOUT_MAX_MS } from '@flatline/base';
import type { CommitHeader, PartitionTask, TaskCut } from '@flatline/partition';
import type { Transaction, TransactionalWriter, WrittenOffsets } from '@flatline/ports';
import { newLogId } from '../log-id.ts';
import { RetryPause } from '../retry-pause.ts';
import { claim, type Ownership } from '../restoring/claiming.ts';
import type { CommitBudget } from './commit-budget.ts';
import { OffsetPace } from './offset-pace.ts';
import { type Anchor, GIVEN_AWAY, lookUp, lostTail } from './commit-look-up.ts';
import type { LetGo } from '../loop-events.ts';
import { OwnDelay } from '../proof/own-delay.ts';
import { transactionOf } from './output-records.ts';
import { OutputEnd } from './output-end.ts';
import { placeInLog, type TaskContext } from '../task-context.ts';

export type CommitOutcome =
  /** `bytes`: of its blocks. */
  | ({ readonly kind: 'committed'; readonly floor: number; readonly bytes: number } & Pick<
      TaskCut,
      'endedAt' | 'deadLetters'
    >)
  | LetGo;

export interface CommitterParts {
  readonly context: TaskContext;
  readonly task: PartitionTask;
  /** As claimed. */
  readonly ownership: Ownership;
  /** Header of the last commit, undefined before the first. */
  readonly last: CommitHeader | undefined;
  /** Number of the commit that the group knows of, asked as the task was claimed; undefined: of none. */
  readonly groupSequence: number | undefined;
  readonly budget: CommitBudget;
  /** True if the group, asked now, says that the partition is ours; waits until it can say. @throws Retriable */
  readonly confirmOwned: () => Promise<boolean>;
}

interface InFlight {
  readonly cut: TaskCut;
  readonly transaction: Transaction;
  readonly beganAt: DurationMs;
  /** With the group's offset. */
  carriesOffset: boolean;
  /** Timeout of the next try: the usual one, or twice the one that ran out. */
  timeoutMs: DurationMs;
}

export class Committer {
  readonly outputEnd: OutputEnd;
  readonly offsetPace: OffsetPace;
  readonly #parts: CommitterParts;
  readonly #context: TaskContext;
  #writer: TransactionalWriter;
  /** Everything up to here is known to this committer. */
  #anchor: Anchor;
  readonly #id: string;
  readonly #logId: string;
  #sequence: number;
  #previous: string;
  #counter = 0;
  #inFlight: InFlight | undefined;
  #recovering = false;
  #committedPosition: number | undefined;

  constructor(parts: CommitterParts) {
    const { context, ownership, last, groupSequence } = parts;
    const { ports, settings } = context;
    this.outputEnd = new OutputEnd(() => this.#endOfOutputs());
    this.offsetPace = new OffsetPace(settings, groupSequence !== last?.sequence);
    this.#parts = parts;
    this.#context = context;
    this.#writer = ownership.writer;
    this.#anchor = claimAnchor(ownership);
    this.#id = ports.entropy.id();
    this.#logId = last?.logId ?? newLogId(ports.entropy.id(), settings.kind);
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

  /** Where its last block, or its claim, lies in the changelog. */
  get lastBlockAt(): number {
    return this.#anchor.offset;
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
      if (!isRecoverable(error)) throw error;
      // Every hand-over ends with the former owner's writer fenced.
      const { log } = this.#context.ports;
      const facts = { ...this.#where(), error };
      if (error instanceof Fenced)
        log.info('the writer was fenced while it committed; the outcome is looked up', facts);
      else log.warn('commit failed; its outcome is looked up', facts);
    }
    this.#recovering = true;
    const outcome = await this.#recover(inFlight);
    this.#recovering = false;
    return outcome;
  }

  #cut(): InFlight {
    const { partition, settings, ports } = this.#context;
    this.#counter += 1;
    const cut = this.#parts.task.cut({
      logId: this.#logId,
      owner: settings.owner,
      commitId: `${this.#id}-${this.#counter}`,
      sequence: this.#sequence + 1,
      previousCommitId: this.#previous,
      inputPartitions: settings.inputPartitions,
    });
    const transaction = transactionOf(cut, partition, settings);
    if (this.#outputsAt(transaction) >= 0) this.outputEnd.sent();
    const beganAt = ports.clock.monotonicMs();
    const carriesOffset = this.offsetPace.carries(beganAt);
    return { cut, transaction, beganAt, carriesOffset, timeoutMs: ports.writers.timeoutMs };
  }

  async #recover(inFlight: InFlight): Promise<CommitOutcome> {
    const retryPause = new RetryPause(this.#context.ports.clock);
    for (;;) {
      await this.#writer.close();
      try {
        if (!(await this.#parts.confirmOwned())) return { kind: 'letGo', because: 'reassigned', why: GIVEN_AWAY };
        return await this.#takeOver(inFlight);
      } catch (error) {
        if (!isRecoverable(error)) throw error;
        this.#context.ports.log.warn('commit not settled yet', { ...this.#where(), error });
        await retryPause.pause();
      }
    }
  }

  /** Becomes its own successor, looks for the commit below the claim, and resends it if it is not there (CM2). */
  async #takeOver(inFlight: InFlight): Promise<CommitOutcome> {
    const timeoutMs = Math.min(inFlight.timeoutMs, TRANSACTION_TIMEOUT_MAX_MS);
    const assureOwned = async (): Promise<void> => {
      if (!(await this.#parts.confirmOwned())) throw new Fenced(GIVEN_AWAY);
    };
    const ownership = await claim(this.#context, { timeoutMs, assureOwned, evidence: () => Promise.resolve() });
    this.#writer = ownership.writer;
    const { commitId, sequence } = inFlight.cut.header;
    const commit = { commitId, sequence, count: inFlight.cut.blocks.length };
    const found = await lookUp(this.#context, commit, this.#anchor, ownership);
    if (found.kind === 'letGo') return found;
    this.#anchor = claimAnchor(ownership);
    if (found.kind === 'absent') return this.#sendAgain(inFlight);
    const outcome = this.#settle(inFlight, found.offsets, undefined);
    this.offsetPace.claimed();
    return outcome;
  }

  async close(): Promise<void> {
    await this.#writer.close();
  }

  /** The commit is known to be absent. One that cannot have the time it needs is undone instead, if less at a time may help. */
  #sendAgain(inFlight: InFlight): Promise<CommitOutcome> | CommitOutcome {
    const { budget } = this.#parts;
    const { ports } = this.#context;
    const { timeoutMs } = this.#writer;
    const { commitBytes, countedBytes } = inFlight.cut;
    // It is the first one behind the claim.
    inFlight.carriesOffset = true;
    if (timeoutMs >= inFlight.timeoutMs || !budget.refused(commitBytes, countedBytes)) return this.#send(inFlight);
    const why = `a commit of ${commitBytes} bytes takes longer than the ${timeoutMs} ms that the brokers allow`;
    const remedy = 'raise their transaction.max.timeout.ms';
    ports.log.error(`${why}; the task is restored and commits less at a time; ${remedy}`, this.#where());
    return { kind: 'letGo', because: 'tooSlow', why };
  }

  async #send(inFlight: InFlight): Promise<CommitOutcome> {
    const { budget } = this.#parts;
    const { ports } = this.#context;
    const startedAt = ports.clock.monotonicMs();
    const { timeoutMs, cut, transaction, carriesOffset } = inFlight;
    const ownDelay = new OwnDelay(ports.clock);
    let written;
    try {
      written = await this.#writer.commit(carriesOffset ? transaction : { ...transaction, offsets: [] }, timeoutMs);
    } catch (error) {
      ownDelay.end();
      if (ports.clock.monotonicMs() - startedAt >= timeoutMs) this.#giveMoreTime(inFlight);
      throw error;
    }
    const tookMs = ports.clock.monotonicMs() - startedAt;
    budget.taken(cut.commitBytes, tookMs, ownDelay.end(), cut.countedBytes);
    // The blocks are the first element of the transaction's writes (transactionOf).
    const offsets = written[0]!;
    if (offsets[0]! <= this.#anchor.offset)
      return lostTail(this.#context, this.#anchor, `a commit was written at offset ${offsets[0]!}`);
    this.#anchor = { offset: offsets.at(-1)!, isClaim: false, id: inFlight.cut.header.commitId };
    return this.#settle(inFlight, offsets, written);
  }

  /** undefined: another may have written outputs meanwhile. A successor's claim lies in the changelog before its first output. */
  async #endOfOutputs(): Promise<number | undefined> {
    const { ports, settings, changelog, partition } = this.#context;
    const own = this.#anchor.offset;
    const end = await ports.admin.replicatedEnd({ topic: settings.outputTopic, partition });
    const logEnd = await ports.admin.replicatedEnd(changelog);
    // Its last block, and the marker behind it.
    return logEnd <= own + 2 && this.#anchor.offset === own ? end : undefined;
  }

  /** Which of its writes are outputs; −1: it has none. */
  #outputsAt({ writes }: Transaction): number {
    return writes.findIndex(({ topic }) => topic === this.#context.settings.outputTopic);
  }

  #giveMoreTime(inFlight: InFlight): void {
    const { timeoutMs, cut } = inFlight;
    inFlight.timeoutMs = 2 * timeoutMs;
    const { commitId } = cut.header;
    const facts = { commitId, bytes: cut.commitBytes, timeoutMs, nextTimeoutMs: inFlight.timeoutMs };
    this.#context.ports.log.warn('a commit ran out of time; the next try is given more', {
      ...this.#where(),
      ...facts,
    });
  }

  /** `written`: where each write came to lie; undefined: its answer was lost. */
  #settle(
    { cut, transaction, beganAt, carriesOffset }: InFlight,
    offsets: readonly number[],
    written: WrittenOffsets | undefined,
  ): CommitOutcome {
    this.#parts.task.settle(cut, offsets);
    this.offsetPace.settled(beganAt, carriesOffset);
    const outputsAt = this.#outputsAt(transaction);
    if (outputsAt >= 0) this.outputEnd.settled(written?.[outputsAt]);
    this.#inFlight = undefined;
    this.#sequence = cut.header.sequence;
    this.#previous = cut.header.commitId;
    this.#committedPosition = cut.position;
    const { endedAt, deadLetters } = cut;
    return { kind: 'committed', floor: cut.header.floor, bytes: cut.blockBytes, endedAt, deadLetters };
  }

  #where(): { pipeline: string; partition: number } {
    return placeInLog(this.#context);
  }
}

function claimAnchor({ claimOffset, claimId }: Ownership): Anchor {
  return { offset: claimOffset, isClaim: true, id: claimId };
}

/** True if asking and looking may tell the outcome. A fence is believed only when the group says so too. */
function isRecoverable(error: unknown): boolean {
  return error instanceof Retriable || error instanceof Fenced;
}
