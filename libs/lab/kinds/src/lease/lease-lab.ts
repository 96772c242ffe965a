import type { KindLab } from '../kind-lab.ts';
import { leaseHistories } from './lease-histories.ts';
import { leaseTraffic } from './lease-traffic.ts';
import { leaseWorlds } from './lease-worlds.ts';

export const leaseLab: KindLab<'lease'> = { worlds: leaseWorlds, traffic: leaseTraffic, histories: leaseHistories };
