// Whatever is thrown about one record or one partition stops at most that partition (I6).
import { describe, expect, test } from '@jest/globals';
import { assert, Retriable } from '@flatline/base';
import { decodeBlock, RecordFailed } from '@flatline/partition';
import type { DecodeOutcome, EventDecoder } from '@flatline/ports/formats';
import type { PipelinePorts } from '../index.ts';
import { RECORD_FAILURES_MAX, RECORD_FAILURES_SPAN_MS } from '../limits.ts';
import { RecordFailures } from './record-failures.ts';
import { CHANGELOG, DEAD_LETTERS, type Process, World } from '../world.fixture.ts';

const text = new TextDecoder();
const EVENT: DecodeOutcome = { kind: 'event' };

/** Attributes that throw in the middle of applying an event: after its counts, before its timeout. */
function throwing(): Map<string, string> {
  const attributes = new Map([['a', 'b']]);
  attributes[Symbol.iterator] = () => {
    throw new TypeError('attributes that cannot be walked');
  };
  return attributes;
}

/** `decoder` throws in the decoder, `poison` while it is applied, `unlucky` while it is applied for the first time only. */
function decoding(): EventDecoder['decode'] {
  let isFirst = true;
  return (bytes, start, length, target) => {
    const value = text.decode(bytes.subarray(start, start + length));
    assert(value !== 'decoder', 'a broken assumption of the decoder');
    target.type = value.toUpperCase();
    if (value === 'poison' || (value === 'unlucky' && isFirst)) target.attributes = throwing();
    if (value === 'unlucky') isFirst = false;
    return EVENT;
  };
}

interface Letter {
  readonly key: string;
  readonly reason: string;
  readonly detail: string;
}

function letters(world: World): Letter[] {
  return Array.from({ length: world.partitions }, (_, partition) =>
    world.simulation.log.committed(DEAD_LETTERS, partition),
  )
    .flat()
    .map(({ key, headers }) => {
      const of = (wanted: string): string =>
        text.decode(headers.find(({ name }) => name === `flatline-${wanted}`)?.value ?? new Uint8Array());
      return { key: text.decode(key), reason: of('reason'), detail: of('detail') };
    });
}

/** Summaries that do not belong to the fold, which knows no payloads: `key reason count`. */
const shownOf = (world: World, keys: readonly string[]): string[] =>
  world
    .closed()
    .map((line) => line.split(' '))
    .filter(([key]) => keys.includes(key!))
    .map(([key, , reason, count]) => `${key!} ${reason!} ${count!}`);
const others = (lines: readonly string[], keys: readonly string[]): string[] =>
  lines.filter((line) => !keys.includes(line.split(' ')[0]!));

function statesOf({ instance }: Process): string[] {
  return instance.status().map(({ state }) => state);
}

