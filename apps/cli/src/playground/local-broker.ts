import { statusDetached } from '@flatline/dev-broker';
import type { BrokerAddresses } from '../shell.ts';

/** The one that `flatline broker start` left running where this is typed. */
export function localBroker(): Promise<BrokerAddresses | undefined> {
  return statusDetached();
}
