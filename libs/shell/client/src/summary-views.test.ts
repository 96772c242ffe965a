// The first, all, or the final summaries of sessions that may be revised (S9), from one topic.
import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { INCARNATION_HEADER, type MembershipListener } from '@flatline/ports';
import { type Given, GroupOutputs } from './group-outputs.ts';
import { outputKinds, type SummaryView } from './output-kinds.ts';
import type { SummaryRecord } from './output-record.ts';
import { summaryJson } from './summary.fixture.ts';
import { WaitingSummaries } from './waiting-summaries.ts';

const TOPIC = 'closed';
const utf8 = new TextEncoder();

/** One consumer of one partition. */
class World {
  readonly committed: number[] = [];
  readonly sessions: AsyncGenerator<Given<SummaryRecord>, void>;
  readonly #simulation = new Simulation({ seed: 1 });
  #listener: MembershipListener | undefined;

  constructor(
    view: SummaryView,
    { start = 0, bytesMax }: { readonly start?: number; readonly bytesMax?: number } = {},
  ) {
    const { ports } = this.#simulation.start('a');
    this.#simulation.log.createTopic(TOPIC, { partitions: 1 });
    const { clock, reader } = ports;
    this.sessions = new GroupOutputs<SummaryRecord>({
      clock,
      topic: TOPIC,
      reader,
      kind: outputKinds({ format: 'auto', registry: undefined, clock }, { view }).session,
      waiting: view === 'final' ? new WaitingSummaries(TOPIC, bytesMax) : undefined,
      membership: {
        start: (listener) => {
          this.#listener = listener;
          return Promise.resolve();
        },
        commit: (_topic, offsets) => {
          this.committed.push(offsets.get(0)!);
          return Promise.resolve(true);
        },
        leave: () => Promise.resolve(),
      },
      startOf: () => Promise.resolve(start),
      logStartOf: () => Promise.resolve(0),
      commitIntervalMs: 100,
      signal: undefined,
      onUnreadable: undefined,
      onReceipt: undefined,
      onPassedOver: () => undefined,
      onDelayed: () => undefined,
    }).iterate();
  }

  /** `a/0` is a summary of the incarnation 0-a, `a` its tombstone. */
  async write(words: string): Promise<this> {
    for (const word of words.split(' ')) {
      const [name = '', revision] = word.split('/');
      const headers = [{ name: INCARNATION_HEADER, value: utf8.encode(`0-${name}`) }];
      const value = revision === undefined ? null : summaryJson(name, `0-${name}`, 0, { revision: Number(revision) });
      void this.#simulation.log.produceAcked(TOPIC, 0, [{ key: utf8.encode('k'), value, headers }]);
      await this.#simulation.time.runFor(50);
    }
    return this;
  }

  /** All that is given by now, as `a/0`. */
  async given(count: number): Promise<string[]> {
    const names: string[] = [];
    for (let left = count; left > 0; left -= 1) {
      const next = this.sessions.next();
      next.catch(() => undefined);
      this.#listener?.assigned({ generation: 1, memberId: 'a', partitions: [0] });
      await this.#simulation.time.runFor(500);
      const { summary } = (await next).value!.output;
      names.push(`${summary.incarnation.slice(2)}/${summary.revision}`);
    }
    return names;
  }

  /** Asks for one more, which does not come, so that the last one counts as handled. */
  async handled(): Promise<number | undefined> {
    this.sessions.next().catch(() => undefined);
    await this.#simulation.time.runFor(1_000);
    return this.committed.at(-1);
  }
}

const WORDS = 'a/0 b/0 b a/1 c/0 a/2 a c';

describe('sessions that were revised', () => {
  test('[S9] are given once as they closed, again with each revision, or once as they are in the end', async () => {
    expect(await (await new World('first').write(WORDS)).given(3)).toEqual(['a/0', 'b/0', 'c/0']);
    expect(await (await new World('all').write(WORDS)).given(5)).toEqual(['a/0', 'b/0', 'a/1', 'c/0', 'a/2']);
    expect(await (await new World('final').write(WORDS)).given(3)).toEqual(['b/0', 'a/2', 'c/0']);
  });

  test('[S9] CS1: while a summary waits, the group stands at it', async () => {
    const world = await new World('final').write('a/0 b/0 b c/0 c');
    expect(await world.given(2)).toEqual(['b/0', 'c/0']);
    expect(await world.handled()).toBe(0);
    await world.write('a/1 d/0');
    expect(await world.handled()).toBe(5);
    await world.write('a');
    expect(await world.handled()).toBe(6);
  });

  test('[S9] a tombstone whose summary lies before where the group stands says nothing: it was given then', async () => {
    const world = await new World('final', { start: 1 }).write('a/0 b/0 a b');
    expect(await world.given(1)).toEqual(['b/0']);
  });

  test('[S9] more that wait than memory may hold end the reading, with what to do', async () => {
    const world = await new World('final', { bytesMax: 4_000 }).write('a/0 b/0 c/0 d/0');
    await expect(world.given(1)).rejects.toThrow(
      /^\d summaries of topic closed wait for their tombstones, more than 4000 bytes \(the oldest of this partition is at 0-0\): .* read it with view: 'all'/,
    );
  });
});
