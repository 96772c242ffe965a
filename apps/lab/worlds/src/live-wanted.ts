import { liveChainWorld } from './chains/live-chain-world.ts';
import { liveDeliveryWorld } from './deliveries/live-delivery-world.ts';
import { liveLookUpWorld } from './looking/look-up-world.ts';
import { liveTaskWorld } from './tasks/live-task-world.ts';
import { resultOf, type SeedResult, type WorldName, type WorldWanted } from './tally.ts';
import { liveWorld } from './world.ts';

const LIVES: Readonly<Record<WorldName, (seed: number) => Promise<SeedResult>>> = {
  lookUps: liveLookUpWorld,
  chain: liveChainWorld,
  deliveries: liveDeliveryWorld,
  tasks: liveTaskWorld,
};

export async function liveWanted({ seed, kind, world }: WorldWanted): Promise<SeedResult> {
  return world === undefined ? resultOf(await liveWorld(seed, kind)) : LIVES[world](seed);
}
