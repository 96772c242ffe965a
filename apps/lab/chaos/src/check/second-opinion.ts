// What `flatline verify` says of the same logs: another reading of the rules, which also knows the changelog (V5–V7, K).
import { existsSync } from 'node:fs';
import type { Application } from '../stage/application.ts';
import type { Violation } from './verdict.ts';

interface VerifierReport {
  readonly violationCount: number;
  readonly violations: readonly {
    readonly rule: string;
    readonly topic: string;
    readonly partition: number;
    readonly offset?: number;
    readonly key?: string;
    readonly what: string;
  }[];
  readonly records: { readonly input: number };
  readonly commits: number;
  readonly incarnations: number;
  readonly closed: number;
  readonly reach: Readonly<Record<string, number>>;
  readonly undecided: readonly string[];
}

export interface SecondOpinion {
  readonly violations: readonly Violation[];
  readonly commits: number;
  readonly incarnations: number;
  readonly inputRecords: number;
  readonly closed: number;
  /** What the logs show to have happened: claims, aborted transactions and the like. */
  readonly reach: Readonly<Record<string, number>>;
  readonly undecided: readonly string[];
}

/**
 * To be called when the sentinels' closes are on the output and no processor runs any more: what is due and open then is a
 * violation (V2). @throws Error where it could not judge: neither its code for "sound" nor the one for "violated"
 */
export async function secondOpinion(application: Application): Promise<SecondOpinion> {
  const { config, options, ledger } = application;
  const truth = existsSync(ledger) ? ['--ledger', ledger] : [];
  const where = ['--config', config, '--brokers', options.brokers];
  const child = application.flatline(['verify', ...where, '--json', '--complete', ...truth]);
  const { code } = await child.ended;
  const line = child.lines.find((each) => each.startsWith('{"pipeline"'));
  if (line === undefined) throw new Error(`flatline verify ended with ${code}: ${child.lines.slice(-5).join(' | ')}`);
  const report = JSON.parse(line) as VerifierReport;
  const { violations, violationCount, commits, incarnations, closed, reach, undecided } = report;
  const found = violations.map(({ rule, topic, partition, offset, key, what }) => ({
    rule,
    subject: `${topic}/${partition}${offset === undefined ? '' : `@${offset}`}`,
    detail: `verify: ${key === undefined ? '' : `${key}: `}${what}`,
  }));
  if (violationCount > 0 !== (code === 1))
    throw new Error(`flatline verify ended with ${code}, ${violationCount} violations`);
  const inputRecords = report.records.input;
  return { violations: found, commits, incarnations, inputRecords, closed, reach, undecided };
}
