// A pipeline's intake, as the processor opens it.
import { resolveConfiguration } from '@flatline/config';
import { kindOf } from '@flatline/kind-modules';
import { systemClock } from '@flatline/system';
import type { IngestInput } from './index.ts';

const KEY_BYTES_MAX = 20;

/** A text: why it takes nothing. */
export function inputFor(section: object, topic: string, format?: 'avro'): IngestInput | string {
  const written = { name: 'p', output: { topic: 'out' }, maxKeyBytes: KEY_BYTES_MAX, ...section };
  const input = { topic, ...(format && { format }) };
  const registry = format && { schemaRegistryUrl: 'http://127.0.0.1:1' };
  const config = { application: 'test', brokers: ['127.0.0.1:1'], ...registry, pipelines: [{ ...written, input }] };
  const [pipeline] = resolveConfiguration(config, { source: 'test', folder: '/', environment: {} }).pipelines;
  const { intake } = kindOf(pipeline!);
  if (typeof intake === 'string') return intake;
  return {
    ...intake.open(pipeline!, systemClock),
    beats: intake.beats,
    topic,
    keyBytesMax: pipeline!.input.maxKeyBytes,
  };
}
