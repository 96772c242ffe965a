// The test of the seam: a kind that the engine knows nothing of runs on it, through faults and takeovers.
import { describe, expect, test } from '@jest/globals';
import { type LogRecord, rough } from '@flatline/cluster';
import { whileProcessesDie } from './kills.fixture.ts';
import { leaseStub } from './lease-stub.fixture.ts';
import { DEAD_LETTERS, INPUT, OUTPUT, World } from './world.fixture.ts';

const TIMEOUT_MS = 4_000;
const KEYS = 12;
const text = new TextDecoder();
const SEEDS = Number(process.env['SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

/** `key: value` of each record, per key in log order; a tombstone is `-`. */
type Said = Map<string, string[]>;

function note(said: Said, key: string, ...lines: readonly string[]): void {
  said.set(key, [...(said.get(key) ?? []), ...lines]);
}

function answers(world: World, topic: string): Said {
  const said: Said = new Map();
  for (let partition = 0; partition < world.partitions; partition += 1)
    for (const { key, value } of world.simulation.log.committed(topic, partition))
      note(said, text.decode(key), value === null ? '-' : text.decode(value));
  return said;
}

interface Lease {
  readonly token: number;
  lastSeenAt: number;
}

/** The rules of the stub, read a second time, over one partition's input. */
function expected(records: readonly LogRecord[], said: Said): number {
  const live = new Map<string, Lease>();
  let clock = 0;
  let refused = 0;
  const finish = (key: string, { token }: Lease, what: string, at: number): void => {
    note(said, key, `${what} ${token} at ${at}`, `${token} is free`, '-');
    live.delete(key);
  };
  const expire = (key: string): void => {
    const lease = live.get(key);
    if (lease !== undefined && lease.lastSeenAt + TIMEOUT_MS <= clock)
      finish(key, lease, 'EXPIRED', lease.lastSeenAt + TIMEOUT_MS);
  };
  for (const { offset, timestamp, key: bytes, value } of records) {
    clock = Math.max(clock, timestamp);
    if (bytes === null) continue;
    const key = text.decode(bytes);
    expire(key);
    const heard = text.decode(value);
    const lease = live.get(key);
    if (lease === undefined && heard === 'START') {
      live.set(key, { token: offset, lastSeenAt: clock });
      note(said, key, `GRANTED ${offset}`);
    } else if (lease === undefined) refused += 1;
    else if (heard === `RENEW ${lease.token}`) lease.lastSeenAt = clock;
    else if (heard === `END ${lease.token}`) finish(key, lease, 'RELEASED', clock);
    else note(said, key, `REJECTED held by ${lease.token}`);
  }
  for (const key of [...live.keys()]) expire(key);
  return refused;
}

/** Holders that know their token, zombies with an old one, processes that die; then calm, until all are silent long enough. */
function storm(world: World, seed: number): Promise<readonly Error[]> {
  const random = world.simulation.random(`leases ${seed}`);
  return whileProcessesDie(world, { random, pauseMs: 600, calmMs: 60_000 }, () => {
    const key = `lease-${random.below(KEYS)}`;
    const granted =
      answers(world, OUTPUT)
        .get(key)
        ?.filter((line) => line.startsWith('GRANTED')) ?? [];
    const token = random.chance(0.8) ? granted.at(-1)?.slice(8) : granted[0]?.slice(8);
    const act = random.below(10);
    world.say(key, act < 3 ? 'START' : `${act < 9 ? 'RENEW' : 'END'} ${token ?? 0}`);
  });
}

describe('a kind that the engine does not know', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[O1][S3][C5] seed %i: what it says is what its rules say, each word once, in order (rerun: SEED)',
    async (seed) => {
      const adapt = <T extends object>(ports: T): T => ({ ...ports, kind: leaseStub(TIMEOUT_MS) });
      const world = new World({ seed, rates: { ...rough, requestCrash: 0.001, writeCrash: 0.002 }, adapt });
      const failures = await storm(world, seed);
      const said: Said = new Map();
      let refused = 0;
      for (let partition = 0; partition < world.partitions; partition += 1)
        refused += expected(world.simulation.log.committed(INPUT, partition), said);
      const heard = answers(world, OUTPUT);
      expect(Object.fromEntries(heard)).toEqual(Object.fromEntries(said));
      expect([...answers(world, DEAD_LETTERS).values()].flat()).toHaveLength(refused);
      expect(failures).toEqual([]);
      const words = [...heard.values()].flat().map((line) => line.split(' ')[0]);
      for (const word of ['GRANTED', 'REJECTED', 'EXPIRED', '-']) expect(words).toContain(word);
    },
  );
});
