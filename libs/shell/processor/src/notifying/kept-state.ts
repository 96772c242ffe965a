// Reads the state of a pipeline's deliveries from the engine's changelog.
import type { Millis } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { KeptState } from '@flatline/notifier';
import type { RecordHeader } from '@flatline/ports';
import { readPartitionState, type StatePlace } from '../entries/partition-state.ts';

export async function readKept(deliveries: PipelineConfig, place: Omit<StatePlace, 'pipeline'>): Promise<KeptState> {
  const state = await readPartitionState({ ...place, pipeline: deliveries });
  return {
    position: state.asOf?.position,
    *entries() {
      for (const { key, shown } of state.entries())
        for (const { value, headers, dueAt } of shown())
          yield {
            key,
            value: value as Uint8Array,
            headers: headers as readonly RecordHeader[],
            dueAt: dueAt as Millis,
          };
    },
  };
}
