// Measures one contender at one size in a process of its own, and sends the cost to the parent: `fork(this, [name, timers, rounds])`.
import { contenders } from './contenders.ts';
import { measureQueue, type Cost } from './measurement.ts';
import { measureNodeTimers, NODE_TIMERS } from './node-timers.ts';

async function measure(name: string, timers: number, rounds: number): Promise<Cost> {
  if (name === NODE_TIMERS.name) return measureNodeTimers(timers, rounds);
  const contender = contenders.find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`no contender is called "${name}"`);
  return measureQueue(contender, timers, rounds);
}

const [name, timers, rounds] = process.argv.slice(2);
process.send?.(await measure(name ?? '', Number(timers), Number(rounds)));
process.disconnect();
