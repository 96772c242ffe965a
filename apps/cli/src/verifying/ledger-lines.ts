import { messageOf } from '@flatline/base';
import type { LedgerLine } from '@flatline/oracle';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageFailure } from '../failure.ts';

/** The lines of a ledger file. @throws CommandFailure naming the file, and the line that is none. */
export function readLedger(folder: string, path: string): readonly LedgerLine[] {
  const text = textOf(resolve(folder, path), path);
  return text
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : [lineOf(line, `--ledger ${path} line ${index + 1}`)]));
}

function textOf(file: string, path: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageFailure(`--ledger ${path} cannot be read: ${messageOf(error)}`);
  }
}

function lineOf(line: string, where: string): LedgerLine {
  const entry = parsed(line);
  if (typeof entry?.sessionId === 'string' && typeof entry.acknowledged === 'number') return entry as LedgerLine;
  throw usageFailure(`${where} is no line of a ledger: write one with flatline simulate --ledger`);
}

function parsed(line: string): Partial<LedgerLine> | undefined {
  try {
    const value = JSON.parse(line) as Partial<LedgerLine> | null;
    return value ?? undefined;
  } catch {
    return undefined; // the caller says where
  }
}
