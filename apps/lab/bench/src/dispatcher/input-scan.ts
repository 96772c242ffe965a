// The whole input, read once more, for the judge.
import type { KafkaOptions } from '@flatline/kafka';
import type { RecordCursor } from '@flatline/ports';
import { setTimeout as delay } from 'node:timers/promises';
import { OutputReader, valueText } from '../output-reader.ts';
import { numberInKey } from '../storm/close-count.ts';
import type { AnswerJudge, Heard } from './judged-answers.ts';

const LOOK_MS = 20;

/** Has the judge see all of it, up to those ends. @throws the error that ended the reading */
export async function showInput(
  kafka: KafkaOptions,
  topic: string,
  ends: readonly number[],
  judge: AnswerJudge,
): Promise<void> {
  const seen = ends.map(() => 0);
  const reader = new OutputReader(kafka, { topic, partitions: ends.length }, (record, partition) => {
    if (record.offset >= ends[partition]!) return;
    seen[partition] = record.offset + 1;
    const heard = heardIn(record);
    if (heard !== undefined) judge.see(partition, record.offset, heard);
  });
  while (ends.some((end, partition) => seen[partition]! < end) && reader.failure === undefined) await delay(LOOK_MS);
  await reader.close();
  if (reader.failure !== undefined) throw reader.failure;
}

interface Value {
  readonly type: string;
  readonly source: string;
  readonly sequence: number;
  readonly attributes: { readonly gateway: string };
  /** Set in an eviction. */
  readonly attribute?: string;
  readonly equals: string;
}

/** undefined of a clock record. */
function heardIn(record: RecordCursor): Heard | undefined {
  if (record.valueLength <= 0) return undefined;
  const value = JSON.parse(valueText(record)) as Value;
  if (value.attribute !== undefined) return { kind: 'eviction', gateway: value.equals };
  const user = numberInKey(record.bytes, record.keyStart, record.keyLength)!;
  const sent = { login: Number(value.source.slice(1)), sequence: value.sequence };
  return value.type === 'LOGIN'
    ? { kind: 'login', user, sent, gateway: value.attributes.gateway }
    : { kind: 'message', user, sent };
}
