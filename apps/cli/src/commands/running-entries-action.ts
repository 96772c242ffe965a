// Live entries as a running processor answers (Q1, Q2): one key, or a page of all.
import { count, type KindName } from '@flatline/base';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { entryDetails, entryTable } from '../entries/entry-text.ts';
import { entryIn, keyIn } from '../entries/json-entry.ts';
import { keyBytes } from '../entries/key-bytes.ts';
import { ExitCode } from '../exit-code.ts';
import type { Answer } from '../processor-address.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { duration } from '../terminal/progress.ts';
import { printable } from '../terminal/printable.ts';
import { type ByProcessorFlags, refusedFor, type RunningPipeline, runningPipeline } from './by-processor.ts';

export interface AskFlags extends ByProcessorFlags {
  readonly key: string;
  readonly base64?: boolean;
  readonly proof?: 'now';
}

export interface AskListFlags extends ByProcessorFlags {
  readonly prefix?: string;
  /** NAME=VALUE */
  readonly attribute?: string;
  readonly limit: number;
  readonly after?: string;
}

interface AsOf {
  readonly clock: number;
  readonly position: number;
}

interface KeySaid {
  readonly key: string;
  readonly keyBase64?: string;
  readonly kind: KindName;
  readonly partition: number;
  readonly owner?: string;
  readonly state: 'live' | 'none' | 'moving' | 'restoring';
  readonly entries?: readonly object[];
  readonly asOf?: AsOf;
  readonly from?: 'owner' | 'standby';
  readonly lagMs?: number;
  readonly detail?: string;
}

interface ListSaid {
  readonly pipeline: string;
  /** undefined: no partition has answered. */
  readonly kind?: KindName;
  readonly entries: readonly (object & Pick<KeySaid, 'key' | 'keyBase64'>)[];
  readonly unanswered: readonly { readonly partition: number; readonly detail: string }[];
  readonly after?: string;
}

/** It waits for a commit, and for other instances. */
const ANSWER_WITHIN_MS = 12_000;
const HOW = { withinMs: ANSWER_WITHIN_MS };

export async function runAsk(flags: AskFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const key = keyBytes(flags.key, flags);
  const { address, path } = await runningPipeline(flags, shell);
  const said = isDots(key) ? await lookedUp(key, flags, { address, path }) : await got(key, flags, { address, path });
  console.result(said, keyText(key, said));
  if (said.state === 'live') return ExitCode.ok;
  return said.state === 'none' ? ExitCode.failedCheck : ExitCode.unreachable;
}

export async function runAskList(flags: AskListFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { address, path } = await runningPipeline(flags, shell);
  const { prefix, attribute, limit, after } = flags;
  const query = Object.entries({ prefix, attribute, limit, after }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const { entries, ...rest } = saidIn(
    await address.ask<ListSaid | Refused>(`${path}?${query.join('&')}`, 'GET', { ...HOW, field: 'entries' }),
  );
  const { kind, unanswered, after: next } = rest;
  if (kind !== undefined) {
    const table = entryTable(kind, console.width);
    console.heading(table.heading);
    for (const each of entries) console.result(each, table.line({ key: keyIn(each), entry: entryIn(each) }));
  }
  const more = next === undefined ? '' : `; more behind --after ${next}`;
  console.result(
    { ...rest, kind: 'summary', listed: entries.length },
    console.colors.dim(`${count(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}${more}`),
  );
  for (const { partition, detail } of unanswered) console.note(`partition ${partition} is missing: ${detail}`);
  return unanswered.length === 0 ? ExitCode.ok : ExitCode.unreachable;
}

async function got(key: Uint8Array, { proof }: AskFlags, { address, path }: RunningPipeline): Promise<KeySaid> {
  const query = proof === undefined ? '' : `?proof=${proof}`;
  return saidIn(
    await address.ask<KeySaid | Refused>(`${path}/${inPath(key)}${query}`, 'GET', { ...HOW, field: 'state' }),
  );
}

/** The same with the key in the body. */
async function lookedUp(key: Uint8Array, { proof }: AskFlags, { address, path }: RunningPipeline): Promise<KeySaid> {
  const body = { keys: [{ base64: Buffer.from(key).toString('base64') }], ...(proof !== undefined && { proof }) };
  type Said = { readonly entries: readonly [KeySaid] } | Refused;
  return saidIn(await address.ask<Said>(`${path}:lookup`, 'POST', { ...HOW, field: 'entries', body })).entries[0];
}

/** In a path such a key is the way to the folder above, percent-encoded, too: another key would be asked for, or none. */
function isDots(key: Uint8Array): boolean {
  return ['.', '..'].includes(Buffer.from(key).toString('latin1'));
}

/** Percent-encoded, whatever the bytes; as text, where they are letters, digits and hyphens. */
function inPath(key: Uint8Array): string {
  return [...key]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

interface Refused {
  readonly error: string;
}

/** An answer, whatever it says. @throws CommandFailure where it is none */
function saidIn<T extends object>({ status, body }: Answer<T | Refused>): T {
  if ('error' in body) throw refusedFor(status, body.error);
  return body;
}

function keyText(key: Uint8Array, said: KeySaid): string {
  const { kind, state, partition, detail = '' } = said;
  if (state === 'moving' || state === 'restoring')
    return `partition ${partition} cannot say now, it is ${state}: ${printable(detail)}`;
  const where = `${partition}, ${whenText(said)}`;
  if (state === 'none') return `no ${KIND_WORDS[kind].noun} has this key in partition ${where}`;
  const entries = said.entries ?? [said];
  return entries.map((entry) => `${entryDetails(key, entryIn(entry))}\n${'partition'.padEnd(16)}${where}`).join('\n');
}

function whenText({ asOf, from, owner, lagMs = 0 }: KeySaid): string {
  const name = printable(owner ?? '');
  const by =
    from === 'standby'
      ? `a standby, ${duration(lagMs)} behind: its owner ${name} does not answer`
      : `its owner ${name}`;
  if (asOf === undefined) return `by ${by}`;
  const clock = asOf.clock > 0 ? `as of ${new Date(asOf.clock).toISOString()} by the input's clock, ` : '';
  return `${clock}position ${asOf.position}, by ${by}`;
}
