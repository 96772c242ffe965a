// What must hold of one partition's history once the run is over. Reads logs only; nothing of the product but the block codec.
import { decodeBlock, type CommitHeader, NO_BATCH } from '@flatline/partition';
import type { EndedTransaction, LogRecord, Simulation } from '@flatline/cluster';
import { type Folded, type FoldedSummary, foldInput, type InputRecord } from '@flatline/oracle';
import { FAILS_APPLYING, FAILS_DECODING, isWildStamp } from './devices.ts';
import { inputIn, rulesOf } from './history.ts';
import { CHANGELOG, DEAD_LETTERS, GROUP, INPUT, MAX_KEY_BYTES, OUTPUT } from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';

/** What was found wrong, each with the rule it breaks. Empty: nothing. */
export type Violations = readonly string[];

interface Commit {
  readonly transaction: EndedTransaction;
  readonly header: CommitHeader;
  readonly blockOffsets: readonly number[];
  readonly blockBytes: number;
  readonly summaries: readonly FoldedSummary[];
}

const text = new TextDecoder();

interface FoldExtent {
  /** Only records below this offset. */
  readonly below?: number;
  /** C3: how far evidence that no record tells has moved the clock at the end. */
  readonly clockAtEnd?: number;
  /** As if there were room for every session (I7). */
  readonly hasRoom?: boolean;
}

export function foldPartition(
  simulation: Simulation,
  scenario: Scenario,
  partition: number,
  { below = Infinity, clockAtEnd = 0, hasRoom = false }: FoldExtent = {},
): Folded {
  const records = simulation.log.committed(INPUT, partition).filter(({ offset }) => offset < below);
  const start = startOf(simulation, partition);
  const rules = { ...rulesOf(scenario), ...(hasRoom && { entriesMax: Infinity, keyBytesMax: Infinity }) };
  return foldInput(records.map(inputIn), { partition, rules, start, clockAtEnd, refusalOf });
}

/** Where the first commit says that the application began. */
export function startOf(simulation: Simulation, partition: number): number {
  for (const transaction of simulation.log.endedTransactions) {
    if (transaction.marker !== 'commit' || transaction.transactionalId !== `${GROUP}.${partition}`) continue;
    const written = transaction.writes.filter(({ topic }) => topic === CHANGELOG);
    const first = written[0]?.batches[0]?.records[0]?.value;
    const block = first == null ? undefined : decodeBlock(first);
    if (block?.kind === 'state') return block.header.inputs[0]!.origin;
  }
  return 0;
}

function refusalOf({ timestamp, value }: InputRecord): 'stamp' | 'content' | undefined {
  if (isWildStamp(timestamp)) return 'stamp';
  const said = value === null ? '' : text.decode(value);
  return said.includes(FAILS_DECODING) || said.includes(FAILS_APPLYING) ? 'content' : undefined;
}

/** C3: how far the last commit says that the clock came; 0 where records alone move it. */
export function endOfTime(simulation: Simulation, { proof }: Scenario, partition: number): number {
  if (proof === 'record') return 0;
  const blocks = simulation.log.committed(CHANGELOG, partition);
  for (const { value } of blocks.toReversed()) {
    const block = decodeBlock(value!);
    if (block.kind === 'state') return block.header.clock;
  }
  return 0;
}

/** Sessions that were closed while no record of the log had passed their deadline (C3). */
export function countClosedByFetch(simulation: Simulation, scenario: Scenario, partition: number): number {
  if (scenario.proof === 'record') return 0;
  const { steps } = foldPartition(simulation, scenario, partition);
  const closed = commitsOf(simulation, partition).flatMap(({ header, summaries }) => {
    const clock = clockAt(steps, header.inputs[0]!.position);
    return summaries.filter((summary) => (summary['closedAt'] as number) > clock);
  });
  return closed.length;
}

/** What the records below this position say. */
function clockAt(steps: Folded['steps'], position: number): number {
  return steps.findLast(({ offset }) => offset < position)?.clock ?? 0;
}

/** Everything that is on the output of a partition, in log order, without `emittedAt`. */
export function summariesOf(records: readonly LogRecord[]): FoldedSummary[] {
  return records.flatMap(({ value }) => (value === null ? [] : [summaryOf(value)]));
}

/** What no fold of the input tells. */
export interface PartitionFate {
  /** Proof by fetch was wrong and it is known (C3). */
  readonly isOvertaken: boolean;
  /** It has stopped, since the input has lost what was read of it (R3). */
  readonly isStopped: boolean;
}

