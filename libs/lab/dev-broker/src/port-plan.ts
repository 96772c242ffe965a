import type { SecuredPorts } from './node-settings.ts';
import { type BrokerOptions } from './running-broker.ts';
import { assertPortFree, freePorts } from './ports.ts';

export interface PortPlan {
  readonly nodes: readonly {
    readonly port: number;
    readonly controllerPort: number;
    readonly secured: SecuredPorts | undefined;
  }[];
  /** Set even if no registry is wanted. */
  readonly registry: number;
  /** Port of a secured broker's token endpoint; set even if it is not secured. */
  readonly tokens: number;
}

type FreePorts = [number, number, number, number, number];

const PORTS_OF_NODE = 5;

/** The ports asked for, if they are free, and free ones for the rest. Throws `Fatal` naming a port that is taken. */
export async function planPorts(options: BrokerOptions, nodeCount: number): Promise<PortPlan> {
  const { port: first, registryPort } = options;
  const remedy = 'stop what listens there, choose another port, or set KAFKA_BROKERS to use what runs already';
  if (first !== undefined)
    for (let offset = 0; offset < nodeCount; offset += 1) await assertPortFree(first + offset, remedy);
  if (registryPort !== undefined && options.registry === true)
    await assertPortFree(registryPort, 'stop what listens there, choose another port, or set SCHEMA_REGISTRY_URL');
  const free = await freePorts(nodeCount * PORTS_OF_NODE + 2);
  const nodes = Array.from({ length: nodeCount }, (_, index) => {
    const [port, controllerPort, tls, mutualTls, sasl] = free.splice(0, PORTS_OF_NODE) as FreePorts;
    const secured = options.secure === true ? { tls, mutualTls, sasl } : undefined;
    return { port: first === undefined ? port : first + index, controllerPort, secured };
  });
  return { nodes, registry: registryPort ?? free[0]!, tokens: free[1]! };
}
