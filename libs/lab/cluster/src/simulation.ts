// One simulated world out of one seed: the cluster, the processes on it, and their faults.
//
// Owns: composition.
// Does not own: any behaviour.
import { assert, hashBytes, seededRandom, type Clock, type DurationMs, type Millis, type Random } from '@flatline/base';
import type { LogAdmin, LogReader, ProofWriter, StateStores } from '@flatline/ports';
import { FaultPlan, calm, type FaultRates } from './fault-plan.ts';
import { HostClock } from './host-clock.ts';
import { Network } from './network.ts';
import { SimulatedAcknowledgedWriter } from './simulated-acknowledged-writer.ts';
import { SimulatedAdmin } from './simulated-admin.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { SimulatedGroup, type GroupSettings } from './simulated-group.ts';
import { SimulatedHost } from './simulated-host.ts';
import { SimulatedLog } from './simulated-log.ts';
import { SimulatedMembership } from './simulated-membership.ts';
import { SimulatedProofWriter } from './simulated-proof-writer.ts';
import { SimulatedReader } from './simulated-reader.ts';
import { SimulatedStores } from './simulated-stores.ts';
import { SimulatedTransactions } from './simulated-transactions.ts';
import { Trace } from './trace.ts';
import { VirtualTime } from './virtual-time.ts';

export interface SimulationSettings {
  /** Decides everything that is left to chance. Any safe integer. */
  readonly seed: number;
  readonly rates?: FaultRates;
  /** True time at the start. */
  readonly startMs?: Millis;
}

export interface HostSettings {
  /** Offset of the wall clock from true time when the process starts. */
  readonly skewMs?: DurationMs;
  /** Default: the disk of the machine of this name, which outlives its processes. */
  readonly disk?: SimulatedDisk;
  /** True if other processes have stores on the disk open at the same time. Default: false. */
  readonly sharesDisk?: boolean;
}

/** All ports of one process. */
export interface HostPorts {
  readonly clock: Clock;
  readonly reader: LogReader;
  readonly writers: SimulatedTransactions;
  readonly proof: ProofWriter;
  readonly admin: LogAdmin;
  readonly stores: StateStores;
  /** For a further pipeline of the process: each has a disk to itself. */
  storesOn(disk: SimulatedDisk): StateStores;
  /** `instanceId`: of a static member. Default: none. */
  membership(group: string, instanceId?: string): SimulatedMembership;
  /** Writes to one topic without transactions. */
  acknowledged(topic: string): SimulatedAcknowledgedWriter;
}

/** 2024-01-01T00:00:00Z */
const START_MS: Millis = 1_704_067_200_000;
const utf8 = new TextEncoder();

export class Simulation {
  readonly seed: number;
  readonly time: VirtualTime = new VirtualTime();
  readonly trace: Trace;
  readonly faults: FaultPlan;
  readonly network: Network;
  readonly log: SimulatedLog;
  readonly #unpacking: Random;
  readonly #startMs: Millis;
  readonly #disks = new Map<string, SimulatedDisk>();
  readonly #groups = new Map<string, SimulatedGroup>();
  /** The clocks of all processes that were ever started. */
  readonly #machines: { readonly name: string; readonly machine: HostClock }[] = [];
  readonly #hosts = new Map<string, SimulatedHost>();

  constructor({ seed, rates = calm, startMs = START_MS }: SimulationSettings) {
    this.seed = seed;
    this.#startMs = startMs;
    const { time } = this;
    this.trace = new Trace(time);
    this.faults = new FaultPlan(this.random('faults'), rates);
    this.network = new Network(time, this.faults, this.trace);
    this.#unpacking = this.random('unpacking');
    const trueMs = (): Millis => this.trueMs();
    this.log = new SimulatedLog({ time, faults: this.faults, trace: this.trace, trueMs });
  }

  /** The reading of a perfect clock. */
  trueMs(): Millis {
    return this.#startMs + this.time.nowMs;
  }

  /** A random stream of its own, from the seed and this name: for workloads and schedules of faults. */
  random(name: string): Random {
    const bytes = utf8.encode(name);
    const low = hashBytes(bytes, 0, bytes.length, this.seed | 0) >>> 0;
    const high = hashBytes(bytes, 0, bytes.length, Math.floor(this.seed / 2 ** 32) ^ 0x5bd1e995) >>> 0;
    return seededRandom(low + (high % 2 ** 20) * 2 ** 32);
  }

  disk(machine: string): SimulatedDisk {
    const disk = this.#disks.get(machine) ?? new SimulatedDisk();
    this.#disks.set(machine, disk);
    return disk;
  }

  /** The group, made with these settings when first named. */
  group(name: string, settings?: GroupSettings): SimulatedGroup {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    assert(settings !== undefined, 'a group is made with its settings before it is used', { name });
    const group = new SimulatedGroup({ time: this.time, faults: this.faults, trace: this.trace }, settings);
    this.#groups.set(name, group);
    return group;
  }

  /** Starts a process; one of the same name must have died before. */
  start(name: string, settings: HostSettings = {}): { readonly host: SimulatedHost; readonly ports: HostPorts } {
    const former = this.#hosts.get(name);
    assert(former?.alive !== true, 'a process of this name still runs', { name });
    const originMs = 1 + this.faults.below(2 ** 31);
    const machine = new HostClock(this.time, this.trueMs() + (settings.skewMs ?? 0), originMs);
    this.#machines.push({ name, machine });
    const host = new SimulatedHost(name, machine, this.time, this.trace);
    this.#hosts.set(name, host);
    this.trace.note(`${name} starts`);
    return { host, ports: this.#ports(host, settings) };
  }

  /** How much of that virtual time the monotonic clock of the process, and of former ones of its name, did not count. */
  suspendedMsBetween(name: string, from: DurationMs, to: DurationMs): DurationMs {
    return this.#machines
      .filter((each) => each.name === name)
      .reduce((sum, { machine }) => sum + machine.suspendedMsBetween(from, to), 0);
  }

  #ports(host: SimulatedHost, settings: HostSettings): HostPorts {
    const { disk = this.disk(host.name), sharesDisk: isShared = false } = settings;
    const { network, log, faults, time } = this;
    const environment = { host, network, log, faults, time };
    const stores = new SimulatedStores({ host, disk, faults, isShared });
    const checkpoints = (): ReturnType<StateStores['localCheckpoints']> => stores.localCheckpoints();
    return {
      clock: host,
      reader: new SimulatedReader({ ...environment, unpacking: this.#unpacking }),
      writers: new SimulatedTransactions(environment),
      proof: new SimulatedProofWriter(environment),
      admin: new SimulatedAdmin(environment),
      stores,
      storesOn: (own) => new SimulatedStores({ host, disk: own, faults }),
      membership: (group, instanceId) =>
        new SimulatedMembership({
          host,
          network,
          group: this.group(group),
          groupName: group,
          offsets: log.offsets,
          instanceId,
          checkpoints,
        }),
      acknowledged: (topic) => new SimulatedAcknowledgedWriter(environment, topic),
    };
  }
}
