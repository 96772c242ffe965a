// Becoming the owner of a task: fence the former one, then mark in the changelog where its writing ended.
import { type DurationMs, Retriable } from '@flatline/base';
import { encodeClaim } from '@flatline/partition';
import type { TransactionalWriter } from '@flatline/ports';
import { RetryPause } from '../retry-pause.ts';
import { CLAIM_PATIENCE_MS, CLAIM_TRIES_MAX } from '../limits.ts';
import type { TaskContext } from '../task-context.ts';

export interface Ownership {
  readonly writer: TransactionalWriter;
  /** Changelog offset of the claim: everything the former owner committed lies below. */
  readonly claimOffset: number;
  /** Id that the block at that offset must bear, or the claim is void: the log was cut short below it, and written on. */
  readonly claimId: string;
}

export interface Claimed<Evidence> extends Ownership {
  readonly evidence: Evidence;
}

interface ClaimOptions<Evidence> {
  /** How long the writer's transactions may take, where the usual is too short. */
  readonly timeoutMs?: DurationMs;
  /**
   * Called before the claim is tried again, which would fence the owner of then: throws Fenced where the partition is no longer
   * ours. @throws Retriable
   */
  readonly assureOwned: () => Promise<void>;
  /**
   * Asked between the fence and the claim, at each try. A claim that is acknowledged then proves that no other owner has
   * written since the fence: what this tells is of everything below the claim, and of nothing above it.
   */
  readonly evidence: () => Promise<Evidence>;
}

/**
 * InitProducerId ends the transaction that the former owner left open, and fences it; the claim is read back to know that the log has
 * been read to its end, which a high watermark would not tell (commit protocol, step 1).
 * @throws as `TransactionalWriter.commit`; what `assureOwned` and `evidence` throw
 */
export async function claim<Evidence>(
  context: TaskContext,
  options: ClaimOptions<Evidence>,
): Promise<Claimed<Evidence>> {
  const retryPause = new RetryPause(context.ports.clock);
  for (let tries = 1; ; tries += 1) {
    try {
      return await claimOnce(context, options);
    } catch (error) {
      // A claim carries no state, so one whose outcome is unknown does no harm: the next one comes after it.
      if (!(error instanceof Retriable) || tries === CLAIM_TRIES_MAX) throw error;
      await retryPause.pause();
      await options.assureOwned();
    }
  }
}

async function claimOnce<Evidence>(
  { partition, settings, ports }: TaskContext,
  { timeoutMs, evidence: ask }: ClaimOptions<Evidence>,
): Promise<Claimed<Evidence>> {
  const writer = await ports.writers.open(settings.transactionalId(partition), timeoutMs);
  const claimId = ports.entropy.id();
  const value = encodeClaim({ owner: settings.owner, claimId }, settings.changelogFormat);
  try {
    const evidence = await ask();
    const [offsets] = await writer.commit({
      writes: [{ topic: settings.changelogTopic, partition, records: [{ key: null, value }] }],
      offsets: [],
    });
    return { writer, claimOffset: offsets![0]!, claimId, evidence };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/**
 * Has everything read up to and with the claim. A claim lost in an unclean election would be waited for for
 * ever, since only its owner writes there: where it takes long, the leader is asked for the end of its log. The caller
 * compares what lies at the claim's offset. @throws Retriable where the log ends below it; what `read` throws
 */
export async function readToClaim(
  context: TaskContext,
  ownership: Ownership,
  read: (end: number, abandon: AbortSignal) => Promise<unknown>,
  abandon?: AbortSignal,
): Promise<void> {
  const { ports } = context;
  const { claimOffset } = ownership;
  const lost = new AbortController();
  const watch = async (): Promise<void> => {
    try {
      const end = await ports.admin.replicatedEnd(context.changelog);
      if (end <= claimOffset) lost.abort();
    } catch {
      // It may answer the next time; the reading itself finds out what ends it for good.
    }
    if (!done) cancel = ports.clock.after(CLAIM_PATIENCE_MS, () => void watch());
  };
  let done = false;
  let cancel = ports.clock.after(CLAIM_PATIENCE_MS, () => void watch());
  try {
    await read(claimOffset + 1, abandon === undefined ? lost.signal : AbortSignal.any([abandon, lost.signal]));
  } catch (error) {
    throw lost.signal.aborted && error instanceof Retriable ? lostClaim(context, ownership) : error;
  } finally {
    done = true;
    cancel();
  }
}

/** Error of a lost claim, which proves nothing: another one has to be written. */
export function lostClaim({ partition, settings }: TaskContext, { claimOffset }: Ownership): Retriable {
  return new Retriable(
    `changelog ${settings.changelogTopic}/${partition}: the claim that was acknowledged at offset ${claimOffset} is lost`,
  );
}
