// One page's view of the facts: those it has been told, and those it is owed.
//
// Owns: the paths whose facts changed since it was told of them, oldest first.
// Does not own: the facts (Board), the connection (Sink).
//
// Invariants
//   WA1  What is not owed is as the page was last told.
//   WA2  But for the first, a message has at most MESSAGE_BYTES_MAX, or one fact: the rest stays owed, and goes before what comes later.
import { type Facts, NOW } from './facts.ts';

/** With two messages a second: 20 KB. */
export const MESSAGE_BYTES_MAX = 10_000;
const ENDS = Buffer.byteLength('{"facts":{},"gone":[]}\n');

export class Watcher {
  readonly #owed = new Set<string>();

  owes(paths: Iterable<string>): void {
    for (const path of paths) this.#owed.add(path);
  }

  /** The next message, a line of JSON; undefined: nothing has changed. `bytesMax` Infinity: all of it. */
  next(facts: Facts, bytesMax = MESSAGE_BYTES_MAX): Buffer | undefined {
    if (this.#owed.size === 0) return undefined;
    const said: string[] = [];
    const gone: string[] = [];
    let left = bytesMax - ENDS;
    for (const path of this.#inTurn()) {
      const name = JSON.stringify(path);
      const fact = facts.get(path);
      const text = fact === undefined ? name : `${name}:${fact}`;
      const bytes = Buffer.byteLength(text) + 1;
      // A smaller one behind it must not overtake it for ever.
      if (bytes > left && said.length + gone.length > 0) break;
      left -= bytes;
      (fact === undefined ? gone : said).push(text);
      this.#owed.delete(path);
    }
    const more = gone.length === 0 ? '' : `,"gone":[${gone.join(',')}]`;
    return Buffer.from(`{"facts":{${said.join(',')}}${more}}\n`);
  }

  /** Facts that change all the time come last. */
  #inTurn(): readonly string[] {
    const [often, seldom] = [[] as string[], [] as string[]];
    for (const path of this.#owed) (path.startsWith(NOW) ? often : seldom).push(path);
    return [...seldom, ...often];
  }
}

/** Paths whose facts differ. */
export function changesBetween(before: Facts, after: Facts): readonly string[] {
  const changed = [...after].filter(([path, fact]) => before.get(path) !== fact).map(([path]) => path);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [...changed, ...gone];
}
