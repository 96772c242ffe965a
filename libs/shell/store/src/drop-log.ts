// When local stores of a pipeline were dropped, across restarts: damage is found when a process starts, so a count in memory
// would never get beyond one.
//
// Owns: the file `dropped` of the pipeline's directory: one line per drop, the newest DROPS_KEPT at most.
// Does not own: how many are too many.
import type { StoreDistrust, StoreDrop } from '@flatline/ports';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DROPS_KEPT = 64;
const FILE = 'dropped';

export class DropLog {
  readonly #path: string;
  #drops: readonly StoreDrop[];

  constructor(directory: string) {
    this.#path = join(directory, FILE);
    this.#drops = read(this.#path);
  }

  get drops(): readonly StoreDrop[] {
    return this.#drops;
  }

  note(drop: StoreDrop): void {
    // Other workers write the same file. One that does so at this moment loses a line of it, which is no state.
    const known = new Set(this.#drops.map(lineOf));
    const others = read(this.#path).filter((each) => !known.has(lineOf(each)));
    this.#drops = [...this.#drops, ...others, drop].sort((a, b) => a.at - b.at).slice(-DROPS_KEPT);
    try {
      writeFileSync(this.#path, this.#drops.map(lineOf).join(''));
    } catch {
      // A full or failing disk must not keep the store from being rebuilt: this process knows, the next will not.
    }
  }
}

function lineOf(drop: StoreDrop): string {
  return `${JSON.stringify(drop)}\n`;
}

/** An unreadable file or line counts as none: the file is a note for operators, not state. */
function read(path: string): readonly StoreDrop[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(parse).slice(-DROPS_KEPT);
}

function parse(line: string): readonly StoreDrop[] {
  try {
    const { partition, reason, at } = JSON.parse(line) as Record<string, unknown>;
    if (typeof partition !== 'number' || typeof reason !== 'string' || typeof at !== 'number') return [];
    return [{ partition, reason: reason as StoreDistrust, at }];
  } catch {
    return []; // cut off by a full disk
  }
}
