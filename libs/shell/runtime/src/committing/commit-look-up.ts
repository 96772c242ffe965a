// Finds out what became of a commit of unknown outcome: by what the changelog holds from the task's last block to its claim
// and, where that is nothing, by what the group knows.
//
// Invariants
//   LU1  Nothing is concluded from a log that has lost what it had acknowledged: the task's last block is where it was, and the
//        block at the claim's offset is its claim. Otherwise, if that last block belongs to a commit, it is R3; if it is only
//        a claim, the task is let go, and restoring finds out whether more was lost.
//   LU2  A commit that the group knows of took place, whatever the changelog holds: it is not written again. Nor is one where
//        the group knows of another in its place: what that owner has committed came later, or is lost; restoring tells.
//        It knows of each only where the changelog may lose what it acknowledged (OffsetPace).
import { counted, MalformedBytes } from '@flatline/base';
import { decodeBlock } from '@flatline/partition';
import { BelowLogStart, ChangelogTail } from '../restoring/changelog-tail.ts';
import { lostClaim, type Ownership, readToClaim } from '../restoring/claiming.ts';
import type { LetGo } from '../loop-events.ts';
import { committedIn } from '../offset-note.ts';
import { brokenLog } from '../restoring/distrust.ts';
import type { TaskContext } from '../task-context.ts';

/** A block in the log; as an anchor the task's last acknowledged one, a claim or the last part of a commit. */
export interface Anchor {
  readonly offset: number;
  readonly isClaim: boolean;
  /** The claim's, or the commit's. */
  readonly id: string;
}

export type Found =
  { readonly kind: 'present'; readonly offsets: readonly number[] } | { readonly kind: 'absent' } | LetGo;

/** Why a task is let go that was reassigned. */
export const GIVEN_AWAY = 'the group gave the partition to another member';

/** @param count blocks of the commit. @throws PartitionStopped (R3), Retriable, also where the claim was lost */
export async function lookUp(
  context: TaskContext,
  commit: { readonly commitId: string; readonly sequence: number; readonly count: number },
  anchor: Anchor,
  ownership: Ownership,
): Promise<Found> {
  const { claimOffset, claimId } = ownership;
  if (claimOffset <= anchor.offset) return lostTail(context, anchor, `a claim was written at offset ${claimOffset}`);
  const seen = await readFrom(context, commit.commitId, anchor.offset, ownership);
  // The floor is never above our last commit (K3): another owner's, which came after it, let the log be truncated.
  if (seen === undefined) return overtaken('and truncated the log since');
  const { first, foreign, last, offsets } = seen;
  if (first?.offset !== anchor.offset || first.id !== anchor.id) return lostTail(context, anchor, 'it is gone');
  if (foreign !== undefined) return overtaken(foreign);
  if (last?.offset !== claimOffset || last.id !== claimId) throw lostClaim(context, ownership);
  if (offsets.length === commit.count) return { kind: 'present', offsets };
  if (offsets.length > 0)
    throw brokenLog(
      context,
      `it holds ${offsets.length} of the ${counted(commit.count, 'block')} of commit ${commit.commitId}`,
    );
  return (await knownToGroup(context, commit)) ?? { kind: 'absent' };
}

function overtaken(what: string): LetGo {
  return { kind: 'letGo', because: 'overtaken', why: `another owner has committed ${what}` };
}

/** Our block was acknowledged, and the log is shorter, or holds something else there. @throws PartitionStopped (R3) */
export function lostTail(context: TaskContext, { offset, isClaim, id }: Anchor, found: string): LetGo {
  const why = `${isClaim ? 'claim' : 'commit'} ${id} was acknowledged at offset ${offset}, and ${found}`;
  if (!isClaim) throw brokenLog(context, `${why}: acknowledged commits were lost`);
  context.ports.log.error('the changelog has lost what it had acknowledged', { partition: context.partition, why });
  return { kind: 'letGo', because: 'tailLost', why: `${why}; what else was lost, restoring tells` };
}

/** Findings from the anchor's offset to the claim, or to the first commit of another owner. */
interface Seen {
  first: Anchor | undefined;
  last: Anchor | undefined;
  /** Where the blocks of the wanted commit lie. */
  readonly offsets: number[];
  /** Another's commit. */
  foreign: string | undefined;
}

/** undefined where the log starts above `from`. */
async function readFrom(
  context: TaskContext,
  commitId: string,
  from: number,
  ownership: Ownership,
): Promise<Seen | undefined> {
  const tail = new ChangelogTail(context.ports, context.changelog, from);
  const seen: Seen = { first: undefined, last: undefined, offsets: [], foreign: undefined };
  const look = (bytes: Uint8Array, offset: number): boolean => {
    const block = blockOf(context, bytes, offset);
    seen.last = block;
    if (seen.first === undefined) seen.first = block;
    else if (block.id === commitId) seen.offsets.push(offset);
    else if (!block.isClaim) seen.foreign = block.id;
    // Another owner may have written commits for hours.
    return seen.foreign === undefined;
  };
  try {
    await readToClaim(context, ownership, (end, abandon) => tail.readTo(end, look, abandon));
    return seen;
  } catch (error) {
    if (error instanceof BelowLogStart) return undefined;
    throw error;
  } finally {
    tail.close();
  }
}

function blockOf(context: TaskContext, bytes: Uint8Array, offset: number): Anchor {
  try {
    const block = decodeBlock(bytes);
    const isClaim = block.kind === 'claim';
    return { offset, isClaim, id: isClaim ? block.claim.claimId : block.header.commitId };
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw brokenLog(context, `offset ${offset}: ${error.message}`);
  }
}

/**
 * Its transaction is settled, by the InitProducerId before the claim: its offset is there, or never will be. undefined: the
 * group knows neither of it nor of another owner's commit of that number, or of a later one. @throws PartitionStopped (R3)
 */
async function knownToGroup(
  context: TaskContext,
  { commitId, sequence }: { readonly commitId: string; readonly sequence: number },
): Promise<LetGo | undefined> {
  const { input, ports, settings } = context;
  const { group } = settings;
  const committed = await ports.admin.committedOffset(group, input);
  const known = committed && committedIn(committed.metadata);
  if (known?.commitId === commitId)
    throw brokenLog(context, `group ${group} knows of commit ${commitId}, which it does not hold`);
  // Asked after the claim: that owner may as well have taken over since, and be right.
  return (known?.sequence ?? -1) >= sequence
    ? overtaken(`${known!.commitId}, of which group ${group} knows`)
    : undefined;
}
