// An output as it is sent (N1), by docs/FORMATS.md, Webhooks: its id, and the body, the same at each attempt.
import { base64Of, utf8In } from '../../logs/byte-names.ts';
import type { WholeRecord } from '../../logs/history.ts';
import { outputRecord } from '../../logs/raw-record.ts';
import type { OutputWords } from '../reading.ts';
import { instantText } from '../../logs/instant-text.ts';
import { type LoggedDelivery, objectIn } from './logged-delivery.ts';

export type SendingWords = Pick<OutputWords, 'saidIn' | 'sentAs' | 'sentData'>;

export interface SentFrom {
  readonly pipeline: string;
  readonly partition: number;
  readonly words: SendingWords;
}

/** Says how a delivery differs from what its output is sent as. `body` undefined: it was left out. */
export function otherThanSent(
  { id, type, key }: LoggedDelivery,
  body: Uint8Array | undefined,
  output: WholeRecord,
  { pipeline, partition, words }: SentFrom,
): string | undefined {
  const record = outputRecord(output);
  const names = record.key === null || record.value === null ? undefined : words.saidIn(record)?.names;
  if (names === undefined) return 'its output is none that is sent';
  if (base64Of(output.key!) !== key) return 'its output has another key';
  const named = words.sentAs?.(record) ?? [`${partition}-${output.offset}`];
  if ([pipeline, ...named].join(':') !== id) return `its output is called ${[pipeline, ...named].join(':')}`;
  if (names.at(-1) !== type) return `its type is ${type}, and its output's ${names.at(-1) ?? 'none'}`;
  return body === undefined || isBody(body, type, output, words.sentData?.(record))
    ? undefined
    : 'its body is another than its output says';
}

/** `data`: what is sent where that is not the value as it lies. */
function isBody(body: Uint8Array, type: string, { value, timestamp }: WholeRecord, data: object | undefined): boolean {
  const text = utf8In(body);
  const head = `{"type":${JSON.stringify(type)},"timestamp":"${instantText(timestamp)}","data":`;
  if (data === undefined) return text === `${head}${utf8In(value!) ?? ''}}`;
  return text?.startsWith(head) === true && JSON.stringify(objectIn(text)?.['data']) === JSON.stringify(data);
}
