// All that the shell knows of sessions.
import { inputAt, offsetAt, type PipelineKind } from '@flatline/kinds';
import { type ReducerWatch, StateReducer } from '@flatline/kinds/reducing';
import { sessionKind, type SessionOptions, sessionSaid, sessionView } from '@flatline/kinds/session';
import { EventFormats, openEventDecoder } from '@flatline/records/events';
import { foreignDecoder, gated } from '@flatline/records/gate';
import { openStatsEncoder, STATS_SCHEMA, statsEncoder } from '@flatline/records/stats';
import {
  openSummaryEncoder,
  type ReadSummary,
  reducedSchema,
  summaryEncoder,
  SummaryFormats,
} from '@flatline/records/summaries';
import { type Sound, sound } from '../at-hand.ts';
import { inMemory } from '../attributes/attribute-settings.ts';
import type { KindModule, KindPlace } from '../kind-module.ts';
import { outageOfLives } from '../lives-outage.ts';
import { valueAsJson } from '../output-json.ts';
import { inputTopicsOf } from '../pipeline.ts';
import { largestSessionOutput } from './largest.ts';
import { sessionIntake } from './intake.ts';
import { sessionMetrics } from './metrics.ts';
import { fillSession, sessionPart, type SessionPipeline, sessionProblems, sessionSection } from './settings.ts';

export const session: KindModule<SessionPipeline, typeof sessionSection, Sound<ReadSummary>> = {
  form: sessionSection,
  fill: fillSession,
  problems: sessionProblems,
  resolve: sessionPart,
  inputUse: 'input',
  targetUse: 'statistics',
  obeys: { severalInputs: true, attributes: true, attributePlaces: true },
  decisiveFormats: ({ input }) => ({ inputFormat: input.format }),
  silence: ({ rules }) => rules.timeoutMs,
  outage: (pipeline) => outageOfLives(pipeline, 'session'),
  largest: largestSessionOutput,
  taskSettings: () => ({}),
  open: async ({ pipeline: configured, registry, clock, watch }) => {
    const pipeline = watched(configured, watch);
    const { input, inputs, output, rules } = pipeline;
    const decoderOf = async ({ topic, format, attributes }: SessionPipeline['input']) =>
      gated(
        attributes,
        attributes?.at === undefined
          ? await openEventDecoder(topic, { format, registry, clock })
          : foreignDecoder(attributes.at),
      );
    const result = rules.reducer?.result.text;
    const writer = await openSummaryEncoder(output.format, output.topic, registry, result);
    // The voice copies what it says at once.
    const encoder: SessionOptions['encoder'] = { encode: (summary) => writer.view(summary) };
    const [statsTopic] = pipeline.targets;
    const stats = statsTopic && (await openStatsEncoder(output.format, statsTopic, registry));
    const voices = { encoder, ...(stats && { stats }) };
    if (inputs === undefined) return sessionsOver(pipeline, { decoder: await decoderOf(input), ...voices });
    const decoders = await Promise.all(inputs.map(decoderOf));
    const several = inputs.map((of, number) => ({ ...of, decoder: decoders[number]! }));
    return sessionsOver(pipeline, { decoder: decoders[0]!, inputs: several, ...voices });
  },
  atHand: (pipeline, { input: reading, output, idOf }) => {
    const decoderOf = ({ format, attributes: written }: SessionPipeline['input']) => {
      const attributes = inMemory(written);
      const at = attributes?.at;
      return gated(attributes, at === undefined ? new EventFormats({ ...reading, format }) : foreignDecoder(at));
    };
    const decoder = decoderOf(pipeline.input);
    const inputs = pipeline.inputs?.map((of, number) => ({ ...of, decoder: number === 0 ? decoder : decoderOf(of) }));
    const result = pipeline.rules.reducer?.result.text;
    const encoder = summaryEncoder(idOf(reducedSchema(result)), result !== undefined);
    const codecs = { decoder, encoder, stats: statsEncoder(idOf(STATS_SCHEMA)), ...(inputs && { inputs }) };
    const formats = new SummaryFormats(output);
    return { kind: sessionsOver(pipeline, codecs), read: (value) => sound(formats.decode(value)) };
  },
  intake: sessionIntake,
  emits: ({ rules: { sayOpened = false, updateIntervalMs } }) => [
    ...(sayOpened ? (['opened'] as const) : []),
    ...(updateIntervalMs === undefined ? [] : (['updated'] as const)),
    'closed',
  ],
  view: ({ rules }) => sessionView(rules),
  said: sessionSaid,
  asJson: valueAsJson,
  columns: [
    {
      name: 'deadline (UTC)',
      width: 19,
      // One that has closed waits for revisions (S9).
      text: ({ deadlineAt, closedAt }, { time }) => (closedAt === undefined ? time(deadlineAt) : 'closed'),
    },
    { name: 'last seen (UTC)', width: 19, spare: 2, text: ({ lastSeenAt }, { time }) => time(lastSeenAt) },
    { name: 'events', width: 8, text: ({ eventCount }) => eventCount as number },
    { name: 'incarnation', width: 16, spare: 1, text: ({ incarnation }) => incarnation as string },
    { name: 'attributes', width: 60, least: 12, text: (entry, show) => show.attributes(entry['attributes']) },
  ],
  metrics: sessionMetrics,
  judging: async () => (await import('./judging.ts')).sessionJudging,
};

type Stats = NonNullable<SessionOptions['stats']>;
type Codecs = Pick<SessionOptions, 'decoder' | 'encoder' | 'inputs'> & { readonly stats?: Stats['encoder'] };

function sessionsOver({ rules, output, targets }: SessionPipeline, { stats, ...codecs }: Codecs): PipelineKind {
  const [topic] = targets;
  const voice = stats && topic !== undefined ? { encoder: stats, topic } : undefined;
  return sessionKind({ rules, ...codecs, stats: voice, tombstones: output.tombstones, outputTopic: output.topic });
}

/** The pipeline with a reducer whose functions are watched, if they are an application's. */
function watched(pipeline: SessionPipeline, watch: KindPlace<SessionPipeline>['watch']): SessionPipeline {
  const { rules } = pipeline;
  const { reducer } = rules;
  if (reducer === undefined || reducer.named.builtIn !== undefined || watch === undefined) return pipeline;
  const watches = inputTopicsOf(pipeline).map(watch);
  const byInput: ReducerWatch = {
    enter: (partition, place) => {
      watches[inputAt(place)]!.enter(partition, offsetAt(place));
    },
    leave: () => {
      watches[0]!.leave();
    },
  };
  return { ...pipeline, rules: { ...rules, reducer: new StateReducer(reducer.named, byInput) } };
}
