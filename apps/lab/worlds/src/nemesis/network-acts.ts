// Faults that hit all processes at once: brokers that are slow or gone, and transactions of a foreign producer (F10).
import { calm } from '@flatline/cluster';
import type { Devices } from '../devices.ts';
import type { Victims } from './victims.ts';

export class NetworkActs {
  readonly #victims: Victims;
  readonly #devices: Devices;

  constructor(victims: Victims, devices: Devices) {
    this.#victims = victims;
    this.#devices = devices;
  }

  /** Each produce request of a transaction takes long, so that a commit may outlast its transaction's timeout. */
  brokersSlow(): boolean {
    const { faults } = this.#victims.simulation;
    const leastMs = 200 + this.#victims.random.below(4_000);
    faults.slowProduces([leastMs, 2 * leastMs]);
    this.#victims.later(60_000, () => {
      faults.slowProduces(undefined);
    });
    return true;
  }

  outage(): boolean {
    const { network } = this.#victims.simulation;
    if (network.outage) return false;
    network.setOutage(true);
    this.#victims.later(20_000, () => {
      if (network.outage) network.setOutage(false);
    });
    return true;
  }

  upstreamBegins(): boolean {
    // Its end must not be dropped: the input would wait for ever.
    if (this.#victims.scenario.uncleanElections) return false;
    this.#devices.beginTransaction();
    return true;
  }

  upstreamEnds(): boolean {
    if (this.#devices.openTransactions === 0) return false;
    this.#devices.endTransaction();
    return true;
  }

  /** Now and then there are no faults for a while. */
  lull(): boolean {
    const { simulation, scenario } = this.#victims;
    simulation.faults.setRates(calm);
    this.#victims.later(8_000, () => {
      if (simulation.time.nowMs < scenario.stormMs) simulation.faults.setRates(scenario.rates);
    });
    return true;
  }
}
