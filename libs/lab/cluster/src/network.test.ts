import { describe, expect, test } from '@jest/globals';
import { Fatal, Retriable } from '@flatline/base';
import { calm, Simulation, type RequestCrash, type RequestFault, type SimulatedHost } from './index.ts';

interface Sent {
  readonly simulation: Simulation;
  readonly host: SimulatedHost;
  /** Arrivals at the broker, in virtual milliseconds. */
  readonly arrived: number[];
  readonly outcome: () => string;
}

/** Sends one heartbeat whose broker notes its arrival and answers at once. */
function send(simulation: Simulation, host: SimulatedHost): Sent {
  const arrived: number[] = [];
  let outcome = 'nothing';
  simulation.network
    .request<string>(host, {
      kind: 'Heartbeat',
      about: 'me',
      timeoutMs: 5_000,
      serve: (answer) => {
        arrived.push(simulation.time.nowMs);
        answer.ok('pong');
      },
    })
    .then(
      (value) => {
        outcome = value;
      },
      (error: unknown) => {
        outcome = error instanceof Retriable ? 'Retriable' : String(error);
      },
    );
  return { simulation, host, arrived, outcome: () => outcome };
}

function sendWith(fault: RequestFault | RequestCrash | undefined, seed = 1): Sent {
  const simulation = new Simulation({ seed });
  const { host } = simulation.start('a');
  if (fault !== undefined) simulation.faults.inject({ at: 'Heartbeat', fault });
  return send(simulation, host);
}

describe('the simulated network', () => {
  test('answers within the delays of a calm cluster', async () => {
    const sent = sendWith(undefined);
    await sent.simulation.time.runFor(2 * calm.networkMs[1]);
    expect(sent.outcome()).toBe('pong');
  });

  test.each([
    { fault: 'dropped', arrivals: 0 },
    { fault: 'answerDropped', arrivals: 1 },
    { fault: 'late', arrivals: 1 },
  ] as const)(
    '[F2] $fault: the sender hears nothing, the broker got it $arrivals times',
    async ({ fault, arrivals }) => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const sent = sendWith(fault, seed);
        await sent.simulation.time.runFor(calm.lateMs + 1);
        expect(sent.outcome()).toBe('Retriable');
        expect(sent.arrived).toHaveLength(arrivals);
        expect(sent.simulation.faults.fired().get(`Heartbeat/${fault}`)).toBe(1);
      }
    },
  );

  test('[F2] a late request reaches the broker after its sender has given it up', async () => {
    let overtaken = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const sent = sendWith('late', seed);
      await sent.simulation.time.runUntil(() => sent.outcome() === 'Retriable', 10_000);
      if (sent.arrived.length === 0) overtaken += 1;
    }
    expect(overtaken).toBeGreaterThan(10);
  });

  test.each([
    { fault: 'crashBefore', arrivals: 0 },
    { fault: 'crashSent', arrivals: 1 },
    { fault: 'crashDone', arrivals: 1 },
  ] as const)('[F1] $fault: the process is dead, the broker got it $arrivals times', async ({ fault, arrivals }) => {
    const sent = sendWith(fault);
    await sent.simulation.time.runFor(60_000);
    expect(sent.host.alive).toBe(false);
    expect(sent.arrived).toHaveLength(arrivals);
    expect(sent.outcome()).toBe('nothing');
  });

  test('[F1] what a killed process had sent arrives or not, by seed', async () => {
    let survived = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const sent = sendWith(undefined, seed);
      sent.host.kill();
      await sent.simulation.time.runFor(100);
      survived += sent.arrived.length;
    }
    expect(survived).toBeGreaterThan(5);
    expect(survived).toBeLessThan(35);
  });

  test.each([
    { cut: 'toBroker', arrivals: 0 },
    { cut: 'fromBroker', arrivals: 1 },
    { cut: 'both', arrivals: 0 },
  ] as const)('[F7] cut $cut: no answer; mended, there is one', async ({ cut, arrivals }) => {
    const sent = sendWith(undefined);
    sent.host.cutOff(cut);
    await sent.simulation.time.runFor(6_000);
    expect(sent.outcome()).toBe('Retriable');
    expect(sent.arrived).toHaveLength(arrivals);
    sent.host.cutOff('none');
    const again = send(sent.simulation, sent.host);
    await sent.simulation.time.runFor(10);
    expect(again.outcome()).toBe('pong');
  });

  test('[F5] an outage swallows what is on its way, in both directions', async () => {
    const sent = sendWith(undefined);
    sent.simulation.network.setOutage(true);
    await sent.simulation.time.runFor(6_000);
    expect(sent.outcome()).toBe('Retriable');
    expect(sent.arrived).toEqual([]);
  });

  test('an order waits for its process and its turn, and is told while it waits', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { host } = simulation.start('a');
    const other = simulation.start('b').host;
    simulation.faults.inject({ at: 'Heartbeat', fault: 'dropped', host: 'a', skip: 1 });
    const outcomes = [send(simulation, other), send(simulation, host), send(simulation, host)];
    expect(simulation.faults.pending()).toHaveLength(0);
    await simulation.time.runFor(6_000);
    expect(outcomes.map((sent) => sent.outcome())).toEqual(['pong', 'pong', 'Retriable']);
  });

  test('what the broker refuses with comes back as it is', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { host } = simulation.start('a');
    const refused = simulation.network.request(host, {
      kind: 'ListOffsets',
      about: 'x',
      serve: (answer) => {
        answer.fail(new Fatal('not authorized'));
      },
    });
    await expect(simulation.time.complete(refused)).rejects.toBeInstanceOf(Fatal);
  });
});
