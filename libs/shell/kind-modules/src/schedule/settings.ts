// Settings of schedules. They go by the broker's clock and by records of it, and their messages are bytes.
import type { ScheduleRules } from '@flatline/kinds/schedule';
import { z } from 'zod';
import { NO_HELD_TIME } from '../form/lives.ts';
import type { Problem } from '../form/problem.ts';
import { sectionForm } from '../form/section.ts';
import { duration, setting, topic } from '../form/setting.ts';
import type { OwnPart } from '../kind-module.ts';
import type { AnyPipeline } from '../pipeline.ts';

export interface SchedulePipeline extends AnyPipeline {
  readonly kind: 'schedule';
  readonly rules: ScheduleRules;
  /** Due entries of a partition that take effect per second; undefined: as many as can. */
  readonly maxDuePerSecond: number | undefined;
}

const own = {
  maxHorizonMs: setting(
    duration.default(315_360_000_000),
    'How far ahead of its record a schedule may be due (ten years)',
  ),
  minEveryMs: setting(
    duration.default(100),
    'The shortest `flatline-every-ms`: a shorter one is a dead letter, `invalid-every-ms`',
  ),
  missed: setting(
    z.enum(['once', 'all', 'skip']).default('once'),
    'Which of several runs that are due at once are made: the latest, each, none (D3)',
  ),
  maxCatchUp: setting(
    z.int().min(1).max(100_000).default(1_000),
    'Most runs of one schedule made up for, and counted as missed, at once',
    'runs',
  ),
  catchUpWindowMs: setting(duration.default(31_536_000_000), 'Runs that were due longer ago are missed for good'),
  receipts: setting(
    z.enum(['none', 'errors', 'all']).default('none'),
    'What the output says of schedules beside their runs (D4)',
  ),
  maxMessageBytes: setting(
    z.int().min(1).max(16_777_216).default(65_536),
    'Value and foreign headers of a message; a larger one is a dead letter',
  ),
  maxSchedulesPerKey: setting(
    z.int().min(1).max(1_024).default(64),
    'Schedules of one key; one more is a dead letter, and so is one by which their messages would take more than 64000000 bytes',
    'schedules',
  ),
  targets: setting(
    z.array(topic).max(64).optional(),
    'Topics that messages may be for instead of the output (`flatline-target`), partitioned as the input',
  ),
  maxDuePerSecond: setting(
    z.int().min(1).max(1_000_000).optional(),
    "Per partition: so many keys' schedules run in a second, a tenth of them at once; the rest waits, and the input with what recurs or expires",
    'keys per second',
  ),
};

/** A run is a record of its own: nothing stands for what has gone. */
export const scheduleSection = sectionForm('schedule', own, { tombstones: false });

type ScheduleSection = z.output<typeof scheduleSection>;

export function schedulePart(section: ScheduleSection): OwnPart<SchedulePipeline> {
  const { maxHorizonMs, minEveryMs, missed, maxCatchUp, catchUpWindowMs } = section;
  const { receipts, maxMessageBytes, maxSchedulesPerKey, targets = [], maxDuePerSecond, output } = section;
  const times = { maxHorizonMs, minEveryMs, missed, maxCatchUp, catchUpWindowMs };
  return {
    kind: 'schedule',
    rules: { ...times, receipts, maxMessageBytes, maxSchedulesPerKey, targets, outputTopic: output.topic },
    maxDuePerSecond,
    targets,
    heldTime: NO_HELD_TIME,
    isPacedTooSlowly: false,
  };
}

const FORMATLESS = 'left out for schedules: what comes in goes out as it is';

export function scheduleProblems(section: ScheduleSection): Problem[] {
  const { proof, input, output, maxStateBytes = Infinity, maxMessageBytes } = section;
  const inputs = [input].flat().flatMap(({ timestampType, format }) => [
    {
      setting: 'input.timestampType',
      value: timestampType,
      isWrong: timestampType === 'CreateTime',
      problem: '"LogAppendTime" for schedules (rule D1)',
    },
    { setting: 'input.format', value: format, isWrong: format !== 'auto', problem: FORMATLESS },
  ]);
  return [
    ...inputs,
    {
      setting: 'proof',
      value: proof,
      isWrong: proof === 'fetch',
      problem: '"record" for schedules: what a recurrence has missed is told by clocks that stand in the log (rule C3)',
    },
    {
      setting: 'maxStateBytes',
      value: maxStateBytes,
      isWrong: maxStateBytes < maxMessageBytes,
      problem: `at least maxMessageBytes (${maxMessageBytes}): no such message could be kept`,
    },
    { setting: 'output.format', value: output.format, isWrong: output.format !== 'json', problem: FORMATLESS },
    {
      setting: 'output.tombstones',
      value: output.tombstones,
      isWrong: output.tombstones,
      problem: 'false: runs have no tombstones',
    },
  ]
    .filter(({ isWrong }) => isWrong)
    .map(({ setting: name, value, problem }) => ({ setting: name, value, problem }));
}
