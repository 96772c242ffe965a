// The section `notifier`, resolved; and for each pipeline with an endpoint the one that keeps its deliveries (N3).
import type { DurationMs } from '@flatline/base';
import { kindOf, type PipelineConfig, type PipelineSection } from '@flatline/kind-modules';
import type { Finding } from '../configuration-error.ts';
import { shownValue } from '../configuration-error.ts';
import type { Environment } from '../environment.ts';
import type { SecretReader } from '../secrets.ts';
import type { EndpointSection, NotifierSection } from './notifier-form.ts';
import { type WebhookSecret, webhookSecretOf } from './webhook-secret.ts';

export interface EndpointConfig {
  readonly name: string;
  readonly target:
    | { readonly url: string }
    /** `environment`: a function, so that nothing prints what is in it. */
    | { readonly command: readonly string[]; readonly environment: () => Environment };
  /** Reasons and types of the outputs that it is for; undefined: all. */
  readonly on: readonly string[] | undefined;
  /** As the files and the environment say now; several during a rotation. @throws Error naming what cannot be read */
  readonly secrets: () => readonly WebhookSecret[];
  readonly order: 'none' | 'key';
  readonly supersede: boolean;
  readonly timeoutMs: DurationMs;
  readonly maxInFlight: number;
  readonly maxPerSecond: number | undefined;
  readonly allow: readonly string[];
}

/** A pipeline whose outputs are sent somewhere. */
export interface NotifiedPipeline {
  readonly pipeline: PipelineConfig;
  /** Keeps what waits, as schedules. */
  readonly deliveries: PipelineConfig;
  readonly undeliverableTopic: string;
  /** Whose records are those of the topics, which bear the pipeline's name alone. */
  readonly application: string;
  /** Group that reads its outputs. */
  readonly group: string;
  readonly endpoints: readonly EndpointConfig[];
}

export interface NotifierConfig {
  readonly endpoints: readonly EndpointConfig[];
  readonly pipelines: readonly NotifiedPipeline[];
  /** Where a group that has no position yet begins. */
  readonly startFrom: 'earliest' | 'latest';
}

/** Contracts (docs/FORMATS.md): of a pipeline's name alone. */
function deliveryTopicsOf(pipeline: string) {
  const deliveries = `${pipeline}.deliveries`;
  return { deliveries, due: `${deliveries}.due`, undeliverable: `${pipeline}.undeliverable` };
}

/** A body's, with what is said of the delivery beside it. */
const MESSAGE_BYTES_MAX = 900_000;

/** Section of the pipeline of schedules that keeps the deliveries of another. Its name has a dot, as none in a file has. */
export function deliveriesSection(pipeline: string): PipelineSection {
  const { deliveries, due, undeliverable } = deliveryTopicsOf(pipeline);
  const section = kindOf({ kind: 'schedule' }).form.parse({
    name: pipeline,
    kind: 'schedule',
    // Partitions are those of the outputs, whose keys are others.
    input: { topic: deliveries, partitioner: 'any' },
    output: { topic: due },
    targets: [undeliverable],
    maxMessageBytes: MESSAGE_BYTES_MAX,
  });
  return { ...section, name: deliveries };
}

export function notifiedBy(endpoints: readonly EndpointSection[], pipeline: string): readonly EndpointSection[] {
  return endpoints.filter((endpoint) => endpoint.pipelines?.includes(pipeline) ?? true);
}

export interface NotifierParts {
  readonly application: string;
  readonly pipelines: readonly PipelineConfig[];
  /** Makes what keeps the deliveries of a pipeline. */
  readonly deliveriesOf: (pipeline: string) => PipelineConfig;
  /** undefined: secrets are not needed. */
  readonly secrets: SecretReader | undefined;
  readonly environment: Environment;
}

export function notifierOf(section: NotifierSection, parts: NotifierParts): NotifierConfig {
  const { application, pipelines, deliveriesOf } = parts;
  const endpoints = section.endpoints.map((endpoint, i) => endpointOf(endpoint, `notifier.endpoints[${i}]`, parts));
  const notified = pipelines.flatMap((pipeline): NotifiedPipeline[] => {
    const names = notifiedBy(section.endpoints, pipeline.name).map(({ name }) => name);
    if (names.length === 0) return [];
    return [
      {
        pipeline,
        deliveries: deliveriesOf(pipeline.name),
        undeliverableTopic: deliveryTopicsOf(pipeline.name).undeliverable,
        application,
        group: `${application}.${pipeline.name}.notifier`,
        endpoints: endpoints.filter(({ name }) => names.includes(name)),
      },
    ];
  });
  return { endpoints, pipelines: notified, startFrom: section.startFrom };
}

function endpointOf(
  section: EndpointSection,
  at: string,
  { secrets, environment }: Pick<NotifierParts, 'secrets' | 'environment'>,
): EndpointConfig {
  const { name, url, command = [], on, order, supersede, timeoutMs, maxInFlight, maxPerSecond, allow } = section;
  const target = url === undefined ? { command, environment: () => environment } : { url };
  const bounds = { order, supersede, timeoutMs, maxInFlight, maxPerSecond, allow };
  const known: KnownSecrets = new Map();
  // Faults in them are told before anything begins.
  if (secrets !== undefined) secretsOf(section, at, secrets, known);
  const readAgain = (): readonly WebhookSecret[] => {
    if (secrets === undefined) return [];
    const again = secrets.again();
    const found = secretsOf(section, at, again, known);
    if (again.findings.length > 0)
      throw new Error(again.findings.map(({ setting, problem }) => `${setting}: ${problem}`).join('; '));
    return found;
  };
  return { name, target, on, secrets: readAgain, ...bounds };
}

/** By setting, as last read: what says the same is the same object, by which a key that was made of it is found. */
type KnownSecrets = Map<string, { readonly text: string; readonly secret: WebhookSecret }>;

function secretsOf(
  section: EndpointSection,
  at: string,
  reader: SecretReader,
  known: KnownSecrets,
): readonly WebhookSecret[] {
  return section.secrets.flatMap((reference, i) => {
    const setting = `${at}.secrets[${i}]`;
    const text = reader.token(setting, reference);
    if (text === undefined) return [];
    const former = known.get(setting);
    if (former?.text === text) return [former.secret];
    const found = webhookSecretOf(text);
    if (typeof found !== 'string') {
      known.set(setting, { text, secret: found });
      return [found];
    }
    const wrong: Finding = { setting, value: shownValue(reference), problem: found };
    reader.findings.push(wrong);
    return [];
  });
}
