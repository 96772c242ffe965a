// The rules by which a pipeline's logs are judged: a line for each kind, or the compiler names the one that lacks.
import type { PipelineConfig } from '@flatline/config';
import type { RulesByKind } from '@flatline/oracle';
import { CheckCalendar } from './calendar/check-calendar.ts';

type Common = Pick<
  RulesByKind['session'],
  | 'timestampType'
  | 'maxKeyBytes'
  | 'tombstones'
  | 'proof'
  | 'unheardMs'
  | 'maxHoldMs'
  | 'changelogFactor'
  | 'stateBytesMax'
>;

type Rules = {
  readonly [Pipeline in PipelineConfig as Pipeline['kind']]: (
    pipeline: Pipeline,
    common: Common,
  ) => RulesByKind[Pipeline['kind']];
};

const RULES: Rules = {
  session: ({ rules, input }, common) => ({ kind: 'session', ...rules, ...common, inputFormat: input.format }),
  lease: ({ rules, input }, common) => ({ kind: 'lease', ...rules, ...common, inputFormat: input.format }),
  debounce: ({ rules, output }, common) => ({ kind: 'debounce', ...rules, ...common, format: output.format }),
  schedule: ({ rules }, common) => ({
    kind: 'schedule',
    ...rules,
    ...common,
    calendar: new CheckCalendar(process.versions['tz'] ?? 'unknown'),
  }),
};

/** The line of the table is that of the pipeline's own kind, which TypeScript does not follow. */
export function rulesOf<Pipeline extends PipelineConfig>(pipeline: Pipeline): RulesByKind[Pipeline['kind']] {
  const { input, output, heldTime, proof, changelogFactor, maxStateBytes: stateBytesMax } = pipeline;
  const { timestampType, maxKeyBytes } = input;
  const { tombstones } = output;
  const rules = RULES[pipeline.kind] as (pipeline: PipelineConfig, common: Common) => RulesByKind[Pipeline['kind']];
  return rules(pipeline, {
    ...heldTime,
    timestampType,
    maxKeyBytes,
    stateBytesMax,
    tombstones,
    proof,
    changelogFactor,
  });
}
