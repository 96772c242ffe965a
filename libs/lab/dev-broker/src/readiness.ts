import { setTimeout as delay } from 'node:timers/promises';
import { type Address, brokersReady, wakeCoordinators } from './metadata-probe.ts';
import { registryAnswers } from './registry.ts';

/** Time after which a start counts as failed, in milliseconds. Three nodes on two busy cores have taken 60 s. */
export const READY_WITHIN_MS = 180_000;

const POLL_MS = 50;

/** Resolves when every node lists all nodes at these addresses and the registry answers. `mayHope` is called between attempts and throws to give up. */
export async function brokerReady(
  addresses: readonly Address[],
  registryUrl: string | undefined,
  mayHope: () => void,
): Promise<void> {
  await brokersReady(addresses, mayHope);
  const [first] = addresses;
  if (first !== undefined) await wakeCoordinators(first);
  while (registryUrl !== undefined && !(await registryAnswers(registryUrl))) {
    mayHope();
    await delay(POLL_MS);
  }
}
