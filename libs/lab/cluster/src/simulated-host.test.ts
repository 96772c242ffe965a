import { describe, expect, test } from '@jest/globals';
import { Simulation, type SimulatedHost } from './index.ts';

const START_MS = 1_000_000;

describe('a simulated process', () => {
  test('[F16] its wall clock may be off, step, drift and freeze; the monotonic one only goes on', async () => {
    const simulation = new Simulation({ seed: 1, startMs: START_MS });
    const { host } = simulation.start('a', { skewMs: -300 });
    const origin = host.monotonicMs();
    expect(host.wallMs()).toBe(START_MS - 300);
    await simulation.time.runFor(1_000);
    expect(host.wallMs()).toBe(START_MS + 700);
    host.machine.step(-3_600_000);
    expect(host.wallMs()).toBe(START_MS + 700 - 3_600_000);
    host.machine.freeze();
    await simulation.time.runFor(5_000);
    expect(host.wallMs()).toBe(START_MS + 700 - 3_600_000);
    host.machine.setRate(2);
    await simulation.time.runFor(1_000);
    expect(host.wallMs()).toBe(START_MS + 2_700 - 3_600_000);
    expect(host.monotonicMs() - origin).toBe(7_000);
  });

  test('it says how much of a stretch it was suspended for, processes of its name before it, too', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { time } = simulation;
    const first = simulation.start('a').host;
    const sleep = async ({ machine }: SimulatedHost, forMs: number): Promise<void> => {
      machine.suspend();
      await time.runFor(forMs);
      machine.wake();
      await time.runFor(100);
    };
    const from = time.nowMs;
    await sleep(first, 1_000);
    first.kill();
    await sleep(simulation.start('a').host, 500);
    const ms = (since: number, until: number): number => simulation.suspendedMsBetween('a', from + since, from + until);
    expect([ms(0, 1_700), ms(0, 1_000), ms(400, 1_300), ms(1_000, 1_100), ms(-9, 0)]).toEqual([
      1_500, 1_000, 800, 0, 0,
    ]);
    expect(simulation.suspendedMsBetween('b', from, from + 1_700)).toBe(0);
  });

  test('machines have monotonic origins of their own', () => {
    const simulation = new Simulation({ seed: 1 });
    expect(simulation.start('a').host.monotonicMs()).not.toBe(simulation.start('b').host.monotonicMs());
  });

  test('SH1 killed, it runs nothing any more', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { host, ports } = simulation.start('a');
    simulation.log.createTopic('in', { partitions: 1 });
    const seen: string[] = [];
    host.after(10, () => seen.push('timer'));
    void ports.admin.ends({ topic: 'in', partition: 0 }).then(() => seen.push('answer'));
    host.kill();
    host.after(1, () => seen.push('timer set afterwards'));
    void ports.admin.ends({ topic: 'in', partition: 0 }).finally(() => seen.push('answer asked for afterwards'));
    await simulation.time.runFor(60_000);
    expect(seen).toEqual([]);
    expect(host.alive).toBe(false);
  });

  test('SH2 [F3] paused, it does nothing; resumed, it does what came due, in order', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { host } = simulation.start('a');
    const origin = host.monotonicMs();
    const seen: string[] = [];
    host.after(30, () => seen.push('later'));
    host.after(10, () => {
      seen.push('sooner');
      void Promise.resolve().then(() => seen.push('and its promise'));
    });
    const cancel = host.after(20, () => seen.push('cancelled while paused'));
    host.after(100, () => seen.push('not due yet'));
    host.pause();
    await simulation.time.runFor(50);
    cancel();
    expect(seen).toEqual([]);
    host.resume();
    await simulation.time.runFor(1);
    expect(seen).toEqual(['sooner', 'and its promise', 'later']);
    expect(host.monotonicMs() - origin).toBe(51);
    await simulation.time.runFor(49);
    expect(seen.at(-1)).toBe('not due yet');
  });

  test('a suspended machine does not count the time it slept', async () => {
    const simulation = new Simulation({ seed: 1, startMs: START_MS });
    const { host } = simulation.start('a');
    const origin = host.monotonicMs();
    await simulation.time.runFor(10);
    host.pause(true);
    await simulation.time.runFor(1_000);
    host.resume();
    await simulation.time.runFor(10);
    expect(host.monotonicMs() - origin).toBe(20);
    expect(host.wallMs()).toBe(START_MS + 1_020);
  });

  test('a name is free again only when its process is dead', () => {
    const simulation = new Simulation({ seed: 1 });
    const { host } = simulation.start('a');
    expect(() => simulation.start('a')).toThrow('still runs');
    host.kill();
    expect(simulation.start('a').host.alive).toBe(true);
  });
});
