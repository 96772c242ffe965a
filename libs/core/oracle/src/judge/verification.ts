import type { PartitionHistory } from '../logs/history.ts';
import { fromFirstKnown } from './known-settings.ts';
import type { JudgedRules } from './kinds.ts';
import { LedgerCheck, type LedgerLine } from './ledger-check.ts';
import { PartitionCheck } from './partition-check.ts';
import type { ReachCounter } from './reach.ts';
import { Findings, type VerificationReport } from './report.ts';

export interface VerificationOptions {
  readonly rules: JudgedRules;
  readonly inputTopic: string;
  /** Ledger of the records that a generator really sent (X3). */
  readonly ledger?: Iterable<LedgerLine>;
  /** V12: minimum counts; a trial below one of them is invalid. */
  readonly reach?: Partial<Readonly<Record<ReachCounter, number>>>;
  /**
   * Rules by which these logs cannot be judged. Where the processor says that its clock was overtaken, the closes are no function of
   * the log (C3, C5).
   */
  readonly undecidable?: Iterable<string>;
  /** Number of the input's partitions, if its producers choose them by murmur2 (I9). Default: they do not, and no key is misplaced. */
  readonly keyPartitions?: number;
  /** Most records to remember that the output may have lost. Default: as many as fit a usual machine. */
  readonly unsaidMax?: number;
  /** Called now and then with the number of input records folded so far. */
  readonly onProgress?: (inputRecords: number) => void;
}

/**
 * Judges the partitions of one pipeline, one after another. `histories` opens each when its turn comes.
 * @throws what the sources and ledgers throw; a violation is never thrown.
 */
export async function verifyHistories(
  histories: AsyncIterable<PartitionHistory> | Iterable<PartitionHistory>,
  {
    rules,
    inputTopic,
    ledger: lines,
    reach = {},
    undecidable,
    keyPartitions,
    unsaidMax,
    onProgress,
  }: VerificationOptions,
): Promise<VerificationReport> {
  const findings = new Findings(undecidable, keyPartitions);
  const ledger =
    lines === undefined ? undefined : new LedgerCheck(lines, 'timeoutMs' in rules ? rules.timeoutMs : Infinity);
  let inputIsWhole = true;
  for await (const each of histories) {
    const history = fromFirstKnown(each);
    inputIsWhole &&= [history.input, ...(history.furtherInputs ?? []).map(({ log }) => log)].every(
      ({ logStart }) => logStart === 0,
    );
    await new PartitionCheck({
      history,
      rules,
      findings,
      ledger,
      unsaidMax,
      onProgress: () => onProgress?.(findings.records.input),
    }).run();
  }
  if (inputIsWhole) ledger?.finish(inputTopic, findings);
  else if (ledger !== undefined) findings.undecided(`${inputTopic}: the ledger, since the input lacks its beginning`);
  checkReach(findings, inputTopic, reach);
  return findings.report();
}

function checkReach(findings: Findings, topic: string, wanted: Partial<Readonly<Record<ReachCounter, number>>>): void {
  for (const [counter, least] of Object.entries(wanted) as [ReachCounter, number][]) {
    const found = findings.reach[counter];
    if (found < least)
      findings.violation({
        rule: 'V12',
        topic,
        partition: undefined,
        offset: undefined,
        key: undefined,
        what: `${counter} is ${found}, at least ${least} were to be reached: the fault did not happen, so the trial proves nothing`,
      });
  }
}
