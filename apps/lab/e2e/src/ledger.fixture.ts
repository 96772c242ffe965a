// The true history of a simulated fleet (`simulate --ledger`), and the output that must match it.
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Outputs } from './scenario.fixture.ts';

/** A line of the ledger: counts are of acknowledged records. */
export interface LedgerLine {
  readonly sessionId: string;
  readonly acknowledged: number;
  readonly duplicates: number;
  readonly lost: number;
  readonly reordered: number;
  readonly ended: 'silence' | 'null' | 'event' | 'cutOff';
  readonly longestGapMs: number;
}

export function readLedger(file: string): LedgerLine[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

interface Account {
  readonly sessionId: string;
  readonly reason: string;
  readonly events: number;
  readonly duplicates: number;
  readonly outOfOrder: number;
  /** undefined: a session that was cut off may lack events whose gap did not show yet. */
  readonly missing: number | undefined;
}

/** Expects every session once, with the counts it had, in the output and in the ledger, and no other in either. */
export function expectLedger(ledger: readonly LedgerLine[], outputs: Outputs, timeoutMs: number): void {
  // A fleet that stalled for longer than the timeout leaves silences in the log, and the test proves nothing.
  expect(ledger.filter(({ longestGapMs }) => longestGapMs >= timeoutMs)).toEqual([]);
  const incarnations = outputs.summaries.map(({ summary }) => summary.incarnation);
  expect(new Set(incarnations).size).toBe(incarnations.length);
  expect(outputs.tombstones.map(({ incarnation }) => incarnation).sort()).toEqual([...incarnations].sort());
  const cutOff = new Set(ledger.filter(({ ended }) => ended === 'cutOff').map(({ sessionId }) => sessionId));
  expect(byId(said(outputs, cutOff))).toEqual(byId(ledger.map(truth)));
}

function said({ summaries }: Outputs, cutOff: ReadonlySet<string>): Account[] {
  return summaries.map(({ summary }) => {
    const sessionId = Buffer.from(summary.key).toString();
    const { reason, eventCount: events, duplicateCount: duplicates, outOfOrderCount: outOfOrder } = summary;
    const missing = cutOff.has(sessionId) ? undefined : summary.missingCount;
    return { sessionId, reason, events, duplicates, outOfOrder, missing };
  });
}

function truth({ sessionId, acknowledged, duplicates, lost, reordered, ended }: LedgerLine): Account {
  const isSilent = ended === 'silence' || ended === 'cutOff';
  return {
    sessionId,
    reason: isSilent ? 'TIMEOUT' : 'ENDED',
    // An explicit end is an event of its session.
    events: acknowledged + (isSilent ? 0 : 1),
    duplicates,
    outOfOrder: reordered,
    missing: ended === 'cutOff' ? undefined : lost,
  };
}

function byId(accounts: readonly Account[]): Account[] {
  return [...accounts].sort((a, b) => (a.sessionId < b.sessionId ? -1 : Number(a.sessionId > b.sessionId)));
}
