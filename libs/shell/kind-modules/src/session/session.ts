// All that the shell knows of sessions.
import type { PipelineKind } from '@flatline/kinds';
import { StateReducer } from '@flatline/kinds/reducing';
import { sessionKind, type SessionOptions, sessionView } from '@flatline/kinds/session';
import { EventFormats, openEventDecoder } from '@flatline/records/events';
import {
  openSummaryEncoder,
  type ReadSummary,
  reducedSchema,
  summaryEncoder,
  SummaryFormats,
} from '@flatline/records/summaries';
import { type Sound, sound } from '../at-hand.ts';
import type { KindModule, KindPlace } from '../kind-module.ts';
import { outageOfLives } from '../lives-outage.ts';
import { largestSessionOutput } from './largest.ts';
import { sessionMetrics } from './metrics.ts';
import { fillSession, sessionPart, type SessionPipeline, sessionProblems, sessionSection } from './settings.ts';

export const session: KindModule<SessionPipeline, typeof sessionSection, Sound<ReadSummary>> = {
  form: sessionSection,
  fill: fillSession,
  problems: sessionProblems,
  resolve: sessionPart,
  inputUse: 'input',
  decisiveFormats: ({ input }) => ({ inputFormat: input.format }),
  silence: ({ rules }) => rules.timeoutMs,
  outage: (pipeline) => outageOfLives(pipeline, 'session'),
  largest: largestSessionOutput,
  taskSettings: () => ({}),
  open: async ({ pipeline: configured, registry, clock, watch }) => {
    const pipeline = watched(configured, watch);
    const { input, inputs, output, rules } = pipeline;
    const decoderOf = ({ topic, format }: SessionPipeline['input']): Promise<SessionOptions['decoder']> =>
      openEventDecoder(topic, { format, registry, clock });
    const result = rules.reducer?.result.text;
    const encoder = await openSummaryEncoder(output.format, output.topic, registry, result);
    if (inputs === undefined) return sessionsOver(pipeline, { decoder: await decoderOf(input), encoder });
    const decoders = await Promise.all(inputs.map(decoderOf));
    const several = inputs.map((of, number) => ({ ...of, decoder: decoders[number]! }));
    return sessionsOver(pipeline, { decoder: decoders[0]!, inputs: several, encoder });
  },
  atHand: (pipeline, { input, output, idOf }) => {
    const result = pipeline.rules.reducer?.result.text;
    const encoder = summaryEncoder(idOf(reducedSchema(result)), result !== undefined);
    const codecs = { decoder: new EventFormats(input), encoder };
    const formats = new SummaryFormats(output);
    return { kind: sessionsOver(pipeline, codecs), read: (value) => sound(formats.decode(value)) };
  },
  view: ({ rules }) => sessionView(rules),
  columns: [
    { name: 'deadline (UTC)', width: 19, text: ({ deadlineAt }, { time }) => time(deadlineAt) },
    { name: 'last seen (UTC)', width: 19, spare: 2, text: ({ lastSeenAt }, { time }) => time(lastSeenAt) },
    { name: 'events', width: 8, text: ({ eventCount }) => eventCount as number },
    { name: 'incarnation', width: 16, spare: 1, text: ({ incarnation }) => incarnation as string },
    { name: 'attributes', width: 60, least: 12, text: (entry, show) => show.attributes(entry['attributes']) },
  ],
  metrics: sessionMetrics,
  judging: async () => (await import('./judging.ts')).sessionJudging,
};

type Codecs = Pick<SessionOptions, 'decoder' | 'encoder' | 'inputs'>;

function sessionsOver({ rules, output }: SessionPipeline, codecs: Codecs): PipelineKind {
  return sessionKind({ rules, ...codecs, tombstones: output.tombstones, outputTopic: output.topic });
}

/** The pipeline with a reducer whose functions are watched, if they are an application's. */
function watched(pipeline: SessionPipeline, watch: KindPlace<SessionPipeline>['watch']): SessionPipeline {
  const { rules, input } = pipeline;
  const { reducer } = rules;
  if (reducer === undefined || reducer.named.builtIn !== undefined || watch === undefined) return pipeline;
  return { ...pipeline, rules: { ...rules, reducer: new StateReducer(reducer.named, watch(input.topic)) } };
}
