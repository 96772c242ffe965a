// Places in the product where a processor is killed or blocked on purpose: the action is put into its sources.
import type { SourceEdit } from '@flatline/cluster/source-edits';

interface Marked {
  readonly file: string;
  readonly from: string;
  /** The text with a statement inserted. */
  readonly to: (deed: string) => string;
}

const SHELL = 'libs/shell';

const before = (file: string, from: string): Marked => ({ file, from, to: (deed) => `${deed} ${from}` });
const after = (file: string, from: string): Marked => ({ file, from, to: (deed) => `${from} ${deed}` });
const within = (file: string, from: string, to: (deed: string) => string): Marked => ({ file, from, to });

const restoration = `${SHELL}/runtime/src/restoring/task-restoration.ts`;
const claiming = `${SHELL}/runtime/src/restoring/claiming.ts`;
const loop = `${SHELL}/runtime/src/running/task-loop.ts`;
const reading = `${SHELL}/runtime/src/running/input-reading.ts`;
const proof = `${SHELL}/runtime/src/proof/silence-proof.ts`;
const committer = `${SHELL}/runtime/src/committing/committer.ts`;
const writer = `${SHELL}/kafka/src/writer/transactional-writer.ts`;
const store = `${SHELL}/store/src/lmdb-store.ts`;
const flusher = `${SHELL}/runtime/src/local-store/flusher.ts`;
const instance = `${SHELL}/runtime/src/instance/pipeline-instance.ts`;
const holdings = `${SHELL}/runtime/src/running/task-holdings.ts`;

const EXPIRE = 'const expireMore = this.#expire(wallNow, startedAt);';
const CLOSED = 'this.#parts.task.counters.expired';
const APPEND = 'ports.proofs.append(input, timestamp)';
const OFFSETS = '...groups.map(([group, groupOffsets]) => this.#commitOffsets(group, groupOffsets)),';
const END_TRANSACTION = "this.#toCoordinator(endTransactionRequest(this.#epoch), decodeDone, 'commit')";
const COMMIT_REST = 'this.#loop?.commitRest());';

/** In the order in which a life passes them first. */
const marked = {
  /** The local store is loaded, if there is one; nothing of the changelog is read. */
  'restore.loaded': after(restoration, 'const from = await loadStore(context, store, restoration, abandon);'),
  /** A block of the changelog has been applied. */
  'restore.block': after(restoration, 'if (this.#isNews(bytes, offset)) await this.#apply(bytes, offset);'),
  /** The former owner is fenced, the claim not yet written. */
  'claim.opened': after(
    claiming,
    'const writer = await ports.writers.open(settings.transactionalId(partition), timeoutMs);',
  ),
  'claim.written': before(claiming, 'return { writer, claimOffset:'),
  /** After poll: records have been fetched, none is applied. */
  'input.read': before(reading, 'this.#noteArrival(fetched);'),
  /** Sessions have expired, with no visible effect yet. */
  'wheel.fired': within(loop, EXPIRE, (deed) => `const closed = ${CLOSED}; ${EXPIRE} if (${CLOSED} > closed) ${deed}`),
  'proof.asked': within(
    proof,
    `const offset = await ${APPEND};`,
    (deed) => `const appended = ${APPEND}; ${deed} const offset = await appended;`,
  ),
  'commit.cut': before(committer, 'const transaction = transactionOf(cut, partition, settings);'),
  /** The coordinator knows the partitions of the transaction. */
  'commit.begun': after(writer, '...groups.map(([group]) => this.#addOffsets(group))]);'),
  'commit.produced': after(
    writer,
    'await Promise.all([...byLeader].map(([node, theirs]) => this.#writeToLeader(node, theirs)));',
  ),
  'commit.offsets': within(
    writer,
    OFFSETS,
    (deed) =>
      `...groups.map(async ([group, groupOffsets]) => { await this.#commitOffsets(group, groupOffsets); ${deed} }),`,
  ),
  /** EndTxn is on its way, its answer has not come: a turn later the request is with the system. */
  'commit.endSent': within(
    writer,
    `await ${END_TRANSACTION};`,
    (deed) => `const ended = ${END_TRANSACTION}; this.#shared.clock.after(0, () => { ${deed} }); await ended;`,
  ),
  'commit.ended': before(writer, 'return written;'),
  'commit.settled': before(committer, "return { kind: 'committed', floor"),
  /** Inside LMDB's transaction: entries are put, nothing is durable. */
  'store.writing': after(
    store,
    'if (checkpoint !== undefined) transaction.put(checkpointKey, encodeCheckpoint(checkpoint));',
  ),
  'store.written': after(flusher, 'this.#parts.store.write(slice.changes, slice.checkpoint);'),
  /** The group has been left, tasks still run. */
  'shutdown.left': before(instance, 'await this.#closeStandbys(true);'),
  'shutdown.committed': within(holdings, COMMIT_REST, (deed) => `${COMMIT_REST} if (cleanly) ${deed}`),
} satisfies Readonly<Record<string, Marked>>;

export type Failpoint = keyof typeof marked;

export const failpoints = Object.keys(marked) as readonly Failpoint[];

/** The process kills itself with SIGKILL at the `pass`th pass, from 1, of that place in any of its tasks. */
export function dyingAt(name: Failpoint, pass: number): readonly SourceEdit[] {
  return [atPass(name, pass, "process.kill(process.pid, 'SIGKILL');")];
}

/** Printed on standard error by a process that has been blocked. */
export const BLOCKED_LINE = /the event loop was blocked/;

/** The process blocks its event loop for that time, once. */
export function blockedAt(name: Failpoint, pass: number, blockMs: number): readonly SourceEdit[] {
  const block = `for (const until = performance.now() + ${blockMs}; performance.now() < until;);`;
  return [atPass(name, pass, `${block} process.stderr.write('${BLOCKED_LINE.source}\\n');`)];
}

function atPass(name: Failpoint, pass: number, deed: string): SourceEdit {
  const { file, from, to } = marked[name];
  const passes = 'globalThis.passesOfFailpoint';
  return { file, from, to: to(`{ ${passes} = (${passes} ?? 0) + 1; if (${passes} === ${pass}) { ${deed} } }`) };
}
