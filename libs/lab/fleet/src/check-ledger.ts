import type { DurationMs } from '@flatline/base';
import type { LedgerEntry } from './ledger.ts';
import { LedgerCheck, type LedgerVerdict, type ObservedOutput } from './ledger-check.ts';

/** The check of a whole run at once: `outputs` in the order of the output topic, partition by partition. */
export function checkLedger(
  ledger: Iterable<LedgerEntry>,
  outputs: Iterable<ObservedOutput>,
  timeoutMs: DurationMs,
): LedgerVerdict {
  const check = new LedgerCheck(timeoutMs);
  for (const entry of ledger) check.expect(entry);
  for (const output of outputs) check.observe(output);
  return check.verdict();
}
