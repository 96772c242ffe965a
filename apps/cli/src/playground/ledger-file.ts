import { messageOf } from '@flatline/base';
import { closeSync, openSync, writeSync } from 'node:fs';
import { usageFailure } from '../failure.ts';
import type { LedgerEntry } from '@flatline/fleet';

const BUFFERED_CHARACTERS_MAX = 64 * 1024;

/** A ledger as JSON lines, one per session, in the order in which their truth became complete. */
export class LedgerFile {
  readonly #descriptor: number;
  #buffered = '';

  /** Replaces what is there. @throws CommandFailure where the path cannot be written. */
  constructor(path: string) {
    try {
      this.#descriptor = openSync(path, 'w');
    } catch (error) {
      throw usageFailure(`--ledger ${path} cannot be written: ${messageOf(error)}`);
    }
  }

  write(entry: LedgerEntry): void {
    this.#buffered += `${JSON.stringify(entry)}\n`;
    if (this.#buffered.length > BUFFERED_CHARACTERS_MAX) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#descriptor);
  }

  #flush(): void {
    writeSync(this.#descriptor, this.#buffered);
    this.#buffered = '';
  }
}