export function checkPartition(
  simulation: Simulation,
  scenario: Scenario,
  partition: number,
  { isOvertaken, isStopped }: PartitionFate,
): Violations {
  const clockAtEnd = endOfTime(simulation, scenario, partition);
  const folded = foldPartition(simulation, scenario, partition, { clockAtEnd });
  const output = simulation.log.committed(OUTPUT, partition);
  const commits = commitsOf(simulation, partition);
  const byFold = [
    ...(isOvertaken ? [] : [...checkOutput(folded, output), ...checkLiveCounts(commits, folded)]),
    ...checkDeadLetters(refusals(simulation, scenario, partition, isOvertaken)),
    ...checkLetters(simulation.log.committed(INPUT, partition), simulation.log.committed(DEAD_LETTERS, partition)),
    ...checkEvidence(commits, folded, scenario),
    ...checkStands(simulation, partition, commits),
  ];
  return [
    ...checkOnce(output),
    ...(isStopped ? [] : byFold),
    ...checkTombstones(output, scenario),
    ...checkTransactions(simulation, partition),
    ...checkChain(commits),
    ...checkFloors(simulation, scenario, partition, commits),
  ].map((violation) => `partition ${partition}: ${violation}`);
}

/** R3: nobody goes on over an input that is not the one that was read. */
function checkStands(simulation: Simulation, partition: number, commits: readonly Commit[]): string[] {
  const input = simulation.log.partition(INPUT, partition);
  return commits.flatMap(({ header }) => {
    const { position, checksum, leaderEpoch } = header.inputs[0]!;
    if (leaderEpoch === NO_BATCH) return [];
    const found = input.batchAt(position - 1);
    if (found?.checksum === checksum && found.leaderEpoch === leaderEpoch) return [];
    return [`[R3] commit ${header.sequence} stands at ${position}, before which the input holds another batch`];
  });
}

/** F26: of a partition that has stopped, what came out is right as far as it goes. */
export function checkStoppedPartition(
  simulation: Simulation,
  scenario: Scenario,
  partition: number,
  isOvertaken: boolean,
): Violations {
  const clockAtEnd = endOfTime(simulation, scenario, partition);
  const folded = foldPartition(simulation, scenario, partition, { clockAtEnd });
  const output = simulation.log.committed(OUTPUT, partition);
  const { expected, found } = refusals(simulation, scenario, partition, isOvertaken);
  return [
    ...checkOnce(output),
    ...(isOvertaken ? [] : checkOutput(folded, output).filter((violation) => !violation.endsWith('is not closed'))),
    ...checkTombstones(output, scenario),
    ...checkDeadLetters({ expected: expected.slice(0, found.length), found }),
    ...checkTransactions(simulation, partition),
    ...checkEvidence(commitsOf(simulation, partition), folded, scenario),
  ].map((violation) => `partition ${partition}: ${violation}`);
}

/** S4: no incarnation twice; O4: per key in the order of the log. */
function checkOnce(output: readonly LogRecord[]): string[] {
  const found = summariesOf(output);
  const seen = new Set<string>();
  const twice = found.filter(({ incarnation }) => seen.size === seen.add(incarnation).size);
  return [...twice.map(({ incarnation }) => `[S4] ${incarnation} is closed twice`), ...checkOrder(found)];
}

/** S4, S2, C5: each incarnation, with the content of the log. */
function checkOutput({ summaries: expected }: Folded, output: readonly LogRecord[]): string[] {
  const found = summariesOf(output);
  const wanted = new Map(expected.map((summary) => [summary.incarnation, canonical(summary)]));
  const seen = new Set<string>();
  const violations: string[] = [];
  for (const summary of found) {
    const { incarnation } = summary;
    seen.add(incarnation);
    const should = wanted.get(incarnation);
    if (should === undefined)
      violations.push(`[S4] ${incarnation} is closed and never lived, or lives: ${canonical(summary)}`);
    else if (should !== canonical(summary)) violations.push(`[C5] ${canonical(summary)}, the log says ${should}`);
  }
  for (const incarnation of wanted.keys())
    if (!seen.has(incarnation)) violations.push(`[S4] ${incarnation} is not closed`);
  return violations;
}

function checkOrder(found: readonly FoldedSummary[]): string[] {
  const last = new Map<unknown, number>();
  return found.flatMap((summary) => {
    const { sessionId } = summary;
    const firstOffset = summary['firstOffset'] as number;
    const before = last.get(sessionId) ?? -1;
    last.set(sessionId, firstOffset);
    return firstOffset > before ? [] : [`[O4] ${String(sessionId)}: ${firstOffset} comes after ${before}`];
  });
}

