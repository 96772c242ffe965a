// Looks hosts up by the system's resolver, one question for a host at a time.
//
// getaddrinfo takes a thread of libuv's four while it waits, and cannot be called off: names whose servers do not answer would take
// them all from everything else in the process.
import { lookup } from 'node:dns/promises';

/** All addresses of a host; rejects where there is none, or no answer. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Questions under way at a time. */
const UNDER_WAY_MAX = 2;

export function systemResolve(look: Resolve = lookUp): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  const waiting: (() => void)[] = [];
  let free = UNDER_WAY_MAX;
  const ask = async (hostname: string): Promise<readonly string[]> => {
    if (free > 0) free -= 1;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    try {
      return await look(hostname);
    } finally {
      asked.delete(hostname);
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
  return (hostname) => {
    const found = asked.get(hostname) ?? ask(hostname);
    asked.set(hostname, found);
    return found;
  };
}

async function lookUp(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
