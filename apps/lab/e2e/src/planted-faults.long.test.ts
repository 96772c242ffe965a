// Faults in the product's reading of Kafka's data. `flatline verify` runs with the same fault in it, and must detect it all
// the same: it reads records by a parser of its own (libs/core/oracle/src/logs).
import { afterEach, describe, expect, test } from '@jest/globals';
import { editingArguments, type SourceEdit } from '@flatline/cluster/source-edits';
import { killAll } from './child.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { verifyIn } from './verify.fixture.ts';

const DEVICES = 4;
const BEATS = 3;

interface Fault extends SourceEdit {
  readonly name: string;
  readonly rule: string;
}

const FAULTS: readonly Fault[] = [
  {
    rule: 'V4',
    name: 'the cursor passes over the last record of a batch',
    file: 'libs/shell/kafka/src/record-batch/record-group.ts',
    from: 'this.#left = records;',
    to: 'this.#left = records > 5 ? records - 1 : records;',
  },
  {
    rule: 'V3',
    name: 'the cursor takes the time of a batch for some time before it',
    file: 'libs/shell/kafka/src/record-batch/batch-cursor.ts',
    from: 'this.logAppendTime ? this.batchTimestamp :',
    to: 'this.logAppendTime ? this.#baseTimestamp - 400 :',
  },
  {
    rule: 'V4',
    name: 'the codec reads an event time a millisecond late',
    file: 'libs/shell/records/src/events/json-event-scanner.ts',
    // Where an event begins as these do.
    from: 'event.type = HEARTBEAT;\n    return (event.occurredAt = this.#integer()) >= 0;',
    to: 'event.type = HEARTBEAT;\n    return (event.occurredAt = this.#integer() + 1) >= 0;',
  },
  {
    rule: 'I1',
    name: 'clock records bear another name than is documented',
    file: 'libs/core/ports/src/clock-record.ts',
    from: "'flatline-clock'",
    to: "'flatline-clok'",
  },
];

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** A few devices beat, fall silent and are closed, by a processor and then a checker with the same edits of their sources. */
async function judged(edits: readonly SourceEdit[]): Promise<readonly string[]> {
  scenario = await Scenario.create({ timeoutMs: 1_500, partitions: 1 });
  const env = { NODE_OPTIONS: editingArguments(edits).join(' ') };
  await scenario.producing((producer) =>
    producer.send(
      Array.from({ length: DEVICES * BEATS }, (_, i) => ({
        key: Buffer.from(`device-${i % DEVICES}`),
        value: Buffer.from(`{"type":"HEARTBEAT","occurredAt":${1_700_000_000_000 + i},"sequence":${i}}`),
      })),
    ),
  );
  const processor = scenario.start('a', env);
  const isOver = processor.finished.then(({ stdout, stderr }) => {
    throw new Error(`the processor ended:\n${stdout}\n${stderr}`);
  });
  await Promise.race([isOver, scenario.outputs(({ tombstones }) => tombstones.length >= DEVICES)]);
  isOver.catch(() => undefined);
  expect(await scenario.stop(processor)).toBe(0);
  const { violations } = await verifyIn(env, scenario);
  return violations.map(({ rule }) => rule);
}

describe('a fault in reading, in the processor and in the checker alike', () => {
  test('[V4] without one nothing is violated', async () => {
    expect(await judged([])).toEqual([]);
  });

  test.each(FAULTS)('[V3][V4][I1] $name: $rule is seen', async ({ rule, file, from, to }) => {
    expect(await judged([{ file, from, to }])).toContain(rule);
  });
});
