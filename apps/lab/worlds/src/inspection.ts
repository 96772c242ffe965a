// The invariants of all live core objects, checked between two turns (HACKING.md): possible where every process is in this one.
import type { Cluster } from './cluster.ts';

/** Describes the broken ones, of every task and standby of every process. */
export function brokenInvariants({ up }: Cluster): string[] {
  return up.flatMap(({ name, instance }) => instance.inspect().map((fault) => `${name}, ${fault}`));
}
