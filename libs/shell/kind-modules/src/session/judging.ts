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
import { reducerRules } from '../judging/reducer-rules.ts';
import { fieldsReader, formatsAs, inputFormats, learning } from '../judging/readers.ts';
import { mergedRules } from '../pipeline.ts';
import type { SessionPipeline } from './settings.ts';

/** `at`: see AttributesConfig; undefined of values that are events. `isReduced`: with all fields, which a reducer sees. */
const event =
  (isReduced: boolean, at: (offset: number) => string | undefined) =>
  (formats: ValueFormats, record: RawRecord): InputRecord => {
    const pointer = at(record.offset);
    if (pointer !== undefined) return inputRecord(record, (value) => foreignEvent(value, pointer));
    const read = inputRecord(record, (value) => formats.event(value));
    const { value } = record;
    if (!isReduced || value === null || read.event === undefined || read.event === 'bad') return read;
    // Fields that an event passes over may be broken all the same.
    return { ...read, fields: formats.allFields(value) ?? 'bad' };
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
    const {
      rules: { reducer, ...rules },
      input,
      inputs,
    } = pipeline;
    return {
      kind: 'session',
      ...rules,
      ...(reducer && { reducer: reducerRules(reducer) }),
      ...common,
      ...(inputs && { inputs: mergedRules(inputs) }),
      inputFormat: input.format,
      ...judgedAttributes(pipeline),
    };
  },
  readers: (pipeline, registry, settings) => ({
    input: learning(
      inputFormats(pipeline, settings),
      registry,
      event(pipeline.rules.reducer !== undefined, placeIn(pipeline, settings)),
    ),
    furtherInputs: (pipeline.inputs ?? []).slice(1).map(({ format, attributes }): RecordReader<InputRecord> =>
      learning(
        formatsAs(format),
        registry,
        event(pipeline.rules.reducer !== undefined, () => attributes?.at),
      ),
    ),
    output: fieldsReader(registry),
  }),
};
