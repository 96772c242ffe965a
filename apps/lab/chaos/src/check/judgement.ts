// Has the oracle judge a trial's logs, with the facts of its records that only the scenario knows, and the acknowledgements in the
// fleet's ledger (X3).
import { existsSync, readFileSync } from 'node:fs';
import { PartitionStopped } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { InputTruth, LedgerLine, VerificationReport } from '@flatline/oracle';
import { verifyPipeline } from '@flatline/verifier';
import type { Violation } from '../scenario.ts';
import type { Application } from '../stage/application.ts';

/** Nothing that decodes is refused, and no stamp is ahead of the present. */
const NOTHING_SPECIAL: InputTruth = { refusalOf: () => undefined, presentDecides: false };

/** To be called when no processor runs any more: anything due and still open is a violation (V2). */
export function judge(application: Application, truth: InputTruth = NOTHING_SPECIAL): Promise<VerificationReport> {
  const { kafka, pipeline, ledger } = application;
  return verifyPipeline({ kafka, pipeline, truth, ledger: readLedger(ledger), complete: true });
}

/** The same of a pipeline beside it. */
export function judgeFurther({ kafka }: Application, pipeline: PipelineConfig): Promise<VerificationReport> {
  return verifyPipeline({ kafka, pipeline, truth: NOTHING_SPECIAL, complete: true });
}

/** True if everything is read, and everything due is closed (V2). Processors may run meanwhile. */
export async function isAllDone(application: Application, truth: InputTruth | undefined): Promise<boolean> {
  try {
    const { violations } = await judge(application, truth);
    return violations.every(({ rule }) => rule !== 'V2');
  } catch (error) {
    // The changelog was truncated while it was read: the next look tells.
    if (error instanceof PartitionStopped) return false;
    throw error;
  }
}

/** True if, besides, nothing lives any more. */
export function hasAllEnded(application: Application): Promise<boolean> {
  return hasEnded(() => judge(application));
}

export async function hasEnded(judged: () => Promise<VerificationReport>): Promise<boolean> {
  try {
    const { violations, open } = await judged();
    return open === 0 && violations.every(({ rule }) => rule !== 'V2');
  } catch (error) {
    if (error instanceof PartitionStopped) return false; // as above
    throw error;
  }
}

/** In a trial's terms, with a check that one machine's clock allows: the broker has appended no close before its deadline (V3). */
export function violationsOf({ violations, delaysMs }: VerificationReport): Violation[] {
  const earlyMs = Math.max(0, 0 - (delaysMs.min ?? 0));
  const early = { rule: 'V3', subject: 'output', detail: `a close was committed ${earlyMs} ms before its deadline` };
  const found = violations.map(({ rule, topic, partition, offset, key, what }) => ({
    rule,
    subject: `${topic}${partition === undefined ? '' : `/${partition}`}${offset === undefined ? '' : `@${offset}`}`,
    detail: key === undefined ? what : `${key}: ${what}`,
  }));
  return earlyMs > 0 ? [early, ...found] : found;
}

function readLedger(file: string): LedgerLine[] | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LedgerLine);
}
