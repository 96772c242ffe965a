// All that the shell knows of leases.
import type { PipelineKind, ShownEntry } from '@flatline/kinds';
import { largestLeaseEvent, leaseKind, type LeaseOptions, leaseSaid, leaseView } from '@flatline/kinds/lease';
import { gated } from '@flatline/records/gate';
import {
  LEASE_EVENT_SCHEMA,
  leaseEventBytes,
  leaseEventEncoder,
  LeaseEventFormats,
  openLeaseEventEncoder,
  openRequestDecoder,
  type ReadLeaseEvent,
  RequestFormats,
} from '@flatline/records/leases';
import { type Sound, sound } from '../at-hand.ts';
import { inMemory } from '../attributes/attribute-settings.ts';
import { fillUnheard, lifeProblems } from '../form/lives.ts';
import type { EntryColumn, KindModule, Show } from '../kind-module.ts';
import { AROUND_BYTES, CONTROL, largestKey, type LargestOutput, WIDE } from '../largest.ts';
import { outageOfLives } from '../lives-outage.ts';
import { valueAsJson } from '../output-json.ts';
import { leaseMetrics } from './metrics.ts';
import { leasePart, type LeasePipeline, leaseSection } from './settings.ts';

const COLUMNS: readonly EntryColumn[] = [
  { name: 'deadline (UTC)', width: 19, text: ({ deadlineAt }, { time }) => time(deadlineAt) },
  { name: 'token', width: 16, text: ({ token }) => token as number },
  { name: 'waiting', width: 8, text: ({ waiters }) => (waiters as readonly unknown[]).length },
  { name: 'holder', width: 60, least: 12, text: holder },
];

export const lease: KindModule<LeasePipeline, typeof leaseSection, Sound<ReadLeaseEvent>> = {
  form: leaseSection,
  fill: fillUnheard,
  problems: lifeProblems,
  resolve: leasePart,
  inputUse: 'input',
  targetUse: 'outputs',
  obeys: { severalInputs: false, attributes: true, attributePlaces: false },
  decisiveFormats: ({ input }) => ({ inputFormat: input.format }),
  silence: ({ rules }) => rules.timeoutMs,
  outage: (pipeline) => outageOfLives(pipeline, 'lease'),
  largest,
  taskSettings: ({ rules }) => ({ tokenEpoch: rules.tokenEpoch }),
  open: async ({ pipeline, registry, clock }) => {
    const { input, output } = pipeline;
    const reading = { format: input.format, registry, clock };
    const decoder = gated(input.attributes, await openRequestDecoder(input.topic, reading));
    const encoder = await openLeaseEventEncoder(output.format, output.topic, registry);
    return leasesOver(pipeline, { decoder, encoder });
  },
  atHand: (pipeline, { input, output, idOf }) => {
    const decoder = gated(inMemory(pipeline.input.attributes), new RequestFormats(input));
    const codecs = { decoder, encoder: leaseEventEncoder(idOf(LEASE_EVENT_SCHEMA)) };
    const formats = new LeaseEventFormats(output);
    return { kind: leasesOver(pipeline, codecs), read: (value) => sound(formats.decode(value)) };
  },
  intake: 'a lease is asked for where its answers are read: by the SDK, or any other client of Kafka',
  emits: undefined,
  view: () => leaseView,
  said: leaseSaid,
  asJson: valueAsJson,
  columns: COLUMNS,
  metrics: leaseMetrics,
  judging: async () => (await import('./judging.ts')).leaseJudging,
};

type Codecs = Pick<LeaseOptions, 'decoder' | 'encoder'>;

function leasesOver({ rules, output }: LeasePipeline, codecs: Codecs): PipelineKind {
  return leaseKind({ rules, ...codecs, tombstones: output.tombstones, outputTopic: output.topic });
}

function largest({ rules, input, output }: LeasePipeline): LargestOutput {
  const { maxKeyBytes } = input;
  const { maxAttributes, maxAttributeBytes } = rules;
  const key = largestKey(input);
  const events = [WIDE, CONTROL].map((text) => leaseEventBytes(output.format, largestLeaseEvent(rules, key, text)));
  return {
    outputBytes: AROUND_BYTES + maxKeyBytes + Math.max(...events),
    settings: { maxKeyBytes, maxAttributes, maxAttributeBytes },
    outputs: 'an event',
  };
}

function holder({ attributes, requestId, retryAt }: ShownEntry, show: Show): string {
  if (retryAt !== undefined) return `lock delay to ${show.time(retryAt)}`;
  return [show.attributes(attributes), requestId].filter(Boolean).join(' ');
}
