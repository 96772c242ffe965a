// Where an endpoint is disabled: as of all that is committed, and of commands that no courier has taken yet.
import { KafkaLogAdmin } from '@flatline/kafka';
import { keptRecordOf } from '@flatline/notifier/records';
import type { RecordHeader } from '@flatline/ports';
import { type DeliveryPlace, type DeliveryState, recordsFrom, statesOf } from './delivery-reading.ts';

type Kept = readonly [key: Uint8Array | null, value: Uint8Array | null, headers: readonly RecordHeader[]];

/** In words, by pipeline; none: it is not. */
export async function disabledIn(place: DeliveryPlace, endpoint: string): Promise<readonly string[]> {
  const found = new Map<string, number[]>();
  for await (const each of statesOf(place)) {
    if (!(await isDisabled(each, endpoint, place))) continue;
    const { name } = each.notified.pipeline;
    found.set(name, [...(found.get(name) ?? []), each.partition]);
  }
  return [...found].map(
    ([pipeline, numbers]) => `${pipeline}, ${numbers.length === 1 ? 'partition' : 'partitions'} ${numbers.join(', ')}`,
  );
}

async function isDisabled(
  { notified, partition, state }: DeliveryState,
  endpoint: string,
  place: DeliveryPlace,
): Promise<boolean> {
  const { deliveries, group } = notified;
  let isIt = false;
  const take = (...record: Kept): void => {
    isIt = afterRecord(isIt, endpoint, record);
  };
  for (const { key, shown } of state.entries())
    for (const { value, headers } of shown()) take(key, value as Uint8Array, headers as readonly RecordHeader[]);
  const kept = { topic: deliveries.input.topic, partition };
  for await (const { key, value, headers } of recordsFrom(kept, state.asOf?.position ?? 0, place))
    take(key, value, headers);
  const { connection, shell } = place;
  const due = { topic: deliveries.output.topic, partition };
  const taken = await new KafkaLogAdmin({ clock: shell.clock, connection }).committedOffset(group, due);
  for await (const { key, value, headers } of recordsFrom(due, taken?.offset ?? 0, place))
    if (key !== null && value !== null && keptRecordOf(key, value, headers).kind === 'enable')
      take(key, value, headers);
  return isIt;
}

/** True if it is disabled behind the record. */
function afterRecord(was: boolean, endpoint: string, [key, value, headers]: Kept): boolean {
  if (key === null) return was;
  if (value === null) return was && Buffer.from(key).toString() !== endpoint;
  const record = keptRecordOf(key, value, headers);
  if (record.kind === 'breaker' && record.endpoint === endpoint) return record.breaker.kind === 'disabled';
  return was && !(record.kind === 'enable' && record.endpoint === endpoint);
}
