// Holders in the simulated cluster: slow networks, answers that never come, pauses, brokers whose clocks differ. What the log
// says of a lease, at each moment, is the oracle's fold of all that was appended by then.
import { describe, expect, test } from '@jest/globals';
import type { Clock } from '@flatline/base';
import { type ProducedRecord, Simulation, type SimulatedHost } from '@flatline/cluster';
import { foldLeases, type Said } from '@flatline/oracle/lease';
import type { HeardLease } from './heard-lease.ts';
import { LeaseHolder } from './lease-holder.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 40);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const INPUT = 'asks';
const KEY = 'leader';
const utf8 = new TextEncoder();

interface Contender {
  readonly host: SimulatedHost;
  readonly clock: Clock;
  holder: LeaseHolder;
  /** Nothing that it sends arrives. */
  isCut: boolean;
  /** When it has read all that was said by now. */
  readAtMs: number;
}

class World {
  readonly simulation: Simulation;
  readonly random;
  readonly contenders: Contender[] = [];
  readonly rules;
  readonly skewMs: number;
  #heard = 0;
  #tries = 0;
  believed = 0;
  readonly ended: string[] = [];
  readonly wrong: string[] = [];

  constructor(seed: number, clockSkewMs: number) {
    this.simulation = new Simulation({ seed });
    this.random = this.simulation.random('holders');
    this.skewMs = clockSkewMs;
    this.simulation.log.createTopic(INPUT, { partitions: 1 });
    this.rules = {
      timeoutMs: 4_000,
      minTimeoutMs: 1_000,
      maxTimeoutMs: 9_000,
      bucketMs: seed % 4 === 0 ? 700 : 0,
      onConflict: seed % 3 === 0 ? 'reject' : 'queue',
      maxWaiters: 4,
      lockDelayMs: seed % 5 === 0 ? 1_000 : 0,
      maxDurationMs: seed % 2 === 0 ? 15_000 : undefined,
      tokenEpoch: 0,
    };
  }

  /** All that the log says of the lease by now. */
  said(): readonly Said[] {
    const { rules } = this;
    const heldTime = { unheardMs: 0, maxHoldMs: 1 };
    const records = this.simulation.log.committed(INPUT, 0);
    return foldLeases(records, { partition: 0, rules, heldTime, logAppendTime: true }).said.get(KEY) ?? [];
  }

  /** The token of the lease that lives in the log. */
  live(): number | undefined {
    const said = this.said();
    const last = said.findLast((each) => each === null || each['type'] === 'GRANTED');
    return last ? Number(last['token']) : undefined;
  }

  /** Appends, and looks whether anyone believes in what has ended by that. Resolves with the append time, once replicated. */
  async append(record: ProducedRecord): Promise<number> {
    const outcome = await this.simulation.log.produceAcked(INPUT, 0, [record]);
    const live = this.live();
    for (const { host, holder } of this.contenders) {
      if (host.paused || !holder.isHeld) continue;
      this.believed += 1;
      if (holder.token !== live) this.wrong.push(`believes in ${holder.token}, ${live ?? 'none'} lives`);
    }
    if (outcome.kind !== 'acked') throw new Error(outcome.kind);
    const records = this.simulation.log.committed(INPUT, 0);
    return records.find(({ offset }) => offset === outcome.baseOffset)!.timestamp;
  }

  join(name: string): void {
    const { host, ports } = this.simulation.start(name);
    const contender: Contender = { host, clock: ports.clock, holder: undefined as never, isCut: false, readAtMs: 0 };
    contender.holder = this.#holder(contender);
    this.contenders.push(contender);
  }

  #holder(contender: Contender): LeaseHolder {
    const { time } = this.simulation;
    const { random } = this;
    const append = (record: ProducedRecord): Promise<number> => this.append(record);
    this.#tries += 1;
    return new LeaseHolder({
      clock: contender.clock,
      requestId: `r${this.#tries}`,
      clockSkewMs: this.skewMs,
      answerWithinMs: 20_000,
      ask: { timeoutMs: 3_000, waitMs: 8_000 },
      onHeld: () => {
        expect(contender.holder.isHeld).toBe(true);
      },
      onOver: (reason) => {
        this.ended.push(reason);
        expect(contender.holder.isHeld).toBe(false);
        contender.clock.after(random.below(2_000), () => {
          contender.holder = this.#holder(contender);
        });
      },
      send: (value, headers) =>
        new Promise((resolve) => {
          const slow = random.chance(0.1) ? 4_000 : 200;
          time.after(random.below(slow), function sent() {
            // As a producer that does not give up, where it matters.
            if (contender.isCut && value) time.after(1_000, sent);
            if (contender.isCut) return;
            const named = [...headers].map(([name, of]) => ({ name, value: utf8.encode(of) }));
            const content = value === undefined ? '' : value === null ? null : JSON.stringify(value);
            void append({ key: KEY, value: content, headers: named }).then((appendedAt) => {
              if (random.chance(0.1)) return;
              time.after(random.below(slow), () => {
                contender.host.run(() => {
                  resolve(appendedAt);
                });
              });
            });
          });
        }),
    });
  }

  /** As a processor: what is said reaches holders after a while; the clock goes on where nothing else moves it. */
  deliver(): void {
    const fresh = this.said().slice(this.#heard);
    this.#heard += fresh.length;
    const { time } = this.simulation;
    for (const each of fresh)
      for (const contender of each === null ? [] : this.contenders) {
        // In order, and now and then late.
        const lag = this.random.below(this.random.chance(0.1) ? 6_000 : 500);
        contender.readAtMs = Math.max(contender.readAtMs, time.nowMs + lag);
        time.after(contender.readAtMs - time.nowMs, () => {
          contender.host.run(() => {
            contender.holder.hear(each as unknown as HeardLease);
          });
        });
      }
    if (this.random.chance(0.7))
      void this.append({ key: null, value: '', headers: [{ name: 'flatline-clock', value: null }] });
  }

  async run(): Promise<void> {
    const { time, log } = this.simulation;
    for (const name of ['a', 'b', 'c']) this.join(name);
    for (let round = 0; round < 250; round += 1) {
      await time.runFor(this.random.below(300));
      this.deliver();
      if (this.random.chance(0.15))
        log.partition(INPUT, 0).setSkew(this.random.below(this.skewMs + 1) - this.skewMs / 2);
      const contender = this.contenders[this.random.below(3)]!;
      const { host, holder } = contender;
      if (this.random.chance(contender.isCut ? 0.15 : 0.05)) contender.isCut = !contender.isCut;
      if (this.random.chance(0.03)) host.pause();
      else if (this.random.chance(0.1)) host.resume();
      else if (this.random.chance(0.01)) holder.release();
    }
  }
}

describe('a holder of a lease', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[L8] seed %i: never believes in a lease that the log has ended (rerun: SEED)',
    async (seed) => {
      const world = new World(seed, 400);
      await world.run();
      expect(world.wrong).toEqual([]);
      expect(world.believed).toBeGreaterThan(0);
      expect(world.ended.length).toBeGreaterThan(1);
    },
  );
});
