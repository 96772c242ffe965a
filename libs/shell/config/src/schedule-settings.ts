// Settings that schedules cannot have: they go by the broker's clock and by records of it, and their messages are bytes.
import type { PipelineSection } from './schema.ts';

const FORMATLESS = 'left out for schedules: what comes in goes out as it is';

export function scheduleProblems({
  kind,
  proof,
  input,
  output,
  maxStateBytes = Infinity,
  maxMessageBytes,
}: PipelineSection): { readonly setting: string; readonly value: unknown; readonly problem: string }[] {
  if (kind !== 'schedule') return [];
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
  ].filter(({ isWrong }) => isWrong);
}