/** O2, S9: each summary is followed at once by the tombstone that names its incarnation; or there are none at all. */
function checkTombstones(output: readonly LogRecord[], { tombstones }: Scenario): string[] {
  if (!tombstones)
    return output.filter(({ value }) => value === null).map(({ offset }) => `[O2] a tombstone at ${offset}`);
  return output.flatMap(({ value, headers }, index) => {
    const named = text.decode(headers.find(({ name }) => name === 'flatline-incarnation')?.value ?? new Uint8Array());
    const next = output[index + 1];
    if (value === null) return [];
    const follows = next?.value === null && text.decode(next.headers[0]?.value ?? new Uint8Array()) === named;
    return follows ? [] : [`[O2] no tombstone follows ${named}`];
  });
}

/** Offsets of records that are to be refused, and of those that were. */
interface Refusals {
  readonly expected: readonly number[];
  readonly found: readonly number[];
}

/** Where the clock was overtaken, who found room is no function of the log (C3, C5, I7): such letters are left aside. */
function refusals(simulation: Simulation, scenario: Scenario, partition: number, isOvertaken: boolean): Refusals {
  const clockAtEnd = endOfTime(simulation, scenario, partition);
  const { refused } = foldPartition(simulation, scenario, partition, { clockAtEnd, hasRoom: isOvertaken });
  const letters = simulation.log.committed(DEAD_LETTERS, partition).map(({ headers }) => {
    const said = (wanted: string): string =>
      text.decode(headers.find(({ name }) => name === wanted)?.value ?? new Uint8Array());
    return { offset: Number(said('flatline-offset')), isFull: said('flatline-reason') === 'state-full' };
  });
  const aside = new Set(letters.filter(({ isFull }) => isFull && isOvertaken).map(({ offset }) => offset));
  const found = letters.map(({ offset }) => offset).filter((offset) => !aside.has(offset));
  return { expected: refused.filter((offset) => !aside.has(offset)), found };
}

/** I1: every bad record once. */
function checkDeadLetters({ expected, found }: Refusals): string[] {
  const same = found.length === expected.length && found.every((offset, index) => offset === expected[index]);
  return same ? [] : [`[I1] dead letters of ${found.join(' ')}, the log has ${expected.join(' ')}`];
}

/** I1: what each letter holds of its record, and what it says of the rest. */
function checkLetters(input: readonly LogRecord[], letters: readonly LogRecord[]): string[] {
  const records = new Map(input.map((record) => [record.offset, record]));
  return letters.flatMap(({ headers, key, value }) => {
    const said = (name: string): string | undefined => {
      const found = headers.findLast((header) => header.name === name)?.value;
      return found == null ? undefined : text.decode(found);
    };
    const offset = Number(said('flatline-offset'));
    const record = records.get(offset);
    if (record === undefined) return [];
    const [was, kept] = [record.value ?? new Uint8Array(), value ?? new Uint8Array()];
    const mark = kept.length < was.length ? `value=${was.length}` : undefined;
    const last = record.unreadable === undefined ? undefined : String(offset + record.unreadable - 1);
    const isKept = String(key) === String(record.key) && String(kept) === String(was.subarray(0, kept.length));
    return isKept && said('flatline-truncated') === mark && said('flatline-last-offset') === last
      ? []
      : [`[I1] the letter of ${offset} is not what was there`];
  });
}

/** X4, V7: epochs of the task's writers never go back. */
function checkTransactions(simulation: Simulation, partition: number): string[] {
  const id = `${GROUP}.${partition}`;
  const epochs = simulation.log.endedTransactions
    .filter((each) => each.transactionalId === id)
    .map(({ epoch }) => epoch);
  const back = epochs.filter((epoch, index) => index > 0 && epoch < epochs[index - 1]!);
  return back.length > 0 ? [`[X4] producer epochs went back: ${epochs.join(' ')}`] : [];
}

/** K1, K2: each commit holds its blocks in order, and follows the one before; O1: the offset committed is the position. */
function checkChain(commits: readonly Commit[]): string[] {
  return commits.flatMap(({ header, blockOffsets, transaction }, index) => {
    const before = commits[index - 1]?.header;
    const violations: string[] = [];
    if (header.sequence !== (before?.sequence ?? -1) + 1 || header.previousCommitId !== (before?.commitId ?? ''))
      violations.push(`[K2] commit ${header.sequence} (${header.commitId}) follows ${before?.sequence ?? 'none'}`);
    if (before !== undefined && header.logId !== before.logId) violations.push('[K1] the log id has changed');
    if (header.parts !== blockOffsets.length) violations.push(`[K1] ${blockOffsets.length} of ${header.parts} blocks`);
    if (header.floor > blockOffsets[0]!) violations.push(`[K3] floor ${header.floor} above its own commit`);
    const offset = transaction.offsets[0]?.offset;
    if (offset !== header.inputs[0]!.position)
      violations.push(`[O1] offset ${String(offset)} with position ${header.inputs[0]!.position}`);
    return violations;
  });
}

