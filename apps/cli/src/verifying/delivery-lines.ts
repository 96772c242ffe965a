// A ledger of deliveries, read a line at a time (docs/FORMATS.md, Deliveries).
import type { Delivery } from '@flatline/oracle';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { LineSplitter, type NumberedLine } from '../importing/line-splitter.ts';
import { usageFailure } from '../failure.ts';

/** A webhook's body of more is none of ours: a summary is far smaller. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;
const ID = /^(?:[^/]+\.)?\d+-\d+\/\d+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The lines of the file, in order. @throws CommandFailure naming the file, the line, and what it has to be. */
export async function* readDeliveries(folder: string, path: string): AsyncGenerator<Delivery, void> {
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  const chunks = createReadStream(resolve(folder, path))[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  for (let chunk = await nextOf(chunks, path); chunk !== undefined; chunk = await nextOf(chunks, path))
    yield* deliveriesIn(splitter.push(chunk), path);
  yield* deliveriesIn(splitter.end(), path);
}

async function nextOf(chunks: AsyncIterator<Uint8Array>, path: string): Promise<Uint8Array | undefined> {
  try {
    const next = await chunks.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    throw usageFailure(
      `--deliveries ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function* deliveriesIn(lines: readonly NumberedLine[], path: string): Generator<Delivery, void> {
  for (const { number, text } of lines) if (text !== '') yield deliveryOf(text, number, path);
}

function deliveryOf(text: string | undefined, line: number, path: string): Delivery {
  const refuse = (what: string): never => {
    throw usageFailure(`--deliveries ${path} line ${line}: ${what} (docs/FORMATS.md, Deliveries)`);
  };
  const entry = fieldsOf(text) ?? refuse('it is no JSON object: write one for each attempt, whole and on one line');
  const { id, attempt } = entry;
  if (typeof id !== 'string' || !ID.test(id))
    return refuse(`id is ${shown(id)}: it must be <incarnation>/<revision>, for example "3-1742/0"`);
  if (!Number.isSafeInteger(attempt) || Number(attempt) < 1)
    return refuse(`attempt is ${shown(attempt)}: it must be a whole number, 1 for the first`);
  const payload = payloadOf(entry) ?? refuse(payloadRefusal(entry));
  return { id, attempt: Number(attempt), payload, line };
}

/** undefined: there is not exactly one, or it is not what it must be. */
function payloadOf({ payload, payloadBase64 }: Readonly<Record<string, unknown>>): Uint8Array | undefined {
  if (typeof payload === 'string' && payloadBase64 === undefined) return Buffer.from(payload, 'utf8');
  if (payload !== undefined || typeof payloadBase64 !== 'string') return undefined;
  return BASE64.test(payloadBase64) ? Buffer.from(payloadBase64, 'base64') : undefined;
}

function payloadRefusal({ payload, payloadBase64 }: Readonly<Record<string, unknown>>): string {
  if (payload !== undefined && payloadBase64 !== undefined) return 'it has payload and payloadBase64: give one of them';
  if (payloadBase64 !== undefined) return 'payloadBase64 is not base64: it must be the bytes of the body as sent';
  if (payload === undefined) return 'it has no payload: give the body as sent, as text (payload) or payloadBase64';
  return `payload is ${shown(payload)}: it must be the body as it was sent, as text, or payloadBase64`;
}

function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text ?? '') as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // the caller says where
  }
}

const SHOWN_MAX = 60;

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, SHOWN_MAX);
}
