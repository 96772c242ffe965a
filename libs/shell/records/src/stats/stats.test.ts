import { describe, expect, test } from '@jest/globals';
import type { SessionStats } from '@flatline/ports/formats';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { openStatsEncoder, STATS_SCHEMA } from './stats-encoder.ts';
import { StatsReader } from './stats-reader.ts';

const STATS: SessionStats = {
  windowStart: 1_700_000_040_000,
  windowEnd: 1_700_000_100_000,
  countedFrom: 1_700_000_050_000,
  dimensions: new Map([['plan', 'pro é']]),
  opened: 3,
  closed: 2,
  byReason: new Map([
    ['TIMEOUT', 1],
    ['ENDED', 1],
    ['MAX_DURATION', 0],
  ]),
  active: 9,
  duration: { count: 2, sum: 6_000, min: 1_000, max: 5_000, sketch: Uint8Array.of(5, 0, 0xbf, 2, 1, 1) },
  partition: 3,
};
const NOTHING: SessionStats = {
  ...STATS,
  duration: { count: 0, sum: 0, min: undefined, max: undefined, sketch: Uint8Array.of(5, 0) },
};

const registry = new MemorySchemaRegistry();
const plain = ({ duration, ...stats }: SessionStats): object => ({
  ...stats,
  duration: { ...duration, sketch: [...duration.sketch] },
});

describe('[S12] statistics as records', () => {
  test('JSON, field by field', async () => {
    const encoder = await openStatsEncoder('json', 'out.stats', undefined);
    expect(Buffer.from(encoder.encode(STATS)).toString()).toBe(
      '{"windowStart":1700000040000,"windowEnd":1700000100000,"dimensions":{"plan":"pro é"},"opened":3,"closed":2,' +
        '"byReason":{"TIMEOUT":1,"ENDED":1,"MAX_DURATION":0},"active":9,"duration":{"count":2,"sum":6000,"min":1000,' +
        '"max":5000,"sketch":"BQC/AgEB"},"partition":3,"countedFrom":1700000050000}',
    );
  });

  test.each(['json', 'avro'] as const)('what is written in %s is read', async (format) => {
    const encoder = await openStatsEncoder(format, 'out.stats', registry);
    const reader = new StatsReader(registry);
    for (const stats of [STATS, NOTHING]) {
      const read = await reader.read(encoder.encode(stats));
      expect(plain(read!)).toEqual(plain(stats));
    }
  });

  test('Avro by the schema of its own, read by a field less', async () => {
    const schema = JSON.parse(STATS_SCHEMA.text) as { fields: { name: string }[] };
    const fields = schema.fields.filter(({ name }) => name !== 'countedFrom');
    const id = registry.add({ schema: JSON.stringify({ ...schema, fields }), schemaType: 'AVRO' });
    const written = Buffer.from((await openStatsEncoder('avro', 'out.stats', registry)).encode(STATS));
    const older = written.subarray(0, written.length - 6);
    older.writeUInt32BE(id, 1);
    expect(await new StatsReader(registry).read(older)).toMatchObject({ opened: 3, countedFrom: 0 });
  });

  test.each([
    ['no JSON', '{'],
    ['another record', '{"sessionId":"a"}'],
    ['a count that is none', '{"windowStart":-1}'],
    ['Avro of an unknown schema', '\u0000\u0000\u0000\u0000\u0063x'],
    ['less than a header', '\u0000'],
  ])('%s is none', async (_, value) => {
    expect(await new StatsReader(registry).read(Buffer.from(value))).toBeUndefined();
  });
});
