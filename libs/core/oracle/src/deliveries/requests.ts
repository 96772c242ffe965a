// Holds what a site heard against the committed output (N1, V10).
import { textOf } from '../logs/byte-names.ts';
import type { BegunAttempt, DeliveryEvidence, JudgedSecret } from './evidence.ts';
import { isWantedBy, type Output } from './outputs.ts';

/** The header has whole seconds. */
const STAMP_SLACK_S = 1.5;
const utf8 = new TextEncoder();

export function judgeRequest(
  attempt: BegunAttempt,
  { endpoints }: DeliveryEvidence,
  outputs: readonly Output[],
): string[] {
  const { endpoint: name, id, heard, at } = attempt;
  const endpoint = endpoints.find((each) => each.name === name)!;
  const output = outputs.find((each) => each.id === id);
  if (output === undefined) return [`[V10] ${name}: ${id} is no committed output`];
  if (!isWantedBy(endpoint, output)) return [`[N1] ${name}: ${id} is not for it`];
  if (heard === undefined) return [];
  const { headers, body } = heard;
  const found: string[] = [];
  if (textOf(body) !== output.body) found.push(`[V10] ${name}: ${id} has another body than its output`);
  if (id.includes('.') || headers['webhook-id'] !== id)
    found.push(`[N1] ${name}: ${id} is sent as ${headers['webhook-id']}`);
  const stamped = Number(headers['webhook-timestamp']);
  if (Math.abs(stamped - at / 1_000) > STAMP_SLACK_S) found.push(`[N1] ${name}: ${id} of ${at} is stamped ${stamped}`);
  const signed = joined(utf8.encode(`${id}.${stamped}.`), body);
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  for (const secret of endpoint.secrets)
    if (!signatures.some((signature) => isBy(secret, signature, signed)))
      found.push(`[N1] ${name}: ${id} is not signed by one of its secrets (${secret.version})`);
  return found;
}

function isBy({ version, hasSigned }: JudgedSecret, signature: string, signed: Uint8Array): boolean {
  const [said, digest = ''] = signature.split(',');
  return said === version && hasSigned(signed, digest);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}
