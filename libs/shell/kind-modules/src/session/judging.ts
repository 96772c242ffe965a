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

/** With all fields, which a reducer sees. */
const reducedEvent = (formats: ValueFormats, record: RawRecord): InputRecord => {
  const read = event()(formats, record);
  if (record.value === null || read.event === undefined || read.event === 'bad') return read;
  return { ...read, fields: formats.allFields(record.value) };
};

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
      pipeline.rules.reducer === undefined ? event(placeIn(pipeline, settings)) : reducedEvent,
    ),
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
