import { describe, expect, test } from '@jest/globals';
import { SummaryFormats } from '@flatline/records/summaries';
import { type ProducedRecord, rough, Simulation } from '@flatline/cluster';
import type { OutputRecord } from './output-record.ts';
import { INCARNATION_HEADER } from '@flatline/ports';
import { OutputConsumer } from './output-consumer.ts';
import { summaryReading } from './output-kinds.ts';
import { summaryJson } from './summary.fixture.ts';

const utf8 = new TextEncoder();

/** Records that the processor writes for a close: summary and tombstone. */
function close(sessionId: string, incarnation: string): ProducedRecord[] {
  const headers = [{ name: INCARNATION_HEADER, value: utf8.encode(incarnation) }];
  return [
    { key: sessionId, value: summaryJson(sessionId, incarnation), headers },
    { key: sessionId, value: null, headers },
  ];
}

interface World {
  readonly simulation: Simulation;
  readonly open: (
    offsets: ReadonlyMap<number, number>,
    until?: ReadonlyMap<number, number>,
  ) => OutputConsumer<OutputRecord>;
}

function world(simulation = new Simulation({ seed: 1 })): World {
  simulation.log.createTopic('visits', { partitions: 2 });
  const { ports } = simulation.start('reader');
  const formats = (): SummaryFormats => new SummaryFormats({ format: 'json', registry: undefined, clock: ports.clock });
  return {
    simulation,
    open: (offsets, until) =>
      new OutputConsumer<OutputRecord>({
        reader: ports.reader,
        topic: 'visits',
        offsets,
        until,
        read: summaryReading(formats()),
      }),
  };
}

const bothFrom0 = new Map([
  [0, 0],
  [1, 0],
]);

async function collect(consumer: OutputConsumer<OutputRecord>): Promise<string[]> {
  const shown: string[] = [];
  for await (const record of consumer) shown.push(show(record));
  return shown;
}

function show(record: OutputRecord): string {
  const at = `${record.partition}-${record.offset}`;
  if (record.kind === 'unreadable') return `${at} ${record.reason}`;
  const key = 'summary' in record ? record.summary.key : record.key;
  const incarnation = 'summary' in record ? record.summary.incarnation : record.incarnation;
  return `${at} ${record.kind} ${new TextDecoder().decode(key)} ${incarnation ?? '?'}`;
}

describe('a consumer of outputs', () => {
  test('[O4] gives summaries and tombstones of each partition in order', async () => {
    const { simulation, open } = world();
    simulation.log.produce('visits', 0, ...close('a', '0-1'), ...close('b', '0-2'));
    simulation.log.produce('visits', 1, ...close('c', '1-1'));
    const until = new Map([
      [0, 4],
      [1, 2],
    ]);
    const shown = await simulation.time.complete(collect(open(bothFrom0, until)));
    expect(shown.filter((line) => line.startsWith('0'))).toEqual([
      '0-0 summary a 0-1',
      '0-1 tombstone a 0-1',
      '0-2 summary b 0-2',
      '0-3 tombstone b 0-2',
    ]);
    expect(shown.filter((line) => line.startsWith('1'))).toEqual(['1-0 summary c 1-1', '1-1 tombstone c 1-1']);
  });

  test('[O1] gives what a transaction wrote once it is committed, and nothing of an aborted one', async () => {
    const { simulation, open } = world();
    const aborted = simulation.log.foreignTransaction('zombie');
    aborted.produce('visits', 0, ...close('never', '0-0'));
    aborted.abort();
    await simulation.time.runFor(1000);
    simulation.log.produce('visits', 0, ...close('kept', '0-9'));
    const consumer = open(new Map([[0, 0]]), new Map([[0, 5]]));
    expect(await simulation.time.complete(collect(consumer))).toEqual([
      '0-3 summary kept 0-9',
      '0-4 tombstone kept 0-9',
    ]);
    expect(consumer.positions).toEqual(new Map([[0, 5]]));
  });

  test('SC3 opened at its positions, another goes on without a gap or a repetition', async () => {
    const { simulation, open } = world();
    simulation.log.produce('visits', 0, ...close('a', '0-1'), ...close('b', '0-2'));
    const whole = await simulation.time.complete(collect(open(new Map([[0, 0]]), new Map([[0, 4]]))));
    for (let cut = 0; cut <= 4; cut += 1) {
      const first = open(new Map([[0, 0]]));
      const shown: string[] = [];
      for (let taken = 0; taken < cut; taken += 1) shown.push(show((await simulation.time.complete(first.next()))!));
      first.close();
      const second = open(first.positions, new Map([[0, 4]]));
      expect([...shown, ...(await simulation.time.complete(collect(second)))]).toEqual(whole);
    }
  });

  test('a record that is no summary is given as such, and what follows is read', async () => {
    const { simulation, open } = world();
    const strangers: ProducedRecord[] = [
      { key: 'x', value: 'not json' },
      { key: null, value: 'x' },
      { key: 'x', value: '' },
    ];
    simulation.log.produce('visits', 0, ...strangers, { key: 'old', value: null }, ...close('a', '0-1'));
    const shown = await simulation.time.complete(collect(open(new Map([[0, 0]]), new Map([[0, 6]]))));
    expect(shown).toEqual([
      expect.stringMatching(/^0-0 .*json/),
      '0-1 null-key',
      '0-2 empty-value',
      '0-3 tombstone old ?',
      '0-4 summary a 0-1',
      '0-5 tombstone a 0-1',
    ]);
  });

  test('waits for what comes later, and close ends the wait', async () => {
    const { simulation, open } = world();
    const consumer = open(new Map([[0, 0]]));
    const first = consumer.next();
    await simulation.time.runFor(2000);
    simulation.log.produce('visits', 0, ...close('late', '0-0'));
    expect(show((await simulation.time.complete(first))!)).toBe('0-0 summary late 0-0');
    await simulation.time.complete(consumer.next());
    const waiting = consumer.next();
    await simulation.time.runFor(1000);
    consumer.close();
    expect(await simulation.time.complete(waiting)).toBeUndefined();
  });

  test('a topic that is gone ends it with a message that says so', async () => {
    const { simulation, open } = world();
    const consumer = open(new Map([[0, 0]]));
    simulation.log.deleteTopic('visits');
    await expect(simulation.time.complete(consumer.next())).rejects.toThrow(/visits-0/);
  });

  test('the same records come through whatever the network does (seeds 1 to 20)', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { simulation, open } = world(new Simulation({ seed, rates: { ...rough, subscriptionFails: 0 } }));
      const closes = Array.from({ length: 30 }, (_, i) => close(`s${i}`, `0-${i}`));
      const consumer = open(new Map([[0, 0]]), new Map([[0, 60]]));
      const reading = collect(consumer);
      for (const records of closes) {
        simulation.log.produce('visits', 0, ...records);
        await simulation.time.runFor(50);
      }
      const shown = await simulation.time.complete(reading);
      expect({ seed, shown: shown.map((line) => line.split(' ')[0]) }).toEqual({
        seed,
        shown: Array.from({ length: 60 }, (_, offset) => `0-${offset}`),
      });
    }
  });
});
