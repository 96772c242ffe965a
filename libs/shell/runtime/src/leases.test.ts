// Leases through faults and takeovers in the simulated cluster, against a second reading of their rules.
import { describe, expect, test } from '@jest/globals';
import { rough } from '@flatline/cluster';
import { leaseKind, type LeaseRules } from '@flatline/kinds/lease';
import { foldLeases, type Said } from '@flatline/oracle/lease';
import { blankLeaseRequest, type LeaseEventEncoder, type LeaseRequestDecoder } from '@flatline/ports/formats';
import { whileProcessesDie } from './kills.fixture.ts';
import { DEAD_LETTERS, INPUT, OUTPUT, World } from './world.fixture.ts';

const KEYS = 10;
const SEEDS = Number(process.env['SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const HELD = { unheardMs: 2_000, maxHoldMs: 600_000 };
const utf8 = new TextEncoder();
const text = new TextDecoder();

/** The codecs are another package's: as much of one as this test sends. */
const decoder: LeaseRequestDecoder = {
  decode: (bytes, start, length, target) => {
    const value = text.decode(bytes.subarray(start, start + length));
    if (!value.startsWith('{')) return { kind: 'bad', reason: 'invalid-json', detail: value };
    Object.assign(target, blankLeaseRequest(), JSON.parse(value));
    return { kind: 'event' };
  },
  prepare: () => Promise.resolve(),
};
const encoder: LeaseEventEncoder = {
  encode: ({ key, attributes, holder, ...event }) => {
    const maps = { attributes: Object.fromEntries(attributes), ...(holder && { holder: Object.fromEntries(holder) }) };
    return utf8.encode(JSON.stringify({ leaseId: text.decode(key), ...event, ...maps }));
  },
};

function rulesOf(seed: number): LeaseRules {
  return {
    timeoutMs: 4_000,
    minTimeoutMs: 2_000,
    maxTimeoutMs: 9_000,
    bucketMs: seed % 3 === 0 ? 500 : 0,
    onConflict: (['queue', 'replace', 'reject'] as const)[seed % 3]!,
    maxWaiters: 3,
    lockDelayMs: seed % 2 === 0 ? 1_500 : 0,
    maxDurationMs: seed % 4 === 0 ? 20_000 : undefined,
    tokenEpoch: seed % 5,
    maxAttributes: 4,
    maxAttributeBytes: 64,
  };
}

function said(world: World): Readonly<Record<string, Said[]>> {
  const all: Record<string, Said[]> = {};
  for (let partition = 0; partition < world.partitions; partition += 1)
    for (const { key, value } of world.simulation.log.committed(OUTPUT, partition))
      (all[text.decode(key)] ??= []).push(value && (JSON.parse(text.decode(value)) as Said));
  return all;
}

function folded(world: World, rules: LeaseRules): { said: Readonly<Record<string, readonly Said[]>>; refused: number } {
  const folds = Array.from({ length: world.partitions }, (_, partition) =>
    foldLeases(world.simulation.log.committed(INPUT, partition), {
      partition,
      rules,
      heldTime: HELD,
      logAppendTime: true,
    }),
  );
  return {
    said: Object.fromEntries(folds.flatMap((fold) => [...fold.said].filter(([, each]) => each.length > 0))),
    refused: folds.reduce((sum, { refused }) => sum + refused.length, 0),
  };
}

/** Holders that know their token, zombies with an old one, retries, processes that die; then calm, until all has ended. */
function storm(world: World, seed: number): Promise<readonly Error[]> {
  const random = world.simulation.random(`leases ${seed}`);
  return whileProcessesDie(world, { random, pauseMs: 500, calmMs: 90_000 }, () => {
    const key = `lease-${random.below(KEYS)}`;
    const granted = (said(world)[key] ?? []).filter((each) => each?.['type'] === 'GRANTED');
    const token = Number((random.chance(0.8) ? granted.at(-1) : granted[0])?.['token'] ?? 1);
    const act = random.below(10);
    const id = random.chance(0.3) ? { requestId: `r${random.below(40)}` } : {};
    const start = { type: 'STARTED', timeoutMs: 1_000 + random.below(9_000), waitMs: random.below(9_000), ...id };
    if (act < 4) world.say(key, JSON.stringify(start));
    else if (act < 9) world.say(key, random.chance(0.03) ? 'garbage' : JSON.stringify({ type: 'HEARTBEAT', token }));
    else world.say(key, JSON.stringify({ type: 'ENDED', token, ...id }));
  });
}

describe('leases in a cluster that fails', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[L1][L2][L3][L4][L5][L6][L7][O1][C5] seed %i: what is said is what the rules say, each word once (rerun: SEED)',
    async (seed) => {
      const rules = rulesOf(seed);
      const kind = leaseKind({ rules, decoder, encoder, tombstones: true, outputTopic: OUTPUT });
      const adapt = <T extends object>(ports: T): T => ({ ...ports, kind });
      const rates = { ...rough, requestCrash: 0.001, writeCrash: 0.002 };
      const world = new World({ seed, rates, adapt, heldTime: HELD });
      const failures = await storm(world, seed);
      const expected = folded(world, rules);
      expect(said(world)).toEqual(expected.said);
      const letters = Array.from({ length: world.partitions }, (_, p) =>
        world.simulation.log.committed(DEAD_LETTERS, p),
      );
      expect(letters.flat()).toHaveLength(expected.refused);
      expect(failures).toEqual([]);
      const words = Object.values(expected.said).flat();
      const ended = words.filter((each) => each === null).length;
      const tokens = words
        .filter((each) => each?.['type'] === 'GRANTED')
        .map((each) => `${String(each?.['leaseId'])} ${String(each?.['token'])}`);
      expect(ended).toBe(new Set(tokens).size);
      for (const type of ['GRANTED', 'REJECTED', 'EXPIRED'])
        expect(words.map((each) => each?.['type'])).toContain(type);
    },
  );
});
