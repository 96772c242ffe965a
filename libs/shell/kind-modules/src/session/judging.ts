import {
  foreignEvent,
  type InputRecord,
  inputRecord,
  optionAt,
  type RawRecord,
  type ValueFormats,
} from '@flatline/oracle';
import type { KindJudging, RecordReader, Settings } from '../judging/kind-judging.ts';
import { judgedAttributes } from '../attributes/judged-attributes.ts';
import { fieldsReader, formatsAs, inputFormats, learning } from '../judging/readers.ts';
import { mergedRules } from '../pipeline.ts';
import type { SessionPipeline } from './settings.ts';

/** `at`: see AttributesConfig; undefined of values that are events. */
const event =
  (at?: (offset: number) => string | undefined) =>
  (formats: ValueFormats, record: RawRecord): InputRecord => {
    const pointer = at?.(record.offset);
    return inputRecord(record, (value) =>
      pointer === undefined ? formats.event(value) : foreignEvent(value, pointer),
    );
  };

/** Where attributes lay in the values of the first input when they were applied, as far as the settings say it. */
function placeIn(
  { input: { attributes } }: SessionPipeline,
  settings: Settings,
): (offset: number) => string | undefined {
  if (settings.length === 0) return () => attributes?.at;
  const said = optionAt(settings, 'attributes');
  return (offset) => (said(offset) as { readonly at?: string } | null | undefined)?.at;
}

export const sessionJudging: KindJudging<SessionPipeline> = {
  rules: (pipeline, common) => {
    const { rules, input, inputs } = pipeline;
    return {
      kind: 'session',
      ...rules,
      ...common,
      ...(inputs && { inputs: mergedRules(inputs) }),
      inputFormat: input.format,
      ...judgedAttributes(pipeline),
    };
  },
  readers: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, event(placeIn(pipeline, settings))),
    furtherInputs: (pipeline.inputs ?? []).slice(1).map(({ format, attributes }): RecordReader<InputRecord> =>
      learning(
        formatsAs(format),
        registry,
        event(() => attributes?.at),
      ),
    ),
    output: fieldsReader(registry),
  }),
};
