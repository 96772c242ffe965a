// F15: devices whose clocks are wrong, on an input whose stamps are theirs. Nobody else is closed by it.
import type { ProducedRecord } from '@flatline/kafka';
import { expectationOf, type Refusal } from '../check/expectation.ts';
import type { Violation } from '../check/verdict.ts';
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import type { Application } from '../stage/application.ts';
import { elapse } from '../stage/elapse.ts';
import { produce, readOutputs } from '../stage/settlement.ts';
import { dumpTopic, type LogRecord } from '../stage/topic-dump.ts';
import { Trial } from '../stage/trial.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const centuryMs = 100 * 365 * 24 * hourMs;
/** An honest device's silence, with the clock as far ahead as it may be by default (a third of it), is far below it. */
const timeoutMs = 6_000;
const shortTimeoutMs = 3_000;
const refusedFromMs = 1_000;
const roundEveryMs = 250;
const rounds = 60;
const roundsOfSample = 20;

/** Of broker time: further ahead the broker itself would refuse them, by default from an hour on. */
const inputSettings = { 'message.timestamp.after.max.ms': '9223372036854775807' };

const liarKey = 'liar-';
const refusedHeader = 'chaos-refused';
/** No honest stamp is so far from the present. */
const falseFromMs = 5 * minuteMs;

/** What an input may do with a stamp of an hour ahead; one of a century is refused by both (C6). */
const variants = [
  {
    name: 'an hour ahead is refused',
    pipeline: { maxFutureMs: refusedFromMs, maxLeadMs: refusedFromMs },
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

async function run(context: RunContext): Promise<RunResult> {
  const { name, pipeline, taken } = variants[context.index % variants.length]!;
  const trial = await Trial.begin(context, {
    ...{ timeoutMs: context.short ? shortTimeoutMs : timeoutMs, timestampType: 'CreateTime', inputSettings },
    pipeline,
  });
  const { application } = trial;
  trial.variant = name;
  trial.load({ heartbeatMs: 500, beats: 12 });
  const processor = await trial.started();
  for (let round = 0; round < (context.short ? roundsOfSample : rounds); round += 1) {
    const lies = [...falseRecords(context, application.partitions, taken)];
    await produce(application, lies);
    trial.armed += lies.length;
    await elapse(roundEveryMs);
  }
  await trial.endLoad();
  const input = await dumpTopic(application.kafka, application.input, application.partitions);
  // As the broker keeps them: it has neither refused nor stamped them.
  const now = Date.now();
  trial.fired = input.flat().filter((record) => isLie(record) && Math.abs(record.timestamp - now) > falseFromMs).length;
  const movesClock = ({ timestamp }: LogRecord): boolean => timestamp < now + falseFromMs;
  const result = await trial.settle([processor], {
    refusalOf,
    movesClock,
    presentDecides: taken,
    stampsAreTrue: !taken,
  });
  const harmed = await closedByStamps(application);
  return {
    ...result,
    violations: [...result.violations, ...harmed.violations],
    facts: { ...result.facts, ...harmed.facts },
  };
}

function* falseRecords({ random }: RunContext, partitions: number, hourTaken: boolean): Generator<ProducedRecord> {
  const now = Date.now();
  // Far enough from the present for both kinds: whether it is ahead is no matter of milliseconds.
  const anyWhen = (random.chance(0.5) ? 1 : -1) * (2 * falseFromMs + random.below(hourMs - 3 * falseFromMs));
  const stamps: Readonly<Record<string, number>> = {
    ...{ century: now + centuryMs, none: -1, epoch: 0 },
    ...{ ahead: now + hourMs - minuteMs, behind: now - hourMs, disorder: now + anyWhen },
  };
  for (let partition = 0; partition < partitions; partition += 1)
    for (const [kind, timestamp] of Object.entries(stamps)) {
      const refused = timestamp < 0 || timestamp > now + (hourTaken ? hourMs : 0);
      const headers = refused ? [{ name: refusedHeader, value: new Uint8Array() }] : [];
      const key = Buffer.from(`${liarKey}${kind}-${partition}`);
      yield { partition, timestamp, key, value: new Uint8Array(), headers };
    }
}

function isLie({ key }: LogRecord): boolean {
  return key?.startsWith(liarKey) === true;
}

function refusalOf({ headers }: LogRecord): Refusal {
  return headers.has(refusedHeader) ? 'stamp' : undefined;
}

/** Whoever told no lie has the sessions it would have if nobody had: as many, with as many heartbeats, for the same reason. */
async function closedByStamps(
  application: Application,
): Promise<{ readonly violations: readonly Violation[]; readonly facts: RunResult['facts'] }> {
  const { kafka, input, partitions } = application;
  const outputs = new Map(
    (await readOutputs(application)).flatMap((output) =>
      output.kind === 'summary' ? [[output.summary.incarnation, output.summary] as const] : [],
    ),
  );
  const honest = (await dumpTopic(kafka, input, partitions)).flatMap((records, partition) => {
    const told = records.filter((record) => !isLie(record));
    const rules = { timeoutMs: application.timeoutMs, byArrival: false, refusalOf: () => undefined };
    return expectationOf(told, partition, rules).closes;
  });
  const violations = honest.flatMap(({ incarnation, summary }) => {
    const found = outputs.get(incarnation);
    const same = (['reason', 'eventCount', 'lastOffset'] as const).every((field) => found?.[field] === summary[field]);
    if (same) return [];
    const detail = `${String(summary['sessionId'])} would have ${String(summary['eventCount'])} events without false stamps, has ${found?.eventCount ?? 'no session'}`;
    return [{ rule: 'F15', subject: incarnation, detail }];
  });
  return { violations, facts: { honestSessions: honest.length } };
}
