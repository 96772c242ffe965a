// F15: devices with wrong clocks, on an input that carries their stamps. They close no other device's session.
import type { ProducedRecord } from '@flatline/kafka';
import { inputRecord, type InputTruth, jsonEvent, outputRecord, type RawRecord } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { rulesOf } from '@flatline/verifier';
import type { TrialContext, TrialResult, Scenario, Violation } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { sleep } from '../stage/sleep.ts';
import { produce } from '../stage/topic-records.ts';
import { dumpTopic } from '../stage/topic-dump.ts';
import { Trial } from '../trial/trial.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CENTURY_MS = 100 * 365 * 24 * HOUR_MS;
/** An honest device's silence, with the clock as far ahead as it may be by default (a third of it), is far below it. */
const TIMEOUT_MS = 6_000;
const SHORT_TIMEOUT_MS = 3_000;
const REFUSED_FROM_MS = 1_000;
const ROUND_EVERY_MS = 250;
const ROUNDS = 60;
const ROUNDS_OF_SAMPLE = 20;

/** Relative to broker time. Further ahead, by default from an hour on, the broker itself would refuse them. */
const inputSettings = { 'message.timestamp.after.max.ms': '9223372036854775807' };

const LIAR_KEY = 'liar-';
const REFUSED_KEY = `${LIAR_KEY}refused-`;
/** No honest stamp is so far from the present. */
const FALSE_FROM_MS = 5 * MINUTE_MS;

/** Policies of an input for a stamp an hour ahead; a stamp a century ahead is refused by both (C6). */
const variants = [
  {
    name: 'an hour ahead is refused',
    pipeline: { maxFutureMs: REFUSED_FROM_MS, maxLeadMs: REFUSED_FROM_MS },
    taken: false,
  },
  { name: 'an hour ahead is taken, by the defaults', pipeline: {}, taken: true },
] as const;

export const falseStamps: Scenario = {
  id: 'F15',
  title: 'false timestamps: +100 years, −1, 1970, an hour ahead or behind, out of order',
  nodes: 1,
  variants: variants.length,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const { name, pipeline, taken } = variants[context.index % variants.length]!;
  const trial = await Trial.begin(context, {
    timeoutMs: context.short ? SHORT_TIMEOUT_MS : TIMEOUT_MS,
    timestampType: 'CreateTime',
    inputSettings,
    pipeline,
  });
  const { application } = trial;
  trial.variant = name;
  trial.load({ heartbeatMs: 500, beats: 12 });
  const processor = await trial.started();
  for (let round = 0; round < (context.short ? ROUNDS_OF_SAMPLE : ROUNDS); round += 1) {
    const lies = [...falseRecords(context, application.partitions, taken)];
    await produce(application, lies);
    trial.armed += lies.length;
    await sleep(ROUND_EVERY_MS);
  }
  await trial.endLoad();
  const input = await dumpTopic(application.kafka, application.input, application.partitions);
  // As kept by the broker: neither refused nor restamped.
  const now = Date.now();
  trial.fired = input
    .flat()
    .filter((record) => isLie(record) && Math.abs(record.timestamp - now) > FALSE_FROM_MS).length;
  const result = await trial.conclude([processor], { truth: { refusalOf, presentDecides: taken } });
  const harmed = await closedByStamps(application);
  return {
    ...result,
    violations: [...result.violations, ...harmed.violations],
    facts: { ...result.facts, ...harmed.facts },
  };
}

function* falseRecords({ random }: TrialContext, partitions: number, hourTaken: boolean): Generator<ProducedRecord> {
  const now = Date.now();
  // Far from the present for both kinds, so that the order does not depend on milliseconds.
  const anyWhen = (random.chance(0.5) ? 1 : -1) * (2 * FALSE_FROM_MS + random.below(HOUR_MS - 3 * FALSE_FROM_MS));
  const stamps: Readonly<Record<string, number>> = {
    century: now + CENTURY_MS,
    none: -1,
    epoch: 0,
    ahead: now + HOUR_MS - MINUTE_MS,
    behind: now - HOUR_MS,
    disorder: now + anyWhen,
  };
  for (let partition = 0; partition < partitions; partition += 1)
    for (const [kind, timestamp] of Object.entries(stamps)) {
      const refused = timestamp < 0 || timestamp > now + (hourTaken ? HOUR_MS : 0);
      const key = Buffer.from(`${refused ? REFUSED_KEY : LIAR_KEY}${kind}-${partition}`);
      yield { partition, timestamp, key, value: new Uint8Array() };
    }
}

function isLie(record: Pick<RawRecord, 'key'>): boolean {
  return textOf(record).startsWith(LIAR_KEY);
}

const refusalOf: InputTruth['refusalOf'] = (record) => (textOf(record).startsWith(REFUSED_KEY) ? 'stamp' : undefined);

function textOf({ key }: Pick<RawRecord, 'key'>): string {
  return key === null ? '' : Buffer.from(key).toString();
}

/** An honest device has the same sessions as without the false stamps: as many, with as many heartbeats, closed for the same reason. */
async function closedByStamps(
  application: Application,
): Promise<{ readonly violations: readonly Violation[]; readonly facts: TrialResult['facts'] }> {
  const { kafka, pipeline, input, output, partitions } = application;
  const outputs = (await dumpTopic(kafka, output, partitions)).flat().map((record) => outputRecord(record).summary);
  const closes = new Map(outputs.map((summary) => [summary?.['incarnation'], summary]));
  if (pipeline.kind !== 'session') throw new Error('honest devices have sessions');
  const rules = await rulesOf(pipeline);
  const honest = (await dumpTopic(kafka, input, partitions)).flatMap((records, partition) => {
    const told = records.filter((record) => !isLie(record)).map((record) => inputRecord(record, jsonEvent));
    return foldInput(told, { partition, rules }).summaries;
  });
  const violations = honest.flatMap((summary) => {
    const { incarnation } = summary;
    const found = closes.get(incarnation);
    const same = (['reason', 'eventCount', 'lastOffset'] as const).every((field) => found?.[field] === summary[field]);
    if (same) return [];
    const counted = found === undefined ? 'no session' : String(found['eventCount']);
    const detail = `${String(summary['sessionId'])} would have ${String(summary['eventCount'])} events without false stamps, has ${counted}`;
    return [{ rule: 'F15', subject: incarnation, detail }];
  });
  return { violations, facts: { honestSessions: honest.length } };
}