/** X1, X2, C1: the clock is that of the records read, and closes nothing that these do not prove silent. By C3 it may be later. */
function checkEvidence(commits: readonly Commit[], { steps }: Folded, scenario: Scenario): string[] {
  let at = -1;
  return commits.flatMap(({ header, summaries }) => {
    const { position } = header.inputs[0]!;
    while (at + 1 < steps.length && steps[at + 1]!.offset < position) at += 1;
    const isWaiting = waitsForRoom(scenario) && header.clock === steps[at + 1]?.clock;
    const told = isWaiting ? header.clock : (steps[at]?.clock ?? 0);
    const clock = scenario.proof === 'fetch' ? Math.max(told, header.clock) : told;
    const violations: string[] = [];
    if (header.clock !== clock && scenario.timestampType === 'LogAppendTime')
      violations.push(`[C1] clock ${header.clock} at position ${position}, its records say ${told}`);
    for (const summary of summaries) {
      if ((summary['closedAt'] as number) > clock)
        violations.push(
          `[X1] ${summary.incarnation} closes at ${String(summary['closedAt'])}, the records read say ${clock}`,
        );
      if ((summary['lastOffset'] as number) >= position)
        violations.push(`[X2] ${summary.incarnation} closes ahead of its records`);
    }
    return violations;
  });
}

/** I7: a record that might not find room waits until all that is due at its own stamp is closed, and a commit may come meanwhile. */
function waitsForRoom({ keys, bounds: { entriesMax, keyBytesMax } }: Scenario): boolean {
  return entriesMax <= keys || keyBytesMax < keys * MAX_KEY_BYTES;
}

/** V5: what the header says lives is what was opened and not closed by then. */
function checkLiveCounts(commits: readonly Commit[], { steps }: Folded): string[] {
  let at = -1;
  let closed = 0;
  return commits.flatMap(({ header, summaries }) => {
    const { position } = header.inputs[0]!;
    while (at + 1 < steps.length && steps[at + 1]!.offset < position) at += 1;
    closed += summaries.length;
    const live = (steps[at]?.opened ?? 0) - closed;
    return live === header.liveEntries
      ? []
      : [`[R1] commit ${header.sequence} holds ${header.liveEntries} entries, ${live} live`];
  });
}

/** K4: truncation goes only below floors that a commit has stated `truncateLagMs`, or `truncateLagBytes` of commits, before. */
function checkFloors(
  simulation: Simulation,
  { truncateLagMs, truncateLagBytes }: Scenario,
  partition: number,
  commits: readonly Commit[],
): string[] {
  return simulation.log.partition(CHANGELOG, partition).truncations.flatMap(({ offset, atMs }) => {
    const before = commits.filter(({ transaction }) => transaction.atMs <= atMs);
    const stated = before.findIndex(({ header }) => header.floor >= offset);
    const inForceMs = stated < 0 ? -1 : atMs - before[stated]!.transaction.atMs;
    const written = before.slice(stated + 1).reduce((sum, { blockBytes }) => sum + blockBytes, 0);
    if (stated >= 0 && inForceMs >= truncateLagMs) return [];
    if (stated >= 0 && written >= truncateLagBytes) {
      simulation.faults.count('truncationByBytes');
      return [];
    }
    const lag = `${truncateLagMs} ms or ${truncateLagBytes} bytes`;
    return [`[K4] truncated below ${offset}, which no floor has allowed for ${lag}: ${inForceMs} ms, ${written} bytes`];
  });
}

/** The commits of a task in order, out of what the coordinator decided: truncation takes nothing from them. */
function commitsOf(simulation: Simulation, partition: number): Commit[] {
  return simulation.log.endedTransactions.flatMap((transaction) => {
    if (transaction.marker !== 'commit' || transaction.transactionalId !== `${GROUP}.${partition}`) return [];
    const of = (topic: string): LogRecord[] =>
      transaction.writes
        .filter((write) => write.topic === topic)
        .flatMap(({ batches }) => batches.flatMap(({ records }) => records));
    const blocks = of(CHANGELOG).map(({ offset, value }) => ({ offset, block: decodeBlock(value!) }));
    const headers = blocks.flatMap(({ block }) => (block.kind === 'state' ? [block.header] : []));
    const header = headers.at(-1);
    if (header === undefined) return [];
    const blockOffsets = blocks.map(({ offset }) => offset);
    const blockBytes = of(CHANGELOG).reduce((sum, { value }) => sum + value!.length, 0);
    return [{ transaction, header, blockOffsets, blockBytes, summaries: summariesOf(of(OUTPUT)) }];
  });
}

function summaryOf(value: Uint8Array): FoldedSummary {
  const fields = Object.entries(JSON.parse(text.decode(value)) as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([name, of]) => name !== 'emittedAt' && of !== null)) as FoldedSummary;
}

/** Text that is equal where the contents are, whatever the order of fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
