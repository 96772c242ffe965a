// How long the records may become that a pipeline's limits allow: those of the output by its kind.
import { AROUND_BYTES, kindOf, type PipelineConfig } from '@flatline/kind-modules';
import { largestBlockBytes } from '@flatline/partition';
import { TASK_BOUNDS } from '@flatline/runtime';

export interface LargestRecords {
  /** A batch of the changelog, and one of the output, with one record. */
  readonly changelogBytes: number;
  readonly outputBytes: number;
  /** The settings that they follow from, with their values. */
  readonly settings: string;
  /** One record of the output, in words. */
  readonly outputs: string;
}

export function largestRecords(pipeline: PipelineConfig): LargestRecords {
  const { outputBytes, settings, outputs, keptBytes = 0 } = kindOf(pipeline).largest(pipeline);
  return {
    changelogBytes: AROUND_BYTES + keptBytes + largestBlockBytes(pipeline.input.maxKeyBytes, TASK_BOUNDS.blockBytesMax),
    outputBytes,
    settings: Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    outputs,
  };
}
