// The invariants of all that lives in the core, looked at between two turns (HACKING.md): where every process is in this one.
import type { Cluster } from './cluster.ts';

/** Which do not hold, of every task and standby of every process, in words. */
export function brokenInvariants({ up }: Cluster): string[] {
  return up.flatMap(({ name, instance }) => instance.inspect().map((fault) => `${name}, ${fault}`));
}