describe('[I6] one record', () => {
  test.each(['decoder', 'poison'])(
    '[I6][I1] %s: it is a dead letter, nothing of it is applied, and everyone closes as by the log',
    async (value) => {
      const world = new World({ seed: 51, decode: decoding() });
      const { time } = world.simulation;
      const process = world.launch('a');
      await time.runFor(3_000);
      for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
      world.beat('victim');
      world.say('victim', value);
      world.beat('victim');
      world.say('newcomer', value);
      for (let i = 0; i < 20; i += 1) world.beat(`m${i}`);
      await time.runFor(30_000);
      expect(process.failures).toEqual([]);
      expect(statesOf(process)).toEqual(['running', 'running']);
      expect(shownOf(world, ['victim', 'newcomer'])).toEqual(['victim TIMEOUT 2']);
      expect(others(world.closed(), ['victim', 'newcomer'])).toEqual(others(world.expected(), ['victim', 'newcomer']));
      const found = letters(world).sort((a, b) => (a.key < b.key ? -1 : 1));
      expect(found.map(({ key, reason }) => [key, reason])).toEqual([
        ['newcomer', 'processing-failed'],
        ['victim', 'processing-failed'],
      ]);
      const why = value === 'decoder' ? /the decoder failed: AssertionError/ : /attributes that cannot be walked/;
      for (const { detail } of found) expect(detail).toMatch(why);
    },
  );

  test('[I6] a failure that does not come again after restoring costs no record', async () => {
    const world = new World({ seed: 52, partitions: 1, decode: decoding() });
    const { time } = world.simulation;
    const process = world.launch('a');
    await time.runFor(3_000);
    world.beat('victim');
    world.say('victim', 'unlucky');
    world.beat('victim');
    await time.runFor(20_000);
    expect(statesOf(process)).toEqual(['running']);
    expect(letters(world)).toEqual([]);
    expect(shownOf(world, ['victim'])).toEqual(['victim TIMEOUT 3']);
    expect(process.lines.filter((line) => line.includes('task failed'))).toHaveLength(1);
  });

  test('[I6] an explicit end whose summary cannot be encoded is a dead letter, and the session goes on', async () => {
    const onEncode = ({ reason, key }: { readonly reason: string; readonly key: Uint8Array }): void => {
      if (text.decode(key) === 'victim' && reason === 'ENDED') throw new RangeError('not to be encoded');
    };
    const world = new World({ seed: 53, partitions: 1, onEncode });
    const { time } = world.simulation;
    const process = world.launch('a');
    await time.runFor(3_000);
    world.beat('victim');
    world.end('victim');
    world.beat('victim');
    world.beat('other');
    await time.runFor(30_000);
    expect(process.failures).toEqual([]);
    expect(shownOf(world, ['victim', 'other'])).toEqual(['other TIMEOUT 1', 'victim TIMEOUT 2']);
    expect(letters(world)).toMatchObject(
      [{ key: 'victim', detail: /the summary of 0-0 .*: RangeError/ }].map(matching),
    );
  });

  test('[I6][F3] a zombie that fails at a record asks who owns the partition before it tries again, and fences no owner', async () => {
    const world = new World({ seed: 58, partitions: 1, decode: decoding() });
    const { time } = world.simulation;
    const zombie = world.launch('a');
    await time.runFor(3_000);
    world.beat('other');
    await time.runFor(1_000);
    zombie.host.pause();
    world.say('victim', 'poison');
    const owner = world.launch('b');
    await time.runFor(30_000);
    expect(statesOf(owner)).toEqual(['running']);
    const claimed = claimsIn(world);
    expect(claimed).toContain('b');
    zombie.host.resume();
    await time.runFor(30_000);
    expect(zombie.lines.filter((line) => line.includes('task failed'))).toHaveLength(1);
    expect(claimsIn(world)).toEqual(claimed);
    expect([...zombie.failures, ...owner.failures]).toEqual([]);
    expect([statesOf(zombie), statesOf(owner)]).toEqual([[], ['running']]);
  });

  test('[I6] as many as may fail within an hour, twice each, are refused; one more stops the partition', () => {
    const failures = new RecordFailures();
    const tries = Array.from({ length: 2 * RECORD_FAILURES_MAX + 1 }, (_, at) => failures.note(failed(at >> 1), at));
    const pairs = Array.from({ length: RECORD_FAILURES_MAX }, () => ['restore', 'refuse']);
    expect(tries).toEqual([...pairs.flat(), 'stop']);
    expect(failures.refusedFrom(0).size).toBe(RECORD_FAILURES_MAX);
  });

  test('[I6] records that fail by turns, and never twice running, stop the partition, too', () => {
    const failures = new RecordFailures();
    const verdicts = Array.from({ length: RECORD_FAILURES_MAX + 1 }, (_, at) => failures.note(failed(at % 2), at));
    expect(verdicts.indexOf('stop')).toBe(RECORD_FAILURES_MAX);
  });

  test('[I6] what failed more than an hour ago counts no more; a refused record that fails again stops the partition', () => {
    const failures = new RecordFailures();
    for (let at = 0; at <= RECORD_FAILURES_MAX; at += 1) failures.note(failed(at), at);
    const later = 2 * RECORD_FAILURES_SPAN_MS;
    const verdicts = Array.from({ length: 3 }, () => failures.note(failed(99), later));
    expect(verdicts).toEqual(['restore', 'refuse', 'stop']);
    expect([...failures.refusedFrom(7).keys()]).toEqual([99]);
    expect([...failures.refusedFrom(100).keys()]).toEqual([]);
  });
});

