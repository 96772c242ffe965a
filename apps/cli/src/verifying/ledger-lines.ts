import { messageOf } from '@flatline/base';
import type { LedgerLine } from '@flatline/oracle';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageFailure } from '../failure.ts';

const REMEDY = 'write one with flatline simulate --ledger';

/** The lines of a ledger file. @throws CommandFailure naming the file, and the line that is none; also where it has none */
export function readLedger(folder: string, path: string): readonly LedgerLine[] {
  const text = textOf(resolve(folder, path), path);
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : [lineOf(line, `--ledger ${path} line ${index + 1}`)]));
  // Compared with nothing, everything would pass.
  if (lines.length === 0) throw usageFailure(`--ledger ${path}: the ledger holds no sessions; ${REMEDY}`);
  return lines;
}

function textOf(file: string, path: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = READ_ERRORS[(error as NodeJS.ErrnoException).code ?? ''] ?? `cannot be read: ${messageOf(error)}`;
    throw usageFailure(`--ledger ${path}: ${why}; ${REMEDY}`);
  }
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

function lineOf(line: string, where: string): LedgerLine {
  const entry = parsed(line);
  if (typeof entry?.sessionId === 'string' && typeof entry.acknowledged === 'number') return entry as LedgerLine;
  throw usageFailure(`${where} is not a line of a ledger: ${REMEDY}`);
}

function parsed(line: string): Partial<LedgerLine> | undefined {
  try {
    const value = JSON.parse(line) as Partial<LedgerLine> | null;
    return value ?? undefined;
  } catch {
    return undefined; // the caller says where
  }
}
