import { describe, expect, test } from '@jest/globals';
import { Simulation } from './index.ts';

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