function failed(offset: number): RecordFailed {
  return new RecordFailed(offset, new Error('so'));
}

/** Owners whose claims are in the changelog, in order. */
function claimsIn(world: World): string[] {
  const blocks = world.simulation.log.committed(CHANGELOG, 0).map(({ value }) => decodeBlock(value!));
  return blocks.flatMap((block) => (block.kind === 'claim' ? [block.claim.owner] : []));
}

function matching({ key, detail }: { readonly key: string; readonly detail: RegExp }): Record<string, unknown> {
  return { key, reason: 'processing-failed', detail: expect.stringMatching(detail) };
}

describe('[I6] one partition', () => {
  test('[I6] a summary that cannot be encoded stops its partition with the place; others, and the process, go on', async () => {
    const onEncode = ({ key }: { readonly key: Uint8Array }): void => {
      assert(text.decode(key) !== 'victim', 'an Avro long is written from a safe integer');
    };
    const world = new World({ seed: 54, onEncode });
    const { time } = world.simulation;
    const processes = [world.launch('a'), world.launch('b')];
    await time.runFor(8_000);
    world.beat('victim');
    const stopped = world.partitionOf('victim');
    for (let i = 0; i < 30; i += 1) world.beat(`k${i}`);
    await time.runFor(20_000);
    for (let i = 0; i < 30; i += 1) world.beat(`m${i}`);
    await time.runFor(20_000);
    expect(processes.flatMap(({ failures }) => failures)).toEqual([]);
    const statuses = processes.flatMap(({ instance }) => instance.status());
    expect(statuses.find(({ partition }) => partition === stopped)).toMatchObject({
      state: 'stopped',
      detail: expect.stringMatching(
        new RegExp(`summary of ${stopped}-\\d+ .*TIMEOUT, offsets .* for out/${stopped} cannot be encoded`),
      ),
    });
    expect(statuses.find(({ partition }) => partition !== stopped)?.state).toBe('running');
    const elsewhere = (lines: readonly string[]): string[] =>
      lines.filter((line) => world.partitionOf(line.split(' ')[0]!) !== stopped);
    expect(elsewhere(world.closed())).toEqual(elsewhere(world.expected()));
    expect(elsewhere(world.closed()).length).toBeGreaterThan(20);
  });

  test('[I6] so does what is thrown in the background: a reading that cannot be begun again', async () => {
    let isBroken = false;
    const adapt = (ports: PipelinePorts): PipelinePorts => ({
      ...ports,
      input: {
        close: () => ports.input.close(),
        subscribe: (partition, offset, leaderEpoch) => {
          if (isBroken && partition.partition === 0) throw new TypeError('no subscription');
          const subscription = ports.input.subscribe(partition, offset, leaderEpoch);
          return new Proxy(subscription, {
            get: (target, name) => {
              if (name === 'failure' && isBroken) return new Retriable('interrupted on purpose');
              const value: unknown = Reflect.get(target, name);
              return typeof value === 'function' ? (value.bind(target) as unknown) : value;
            },
          });
        },
      },
    });
    const world = new World({ seed: 56, adapt });
    const { time } = world.simulation;
    const process = world.launch('a');
    await time.runFor(3_000);
    for (let i = 0; i < 10; i += 1) world.beat(`k${i}`);
    isBroken = true;
    await time.runFor(2_000);
    expect(process.failures).toEqual([]);
    const statuses = process.instance.status();
    expect(statuses.map(({ state }) => state)).toEqual(['stopped', 'running']);
    expect(statuses[0]?.detail).toMatch(/^in\/0 at position \d+: TypeError: no subscription/);
  });

  test('[I6] a standby with a defect stops, and harms neither its process nor the owner', async () => {
    let isBroken = false;
    const adapt = (ports: PipelinePorts, name: string): PipelinePorts => ({
      ...ports,
      changelog: {
        close: () => ports.changelog.close(),
        subscribe: (...where) => {
          const subscription = ports.changelog.subscribe(...where);
          if (name === 'a') return subscription;
          return new Proxy(subscription, {
            get: (target, member) => {
              assert(!isBroken || member !== 'take', 'broken on purpose');
              const value: unknown = Reflect.get(target, member);
              return typeof value === 'function' ? (value.bind(target) as unknown) : value;
            },
          });
        },
      },
    });
    const world = new World({ seed: 57, partitions: 1, standbys: 1, adapt });
    const { time } = world.simulation;
    const owner = world.launch('a');
    await time.runFor(8_000);
    const other = world.launch('b');
    await time.runFor(8_000);
    expect(other.instance.standbys()).toMatchObject([{ state: 'following' }]);
    isBroken = true;
    for (let i = 0; i < 10; i += 1) world.beat(`k${i}`);
    await time.runFor(20_000);
    expect([...owner.failures, ...other.failures]).toEqual([]);
    expect(other.instance.standbys()).toMatchObject([
      { state: 'stopped', detail: 'AssertionError: broken on purpose' },
    ]);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(10);
  });

  test('[I6] an assumption that breaks between records stops its partition; a process that leaves then leaves in good order', async () => {
    let isArmed = false;
    const adapt = (ports: PipelinePorts): PipelinePorts => ({
      ...ports,
      clock: {
        monotonicMs: () => ports.clock.monotonicMs(),
        after: (delayMs, callback) => ports.clock.after(delayMs, callback),
        wallMs: () => {
          const breaks = isArmed;
          isArmed = false;
          assert(!breaks, 'broken on purpose');
          return ports.clock.wallMs();
        },
      },
    });
    const world = new World({ seed: 55, adapt });
    const { time } = world.simulation;
    const process = world.launch('a');
    await time.runFor(3_000);
    world.beat('k1');
    await time.runFor(500);
    isArmed = true;
    world.beat('k1');
    await time.runFor(10_000);
    expect(process.failures).toEqual([]);
    expect(statesOf(process).sort()).toEqual(['running', 'stopped']);
    expect(process.instance.status().find(({ state }) => state === 'stopped')?.detail).toMatch(
      /^in\/\d at position \d+: AssertionError: broken on purpose.*defect of this program/,
    );
    await time.complete(process.instance.stop());
    expect(process.instance.status()).toEqual([]);
  });

  test('[I6] so does what is thrown right behind restoring, under its own name', async () => {
    const adapt = (ports: PipelinePorts): PipelinePorts => ({
      ...ports,
      input: { close: () => ports.input.close(), subscribe: () => throws(new Retriable('interrupted')) },
    });
    const world = new World({ seed: 60, partitions: 1, adapt });
    const process = world.launch('a');
    await world.simulation.time.runFor(10_000);
    expect(process.failures).toEqual([]);
    const [status] = process.instance.status();
    expect([status!.state, status!.detail]).toEqual(['stopped', expect.stringMatching(/^in\/0 .*interrupted/)]);
  });

  test('[I6] anything else thrown while a task is restored stops its partition, an error or not', async () => {
    const adapt = (ports: PipelinePorts): PipelinePorts => ({
      ...ports,
      changelog: { close: () => ports.changelog.close(), subscribe: () => throws('no error at all') },
    });
    const world = new World({ seed: 58, partitions: 1, adapt });
    const process = world.launch('a');
    await world.simulation.time.runFor(10_000);
    expect(process.failures).toEqual([]);
    const [status] = process.instance.status();
    expect(status!.state).toBe('stopped');
    expect(status!.detail).toMatch(/^in\/0 .*no error at all.*defect/);
  });

  test('[I6][X5] so does what is thrown where a task would try again', async () => {
    const adapt = (ports: PipelinePorts): PipelinePorts => ({
      ...ports,
      changelog: { close: () => ports.changelog.close(), subscribe: () => throws(new Retriable('interrupted')) },
      log: {
        ...ports.log,
        warn: (message, facts) => {
          assert(!message.includes('trying again'), 'broken on purpose');
          ports.log.warn(message, facts);
        },
      },
    });
    const world = new World({ seed: 59, partitions: 1, adapt });
    const process = world.launch('a');
    await world.simulation.time.runFor(10_000);
    expect(process.failures).toEqual([]);
    const [status] = process.instance.status();
    expect(status!.state).toBe('stopped');
    expect(status!.detail).toMatch(/^in\/0 .*AssertionError: broken on purpose/);
    await world.simulation.time.complete(process.instance.stop());
  });
});

function throws(what: unknown): never {
  throw what;
}
