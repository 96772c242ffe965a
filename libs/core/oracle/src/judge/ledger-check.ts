// A generator's ledger against the input: nothing acknowledged was lost (X3).
//
// Owns: a count for each key of the ledger.
// Does not own: which records count (EntriesFold).
import type { DurationMs } from '@flatline/base';
import type { Findings } from './report.ts';

/** One line of `flatline simulate --ledger`. Counts are of acknowledged records. */
export interface LedgerLine {
  readonly sessionId: string;
  readonly acknowledged: number;
  readonly duplicates: number;
  readonly ended: string;
  /** If it reaches the timeout, an explicit end may have come too late to end anything. */
  readonly longestGapMs: DurationMs;
}

interface Account extends LedgerLine {
  found: number;
}

export class LedgerCheck {
  readonly #accounts = new Map<string, Account>();
  readonly #timeoutMs: DurationMs;

  constructor(lines: Iterable<LedgerLine>, timeoutMs: DurationMs) {
    this.#timeoutMs = timeoutMs;
    for (const line of lines) this.#accounts.set(line.sessionId, { ...line, found: 0 });
  }

  /** Counts a record of the input for its key. */
  add(key: string): void {
    const account = this.#accounts.get(key);
    if (account !== undefined) account.found += 1;
  }

  finish(topic: string, findings: Findings): void {
    for (const account of this.#accounts.values()) this.#check(account, topic, findings);
  }

  #check(
    { sessionId, acknowledged, duplicates, ended, longestGapMs, found }: Account,
    topic: string,
    findings: Findings,
  ): void {
    const hasEnd = ended === 'null' || ended === 'event';
    const most = acknowledged + duplicates + (hasEnd ? 1 : 0);
    const least = hasEnd && longestGapMs >= this.#timeoutMs ? most - 1 : most;
    const where = { topic, partition: undefined, offset: undefined, key: sessionId };
    if (found < least)
      findings.violation({ ...where, rule: 'X3', what: `${most} records were acknowledged, the input holds ${found}` });
    // A fleet that was stopped midway cannot know which of its pending requests arrived.
    else if (found > most && ended !== 'cutOff')
      findings.violation({
        ...where,
        rule: 'X3',
        what: `the input holds ${found} records, the ledger knows of ${most}`,
      });
  }
}
