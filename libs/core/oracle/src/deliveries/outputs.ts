// The outputs of a pipeline of sessions, as webhooks are to say them (docs/FORMATS.md, Webhooks).
import { textOf } from '../logs/byte-names.ts';
import type { DeliveryEvidence, DeliveryRecord, JudgedEndpoint } from './evidence.ts';
import { instantText } from '../logs/instant-text.ts';

export interface Output {
  readonly id: string;
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
  readonly reason: string;
  readonly body: string;
}

export function outputsOf({ pipeline, outputs }: DeliveryEvidence): Output[] {
  return outputs.flatMap((records, partition) => outputsIn(pipeline, records, partition));
}

export function outputsIn(pipeline: string, records: readonly DeliveryRecord[], partition: number): Output[] {
  return records.flatMap(({ key, value, timestamp, offset }) => {
    if (value === null) return [];
    const text = textOf(value);
    const data = JSON.parse(text) as { incarnation: string; revision?: number; reason: string };
    const id = `${pipeline}:${data.incarnation}:${data.revision ?? 0}`;
    const body = `{"type":"session.closed","timestamp":"${instantText(timestamp)}","data":${text}}`;
    return [{ id, key: textOf(key ?? new Uint8Array()), partition, offset, reason: data.reason, body }];
  });
}

export function isWantedBy({ on }: Pick<JudgedEndpoint, 'on'>, { reason }: Pick<Output, 'reason'>): boolean {
  return on === undefined || on.includes(reason) || on.includes('session.closed');
}
