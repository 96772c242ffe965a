// Deliveries as they are shown: a line each in a list, one of them whole, and the request that repeats it.
import type { EndpointConfig } from '@flatline/config';
import type { Attempt } from '@flatline/deliveries';
import { printable, printableKey } from '../terminal/printable.ts';
import { type Table, tableOf } from '../terminal/table.ts';
import type { FoundDelivery } from './found-delivery.ts';

export function deliveryTable(width: number): Table<FoundDelivery> {
  return tableOf<FoundDelivery>(
    [
      { name: 'endpoint', width: 16, least: 8, text: ({ delivery }) => printable(delivery.endpoint) },
      { name: 'state', width: 13, text: ({ state }) => state },
      { name: 'at (UTC)', width: 19, text: ({ at }) => secondsOf(at) },
      { name: 'failed', width: 6, text: ({ delivery }) => String(delivery.attempts.length) },
      { name: 'id', width: 40, least: 24, text: ({ delivery }) => printable(delivery.id) },
      {
        name: 'last',
        width: 40,
        least: 12,
        spare: 1,
        text: ({ delivery, why }) => lastOf(delivery.attempts.at(-1), why),
      },
    ],
    width,
  );
}

export function deliveryValue(found: FoundDelivery): object {
  const { pipeline, partition, delivery, state, at, why, isReplayed } = found;
  const { endpoint, id, type, key, order, attempts } = delivery;
  return {
    kind: 'delivery',
    pipeline,
    partition,
    endpoint,
    id,
    type,
    key: Buffer.from(key, 'base64').toString(),
    offset: order,
    state,
    ...(state === 'undeliverable' ? { givenUpAt: at, why, replayed: isReplayed === true } : { dueAt: at }),
    attempts: attempts.map((attempt) => ({ ...attempt, ms: Math.round(attempt.ms) })),
  };
}

export function deliveryDetails(found: FoundDelivery): string {
  const { pipeline, partition, delivery, state, at, why, isReplayed } = found;
  const { endpoint, id, type, key, order, attempts } = delivery;
  const since = isReplayed === true ? ', sent again since' : '';
  const rows: readonly (readonly [string, string])[] = [
    ['endpoint', printable(endpoint)],
    ['id', printable(id)],
    ['type', printable(type)],
    ['key', printableKey(Buffer.from(key, 'base64'))],
    ['output', `${pipeline}, partition ${partition}, offset ${order}`],
    [
      'state',
      state === 'undeliverable'
        ? `given up (${printable(why ?? '')}) at ${secondsOf(at)}${since}`
        : `${state}, due at ${secondsOf(at)}`,
    ],
    ...attempts.map((attempt, i): [string, string] => [
      `attempt ${i + 1}`,
      `${secondsOf(attempt.at)}, ${Math.round(attempt.ms)} ms: ${lastOf(attempt, undefined)}`,
    ]),
  ];
  return rows.map(([name, text]) => `${name.padEnd(12)}${text}`).join('\n');
}

/** The request again. Of the secret it has the name of a variable: what signs with it is asked for that. */
export function curlOf({ delivery: { id, body } }: FoundDelivery, { target }: EndpointConfig): string {
  const text = Buffer.from(body).toString();
  const data = quoted(text);
  if ('command' in target)
    return `printf %s ${data} | WEBHOOK_ID=${quoted(id)} ${target.command.map(quoted).join(' ')}`;
  return [
    'WEBHOOK_SECRET=…   # of the endpoint, without whsec_',
    `BODY=${data}`,
    'AT=$(date +%s)',
    'KEY=$(printf %s "$WEBHOOK_SECRET" | base64 -d | od -An -v -tx1 | tr -d " \\n")',
    `SIGNATURE=$(printf %s ${quoted(`${id}.`)}"$AT.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)`,
    `curl -i ${quoted(target.url)} -H 'content-type: application/json' -H ${quoted(`webhook-id: ${id}`)} \\`,
    '  -H "webhook-timestamp: $AT" -H "webhook-signature: v1,$SIGNATURE" --data-binary "$BODY"',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function lastOf(attempt: Attempt | undefined, why: string | undefined): string {
  const said =
    attempt === undefined
      ? ''
      : [attempt.status, attempt.error, attempt.answer].filter((each) => each !== undefined && each !== '').join(' ');
  return printable([why, said].filter((each) => each !== undefined && each !== '').join(': '));
}

function secondsOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
